package migrate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/safelight/safelight/imaging"
)

var (
	docBlock = regexp.MustCompile("(?ms)^```([a-z .]+)\n(.*?)^```$")
	docCode  = regexp.MustCompile("`([^`]+)`")
)

// document returns a page of docs/guides/migrate.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/guides/migrate/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocumentedCommands runs the commands of docs/guides/migrate on their files and compares what they print.
func TestDocumentedCommands(t *testing.T) {
	text := document(t, "README")
	t.Chdir(t.TempDir())
	var printed strings.Builder
	outputs := 0
	for _, m := range docBlock.FindAllStringSubmatch(text, -1) {
		kind, text := m[1], m[2]
		switch name, isFile := strings.CutPrefix(kind, "text "); {
		case kind == "sh":
			var c Command
			words := strings.Fields(text)
			if len(words) < 2 || words[0] != "safelight" || words[1] != "migrate-urls" {
				t.Fatalf("nothing runs %s", text)
			}
			flags := pflag.NewFlagSet("migrate-urls", pflag.ContinueOnError)
			c.AddFlags(flags)
			if err := flags.Parse(words[2:]); err != nil || flags.NArg() != 1 {
				t.Fatalf("%s: %d arguments, %v", text, flags.NArg(), err)
			}
			c.File = flags.Arg(0)
			printed.Reset()
			if _, err := c.Report(strings.NewReader(""), &printed); err != nil {
				t.Error(err)
			}
		case isFile && name == "output":
			if outputs++; printed.String() != text {
				t.Errorf("the command prints\n%s\nthe document says\n%s", printed.String(), text)
			}
		case isFile:
			if err := os.WriteFile(filepath.Base(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("nothing runs a block of kind %q", kind)
		}
	}
	if outputs == 0 {
		t.Error("the document shows no output")
	}
}

// rows returns the cells of the rows of the table that begins with that head.
func rows(t *testing.T, text, head string) (list [][]string) {
	t.Helper()
	_, table, found := strings.Cut(text, head+"\n")
	if !found {
		t.Fatalf("docs/guides/migrate has no table %s", head)
	}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			break
		}
		if strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		list = append(list, cells)
	}
	return list
}

// verdictOf returns the word that a cell begins with.
func verdictOf(cell string) Verdict {
	word, _, _ := strings.Cut(cell, " ")
	return Verdict(strings.TrimRight(word, ":;"))
}

// TestDocumentedThumbor holds every example of the tables of thumbor and imagor, and that each filter of theirs is
// among them.
func TestDocumentedThumbor(t *testing.T) {
	for _, from := range []Product{Thumbor, Imagor} {
		named := map[string]bool{}
		for _, table := range []string{"| URL | here |", "| filter | here |"} {
			for _, row := range rows(t, document(t, string(from)), table) {
				for _, code := range docCode.FindAllStringSubmatch(row[0], -1) {
					holdThumbor(t, from, code[1], row[1], named)
				}
			}
		}
		for name := range filterRules {
			if !named[name] {
				t.Errorf("docs/guides/migrate/%s.md has no example of the filter %s", from, name)
			}
		}
	}
}

// holdThumbor compares what an example means with what the document says, and notes the filters that it names.
func holdThumbor(t *testing.T, from Product, path, says string, named map[string]bool) {
	t.Helper()
	if !strings.HasSuffix(path, ".png") && !strings.HasSuffix(path, ".gif") && !strings.Contains(path, "color:") {
		path += "/a.jpg"
	}
	r, ok := Translate("/"+hash+"/"+path, from)
	if want := verdictOf(says); !ok || r.Verdict != want {
		t.Errorf("%s from %s: %s %v %s, the document says %q", path, from, r.Verdict, r.Differences, r.Reason, says)
	}
	if parsed, err := imaging.Parse("unsafe/" + path); err == nil {
		for _, f := range parsed.Operations.Filters.List() {
			named[f.Name] = true
		}
	}
}

// TestDocumentedTranslations holds every row of the tables of imgproxy and imaginary.
func TestDocumentedTranslations(t *testing.T) {
	for _, product := range []struct {
		from          Product
		before, after string
	}{{Imgproxy, "/x/", "/plain/local:///a.jpg"}, {Imaginary, "/", "&file=a.jpg"}} {
		table := rows(t, document(t, string(product.from)), "| "+string(product.from)+" | here | |")
		if len(table) < 20 {
			t.Errorf("%s has %d rows", product.from, len(table))
		}
		for _, row := range table {
			r, ok := Translate(product.before+strings.Trim(row[0], "`")+product.after, product.from)
			want := strings.Trim(row[1], "`")
			if verdictOf(row[2]) != Refused {
				want = strings.TrimPrefix(want+"/a.jpg", "/")
			}
			if !ok || r.Verdict != verdictOf(row[2]) || r.Path != want {
				t.Errorf(
					"%s %s: %s %s %v %s, the document says %q, %s", product.from, row[0], r.Verdict, r.Path,
					r.Differences, r.Reason, row[1], row[2],
				)
			}
		}
	}
}
