//go:build !no_ui

package web

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"testing"
)

// TestFiles: the program has every file of dist, once and uncompressed. go:embed leaves out those whose names begin
// with a dot or an underscore.
func TestFiles(t *testing.T) {
	built, files := os.DirFS("dist"), Files()
	count := 0
	err := fs.WalkDir(built, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		count++
		if ending := path.Ext(name); ending == ".br" || ending == ".gz" {
			t.Errorf("dist/%s is a compressed copy; the server compresses", name)
		}
		want, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		if have, err := fs.ReadFile(files, name); err != nil || !bytes.Equal(have, want) {
			t.Errorf("the program has %d of %d bytes of dist/%s: %v", len(have), len(want), name, err)
		}
		return nil
	})
	if err != nil || count < 2 {
		t.Errorf("%d files: %v", count, err)
	}
}
