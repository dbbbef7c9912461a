package gallery_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// TestMoveMany moves an index of many files to PostgreSQL and back: SAFELIGHT_BENCH_MOVE=1000000, which `make
// bench-move` sets. 200 queries have the same results and counts on all three.
func TestMoveMany(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_MOVE"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_MOVE names no number of files: make bench-move sets it")
	}
	first, last := filepath.Join(t.TempDir(), "first.db"), filepath.Join(t.TempDir(), "last.db")
	middle := moves.End{Postgres: databasetest.EmptyPostgres(t), Place: "PostgreSQL"}
	db := opening(t, "sqlite3", first)
	must(t, database.Migrate(access.All(t.Context()), db, "sqlite3"))
	began := time.Now()
	fillIndex(t, db, "sqlite3", files, 2000)
	t.Logf("%d rows in %v", files, time.Since(began).Round(time.Second))
	want, before := results(t, db, "sqlite3"), digest(t, db, "sqlite3")

	for _, step := range []struct {
		from, to      moves.End
		dialect, file string
	}{
		{moves.End{File: first, Place: first}, middle, "postgres", middle.Postgres},
		{middle, moves.End{File: last, Place: last}, "sqlite3", last},
	} {
		began := time.Now()
		_, err := moves.Run(access.All(t.Context()), step.from, step.to, func(string, int64, bool) {})
		must(t, err)
		took := time.Since(began)
		t.Logf(
			"%d files to %s in %v, %.0f a second", files, step.dialect, took.Round(100*time.Millisecond),
			float64(files)/took.Seconds(),
		)
		moved := opening(t, step.dialect, step.file)
		if after := digest(t, moved, step.dialect); !slices.Equal(after, before) {
			t.Errorf("%s holds %v, expected %v", step.dialect, after, before)
		}
		for i, got := range results(t, moved, step.dialect) {
			if got != want[i] {
				t.Errorf("query %d on %s: %.500s\nexpected %.500s", i, step.dialect, got, want[i])
			}
		}
	}
}

func opening(t *testing.T, driver, place string) *sql.DB {
	t.Helper()
	if driver == "sqlite3" {
		place = "file:" + (&url.URL{Path: place}).EscapedPath() +
			"?_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=OFF&_cache_size=-1000000"
	}
	db, err := sql.Open(driver, place)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func digest(t *testing.T, db *sql.DB, name string) []moves.Table {
	t.Helper()
	list, err := moves.Digest(access.All(t.Context()), moves.Database{DB: db, Dialect: name})
	must(t, err)
	return list
}

// results are the results of 200 queries.
func results(t *testing.T, db *sql.DB, name string) []string {
	s := newStage(t, db, name, gallerytest.Config{})
	s.Store = storage.NewMemory()
	s.Rules = s.Again()
	var list []string
	for i := range 200 {
		words := []string{
			"",
			"img",
			fmt.Sprintf("w%02d", i),
			fmt.Sprintf("%07d", i*4999),
			"mg",
			fmt.Sprintf("0%02d", i%100),
		}
		orders := []gallery.Sort{
			gallery.SortName,
			gallery.SortSize,
			gallery.SortModified,
			gallery.SortTaken,
			gallery.SortDimensions,
		}
		n := int32(1 + i%100)
		o := gallery.BrowseOptions{
			Recursive:  true,
			Search:     words[i%len(words)],
			Sort:       orders[i%len(orders)],
			Descending: i%3 == 0,
			First:      &n,
		}
		if i%4 == 0 {
			o.Folder = fmt.Sprintf("f%04d", i*7%2000)
		}
		list = append(list, result(access.All(t.Context()), t, s, o))
	}
	return list
}

func result(ctx context.Context, t *testing.T, s *stage, o gallery.BrowseOptions) string {
	t.Helper()
	c, err := s.Files(ctx, o)
	must(t, err)
	text, err := json.Marshal(c.Nodes())
	must(t, err)
	return fmt.Sprintf("%d %s", s.exact(c), text)
}
