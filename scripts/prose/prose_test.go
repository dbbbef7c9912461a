package prose

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxInComments is how many phrases the Go files outside of clean may hold: lower it as they go, never raise it.
const maxInComments = 0

// clean are the folders whose Go files hold none.
var clean = []string{
	".", "accounts", "audit", "auth", "cache", "cache/lru", "cache/singleflight", "cmd/safelight", "database", "database/databasetest",
	"ent/migrations", "ent/migrations/generate", "ent/schema", "examples/go", "examples/go/walk", "fault", "gallery", "gallery/backend",
	"gallery/gallerytest", "gallery/pathlock", "gallery/words", "graph", "imaging", "imaging/hostile", "imaging/sandbox", "imaging/vips", "imaging/worker",
	"schema", "scripts/bench", "scripts/prose", "server", "server/admission", "signing", "storage", "storage/remote", "storage/storagetest", "templates", "uploads", "web",
}

// TestTexts reads what users, operators and developers of clients read.
func TestTexts(t *testing.T) {
	for _, name := range files(t, isText) {
		data := read(t, name)
		pieces := quotedTexts(data)
		if strings.HasSuffix(name, ".md") {
			pieces = markdown(data)
		}
		for _, p := range pieces {
			for _, f := range find(p.text, !strings.HasSuffix(name, ".md")) {
				t.Errorf("%s:%d: %s", name, p.line, f)
			}
		}
	}
}

func isText(name string) bool {
	switch dir, base := path.Dir(name), path.Base(name); {
	case strings.HasSuffix(name, ".graphql"):
		return dir == "schema" || strings.HasPrefix(dir, "examples/")
	case strings.HasSuffix(name, ".md"):
		return dir == "." || strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "examples/")
	case strings.HasPrefix(name, "web/src/"):
		return strings.HasPrefix(base, "messages") && !strings.Contains(base, ".test.") || name == "web/src/messages/en.json"
	default:
		return name == "server/openapi.json"
	}
}

// TestSettings reads the help of settings and commands.
func TestSettings(t *testing.T) {
	for _, name := range []string{"cmd/safelight/settings_table.go", "cmd/safelight/settings_kinds.go", "cmd/safelight/run.go", "imaging/table.go"} {
		pieces, err := goTexts(name, read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			for _, f := range find(p.text, false) {
				t.Errorf("%s:%d: %s", name, p.line, f)
			}
		}
	}
}

// TestComments reads Go comments and messages: none in the clean folders, no more than there were elsewhere.
func TestComments(t *testing.T) {
	total := 0
	byFolder := map[string]int{}
	for _, name := range files(t, func(n string) bool { return strings.HasSuffix(n, ".go") }) {
		pieces, err := goTexts(name, read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			for _, f := range find(p.text, false) {
				if slices.Contains(clean, path.Dir(name)) {
					t.Errorf("%s:%d: %s", name, p.line, f)
					continue
				}
				total++
				byFolder[path.Dir(name)]++
				if os.Getenv("PROSE") != "" { // PROSE=1 lists what is left
					t.Logf("%s:%d: %s", name, p.line, f)
				}
			}
		}
	}
	if total > maxInComments {
		t.Errorf("comments and messages hold %d phrases that prose does not use, %d were there; PROSE=1 go test -v lists them", total, maxInComments)
	}
	t.Logf("%d left of at most %d: %v", total, maxInComments, byFolder)
	for _, dir := range clean {
		if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
			t.Errorf("the clean folder %s does not exist", dir)
		}
	}
}

// TestRulesCanFail feeds each reader a sentence that breaks a rule, and one that does not.
func TestRulesCanFail(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ui         bool
		want       int
	}{
		{"inversion", "It is no picture that this server reads", false, 1},
		{"over two lines", "The file lies\n\tin the folder", false, 1},
		{"archaic for", "It is kept, for it is small", false, 1},
		{"two of them", "Dear work gives way", false, 2},
		{"British in the UI", "The dominant colour", true, 1},
		{"British in a comment", "The dominant colour", false, 0},
		{"plain", "Returns NOT_FOUND if the file does not exist.", true, 0},
		{"part of a word", "The beard of the dearth", false, 0},
	} {
		if found := find(c.text, c.ui); len(found) != c.want {
			t.Errorf("%s: found %q, want %d", c.name, found, c.want)
		}
	}
	source := []byte("package p\n\n// It lies in a folder.\nvar e = fault.New(fault.Invalid, \"it is none\")\nvar s = \"lies in\"\n")
	pieces, err := goTexts("p.go", source)
	if err != nil || count(pieces) != 2 || pieces[1].line != 4 {
		t.Errorf("goTexts found %+v, %v", pieces, err)
	}
	if pieces := markdown([]byte("One\nlies in two.\n\n```sh\nlies in code\n```\n- `lies in code` three\n")); count(pieces) != 1 || len(pieces) != 2 {
		t.Errorf("markdown found %+v", pieces)
	}
	if pieces := quotedTexts([]byte("type T {\n  \"What lies in it.\"\n  a: Int\n}\n")); count(pieces) == 0 || pieces[0].line != 2 {
		t.Errorf("quotedTexts found %+v", pieces)
	}
}

func count(pieces []piece) (n int) {
	for _, p := range pieces {
		n += len(find(p.text, false))
	}
	return n
}
