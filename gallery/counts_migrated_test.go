package gallery_test

import (
	"database/sql"
	"io/fs"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/migrations"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// migrator returns what migrates a database step by step.
func migrator(t *testing.T, db *sql.DB, name string) *goose.Provider {
	t.Helper()
	files, err := fs.Sub(migrations.Files, strings.TrimSuffix(name, "3"))
	must(t, err)
	kind := goose.DialectSQLite3
	if name == "postgres" {
		kind = goose.DialectPostgres
	}
	p, err := goose.NewProvider(kind, db, files)
	must(t, err)
	return p
}

// TestMigratedCounts migrates an index that has files, forth, back and forth; the stage compares all counts at the end.
func TestMigratedCounts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		const before = 20261122214500
		p := migrator(t, db, name)
		_, err := p.UpTo(t.Context(), before)
		must(t, err)
		fillIndex(t, db, name, 300)
		_, err = db.Exec("INSERT INTO taggings (entry_id, key, name) VALUES (9999999, 'lost', 'lost')")
		must(t, err)
		for range 2 {
			_, err = p.Up(t.Context())
			must(t, err)
			_, err = p.DownTo(t.Context(), before)
			must(t, err)
			_, err = db.Exec("DELETE FROM entries WHERE kind = 1 AND id % 7 = 0")
			must(t, err)
		}
		s := newStage(t, db, name, gallerytest.Config{})
		if n := s.total(gallery.BrowseOptions{}); n < 100 || n >= 300 {
			t.Errorf("%d files are counted", n)
		}
	})
}
