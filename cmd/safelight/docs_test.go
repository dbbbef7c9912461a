package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestDocsExport exports the documentation: every example is rendered in the format that its name says, and the files
// are those that the server sends.
func TestDocsExport(t *testing.T) {
	dir, server := startInEmptyFolder(t, "--docs", "public")
	out := filepath.Join(dir, "site")
	if _, stderr, err := inFolder(t, t.TempDir(), "", "docs", "export", out); err != nil {
		t.Fatal(err, stderr)
	}
	url := server.field(bannerURL)
	pages := 0
	err := filepath.WalkDir(out, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		exported, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, out+string(filepath.Separator)))
		kind, example := strings.TrimPrefix(path.Ext(name), "."), strings.HasPrefix(name, "examples/")
		if want, _ := imaging.ParseFormat(kind); example && kind != "json" && imaging.SniffFormat(exported) != want {
			t.Errorf("%s is a %s", name, imaging.SniffFormat(exported))
		}
		if example && (testing.Short() || pages%7 != 0) { // rendering all of them twice would take a minute
			pages++
			return nil
		}
		pages++
		response, err := http.Get(url + "/docs/" + name)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var served bytes.Buffer
		if _, err := served.ReadFrom(response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK || !bytes.Equal(served.Bytes(), exported) {
			t.Errorf("GET /docs/%s answers %s with other bytes than the export", name, response.Status)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 100 {
		t.Errorf("the export has %d files", pages)
	}
	if _, _, err := inFolder(t, t.TempDir(), "", "docs", "export", out); err == nil ||
		!strings.Contains(err.Error(), "is not empty") {
		t.Errorf("docs export to a folder with files: %v", err)
	}
}
