package migrations_test

import (
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
