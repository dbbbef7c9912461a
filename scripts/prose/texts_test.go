package prose

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// piece is a text that people read, and the line it begins at.
type piece struct {
	line int
	text string
}

// files returns the paths below the root, relative to it, that keep says yes to. Folders of tools and of other
// repositories are skipped.
func files(t *testing.T, keep func(path string) bool) (list []string) {
	t.Helper()
	skip := []string{".git", ".cache", "bin", "node_modules", "dist", "data"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skip, d.Name()) {
			return filepath.SkipDir
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if !d.IsDir() && keep(name) {
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

var (
	quoted     = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	inlineCode = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
)

// markdown returns the paragraphs of a Markdown file, without code and link targets.
func markdown(data []byte) (pieces []piece) {
	fenced := false
	now := piece{}
	flush := func() {
		if now.text != "" {
			now.text = linkTarget.ReplaceAllString(inlineCode.ReplaceAllString(now.text, ""), "]")
			pieces = append(pieces, now)
		}
		now = piece{}
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			flush()
			continue
		}
		if fenced || strings.HasPrefix(line, "    ") || strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") {
			flush()
		}
		if now.text == "" {
			now.line = i + 1
		}
		now.text += line + " "
	}
	flush()
	return pieces
}

// strings in double quotes: descriptions of the SDL, messages of the application, texts of OpenAPI.
func quotedTexts(data []byte) (pieces []piece) {
	for i, line := range strings.Split(string(data), "\n") {
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			pieces = append(pieces, piece{i + 1, inlineCode.ReplaceAllString(m[1], "")})
		}
	}
	return pieces
}

// goTexts returns the comments of a Go file, and the strings that it shows to people: messages of errors and of the log,
// help texts. Generated files have none.
func goTexts(name string, data []byte) (pieces []piece, err error) {
	if bytes.Contains(data, []byte("// Code generated ")) {
		return nil, nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		pieces = append(pieces, piece{set.Position(group.Pos()).Line, group.Text()})
	}
	text := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				pieces = append(pieces, piece{set.Position(lit.Pos()).Line, s})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if messageOf(n) {
				for _, a := range n.Args {
					text(a)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Help" || key.Name == "Effect" || key.Name == "Shown" || key.Name == "Form") {
				text(n.Value)
			}
		case *ast.Field:
			if n.Tag != nil {
				text(n.Tag)
			}
		}
		return true
	})
	return pieces, nil
}

// messageOf reports whether a call shows its strings to people.
func messageOf(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := s.X.(*ast.Ident)
	if !ok {
		return false
	}
	switch from.Name {
	case "fault", "errors", "slog", "log":
		return true
	case "fmt":
		return s.Sel.Name == "Errorf" || strings.HasPrefix(s.Sel.Name, "Fprint")
	}
	return false
}
