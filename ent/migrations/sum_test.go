package migrations_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	atlas "ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
)

// TestSums fails if a migration was added, changed or removed without its checksum in atlas.sum.
func TestSums(t *testing.T) {
	for _, folder := range []string{"sqlite", "postgres"} {
		dir, err := sqltool.NewGooseDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := atlas.Validate(dir); err != nil {
			t.Errorf(
				"%s/atlas.sum: %v: run go run ./ent/migrations/generate hash, unless the file is released",
				folder, err,
			)
		}
	}
}

// TestNoRebuild fails if a migration goes down, or copies a table of SQLite into a new one as the generator does when an
// index or a column changes. Migrations run in a transaction, in which SQLite ignores PRAGMA foreign_keys: dropping the
// old table would delete the rows that refer to it, and its triggers.
func TestNoRebuild(t *testing.T) {
	files, err := filepath.Glob("*/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, never := range []string{"+goose Down", "PRAGMA foreign_keys"} {
			if strings.Contains(string(text), never) {
				t.Errorf("%s has %q: see \"Write a migration\" in CONTRIBUTING.md", file, never)
			}
		}
	}
}
