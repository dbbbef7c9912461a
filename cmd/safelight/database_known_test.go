package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile replaces a file whose old content is still open under another name.
func TestReplaceFile(t *testing.T) {
	folder := t.TempDir()
	name, old := filepath.Join(folder, "database.json"), filepath.Join(folder, "old")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(old, name); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{name: "new", old: "old"} {
		if b, err := os.ReadFile(file); string(b) != want {
			t.Errorf("%s holds %q, %v, expected %q", file, b, err, want)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := replaceFile(filepath.Join(old, "none"), nil); err == nil {
		t.Error("a file was written below a file")
	}
	if entries, err := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
