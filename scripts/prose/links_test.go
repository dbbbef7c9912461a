// Package prose tests that every relative link of the documentation leads to a file and a heading.
package prose

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

var link = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)

// TestLinks follows every relative link of the documentation to its file and heading.
func TestLinks(t *testing.T) {
	seen := 0
	for _, name := range documents(t) {
		for _, problem := range broken(t, name, read(t, name), &seen) {
			t.Error(problem)
		}
	}
	if seen < 20 {
		t.Errorf("followed %d links, expected more", seen)
	}
}

func broken(t *testing.T, name string, data []byte, seen *int) (problems []string) {
	t.Helper()
	for i, line := range strings.Split(string(data), "\n") {
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			*seen++
			file, heading, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(name), file)
			if file == "" {
				target = name
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s does not exist", name, i+1, m[1]))
				continue
			}
			if heading != "" && strings.HasSuffix(target, ".md") && !hasHeading(read(t, target), heading) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s has no such heading", name, i+1, m[1]))
			}
		}
	}
	return problems
}

// hasHeading reports whether a Markdown file has a heading of that anchor, by GitHub's rule: lower case, spaces as
// dashes, punctuation dropped.
func hasHeading(data []byte, anchor string) bool {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, line := range strings.Split(string(data), "\n") {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		slug := strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
		if slug == anchor {
			return true
		}
	}
	return false
}

func TestLinksCanFail(t *testing.T) {
	for text, want := range map[string]int{
		"[a](docs/none.md)": 1, "[a](README.md)": 0, "[a](README.md#quick-start)": 0, "[a](README.md#nowhere)": 1,
		"[a](https://example.com/none)": 0, "[a](README.md) [b](none)": 1, "[a](docs)": 0,
	} {
		seen := 0
		if found := broken(t, "CHANGELOG.md", []byte(text), &seen); len(found) != want {
			t.Errorf("%s: %q, want %d", text, found, want)
		}
	}
}

// documents returns the paths of the Markdown files at the top level and below docs, examples and clients, relative to
// root.
func documents(t *testing.T) (list []string) {
	t.Helper()
	skip := []string{".git", ".cache", "bin", "node_modules", "dist", "data"}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skip, d.Name()) {
			return filepath.SkipDir
		}

		name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		folder, _, _ := strings.Cut(name, "/")
		documented := path.Dir(name) == "." || slices.Contains([]string{"docs", "examples", "clients"}, folder)
		if !d.IsDir() && documented && strings.HasSuffix(name, ".md") {
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTables checks that every row of a table has as many cells as its heading: Markdown drops what is too much.
func TestTables(t *testing.T) {
	for _, name := range documents(t) {
		for _, problem := range uneven(name, string(read(t, name))) {
			t.Error(problem)
		}
	}
	if got := uneven("a.md", "| a | b |\n|---|---|\n| `x|y` \\| z | 1 |\n\n| a |\n|---|\n| 1 | 2 |\n"); len(got) != 1 {
		t.Errorf("%q, expected one row", got)
	}
}

var cellText = regexp.MustCompile("`[^`]*`|\\\\\\|")

func uneven(name, text string) (problems []string) {
	cells, inBlock := 0, false
	for i, line := range strings.Split(text, "\n") {
		inBlock = inBlock != strings.HasPrefix(line, "```")
		if inBlock || !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(cellText.ReplaceAllString(line, ""), "|")
		if cells != 0 && n != cells {
			problems = append(problems, fmt.Sprintf("%s:%d: %d cells, expected %d", name, i+1, n-1, cells-1))
		}
		cells = n
	}
	return problems
}
