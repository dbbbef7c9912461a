package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// onDisk writes a file behind the gallery's back.
func (s *stage) onDisk(path, data string) {
	s.Helper()
	file := filepath.Join(s.Dir, path)
	must(s.T, os.MkdirAll(filepath.Dir(file), 0o755))
	must(s.T, os.WriteFile(file, []byte(data), 0o644))
}

// names lists a folder.
func (s *stage) names(folder string, o gallery.ListFilesOptions) string {
	s.Helper()
	l, err := s.ListFiles(s.Context(), folder, o)
	must(s.T, err)
	var names []string
	for _, i := range l.Items {
		names = append(names, i.Name)
	}
	if len(names) != l.TotalCount && o.Limit == 0 && o.Offset == 0 {
		s.Errorf("%s: %d of %d", folder, len(names), l.TotalCount)
	}
	return strings.Join(names, " ")
}

func (s *stage) lists(folder, expected string) {
	s.Helper()
	if have := s.names(folder, gallery.ListFilesOptions{}); have != expected {
		s.Errorf("%q lists %q, expected %q", folder, have, expected)
	}
}

// TestListingFollowsHands changes a local folder in every way that nobody tells the server of.
func TestListingFollowsHands(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.lists("", "")
		s.onDisk("a/one.png", png)
		s.onDisk("a/two.png", png)
		s.onDisk("top.png", png)
		s.lists("", "a top.png")
		s.lists("a", "one.png two.png")
		long := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(filepath.Join(s.Dir, "a"), long, long)) // from here on the folder's time is trusted
		s.lists("a", "one.png two.png")
		s.lists("a", "one.png two.png")
		s.onDisk("a/two.png", png+"grown in place")
		l, err := s.ListFiles(t.Context(), "a", gallery.ListFilesOptions{SortBy: gallery.SortBySize, Descending: true})
		if err != nil || l.Items[0].Name != "two.png" || l.Items[0].Size != int64(len(png)+14) {
			t.Errorf("after a change in place: %+v, %v", l.Items[0], err)
		}
		must(t, os.Remove(filepath.Join(s.Dir, "a/one.png")))
		must(t, os.Mkdir(filepath.Join(s.Dir, "a/one.png"), 0o755))
		s.lists("a", "one.png two.png")
		s.lists("a/one.png", "")
		must(t, os.Rename(filepath.Join(s.Dir, "a"), filepath.Join(s.Dir, "b")))
		s.lists("", "b top.png")
		s.lists("b", "one.png two.png")
		_, err = s.ListFiles(t.Context(), "a", gallery.ListFilesOptions{})
		want(t, err, fault.NotFound, "listing a folder that was renamed")
		must(t, os.RemoveAll(filepath.Join(s.Dir, "b")))
		s.lists("", "top.png")
		s.onDisk(".safelight/top.png.json", "{broken")
		if have := s.names("", gallery.ListFilesOptions{ShowHidden: true}); have != "top.png" {
			t.Errorf("what the server keeps for itself is listed: %s", have)
		}
		_, err = s.ListFiles(t.Context(), ".safelight", gallery.ListFilesOptions{})
		want(t, err, fault.NotFound, "listing what the server keeps for itself")
	})
}

// TestMoveFolder moves a folder with folders in it, and tries names that mean something to SQL.
func TestMoveFolder(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"100%_é/a.png", "100%_é/b/c.png", "100%_é0.png", "100%_é.png", "100x_é/d.png", "100%_é-b/e.png"} {
			s.Put(p, png)
		}
		s.lists("100%_é/b", "c.png")
		must(t, s.MoveFile(t.Context(), "100%_é", "new/🎉"))
		s.lists("new", "🎉")
		s.lists("new/🎉", "b a.png")
		s.lists("new/🎉/b", "c.png")
		s.lists("", "100%_é-b 100x_é new 100%_é.png 100%_é0.png")
		must(t, s.CopyFile(t.Context(), "new", "copy"))
		s.lists("copy/🎉", "b a.png")
		must(t, s.DeleteFile(t.Context(), "new"))
		s.lists("", "100%_é-b 100x_é copy 100%_é.png 100%_é0.png")
		want(t, s.MoveFile(t.Context(), "copy", "copy/x"), fault.Invalid, "moving a folder into itself")
		want(t, s.MoveFile(t.Context(), "copy", "100x_é"), fault.Conflict, "moving over a folder")
		var rows int
		must(t, db.QueryRow("SELECT count(*) FROM entries WHERE path LIKE 'new%'").Scan(&rows))
		if rows != 0 {
			t.Errorf("%d rows of a folder that was deleted", rows)
		}
		must(t, db.QueryRow("SELECT count(*) FROM intents").Scan(&rows))
		if rows != 0 {
			t.Errorf("%d intents after all is done", rows)
		}
	})
}

// TestManyExif reads the EXIF of a listing of more files than a statement of SQLite has arguments.
func TestManyExif(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		const files = 33_000
		must(t, database.Migrate(t.Context(), db, name))
		exec := func(statement string) {
			t.Helper()
			_, err := db.Exec(statement)
			must(t, err)
		}
		numbers, key := "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < %d)", "CAST(i || '.jpg' AS BLOB)"
		if name == dialect.Postgres {
			numbers, key = "WITH n AS (SELECT generate_series(3, %d) AS i)", "convert_to(i || '.jpg', 'UTF8')"
		}
		exec("INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) VALUES (1, '', 0, '', '', 0, 1), (2, 'f', 1, 'f', 'f', 0, 1)")
		exec(fmt.Sprintf(numbers, files+2) + ` INSERT INTO entries (id, path, parent_id, name, name_key, kind, type, meta_state, exif)
			SELECT i, 'f/' || i || '.jpg', 2, i || '.jpg', ` + key + `, 1, 'jpeg', 1, '{"Make":"' || i || '"}' FROM n`)
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory()
		s.Rules = s.Again()
		l, err := s.ListFiles(t.Context(), "f", gallery.ListFilesOptions{})
		must(t, err)
		if len(l.Items) != files {
			t.Fatalf("%d files", len(l.Items))
		}
		for _, i := range []int{0, files - 1} {
			f, err := l.Items[i].File(t.Context())
			must(t, err)
			tags, err := f.Exif(t.Context())
			must(t, err)
			if len(tags) != 1 || tags[0].Value+".jpg" != l.Items[i].Name {
				t.Errorf("the EXIF of %s is %+v", l.Items[i].Name, tags)
			}
		}
	})
}

// TestManyFiles reads folders of more entries than a page of the storage and a batch of the index hold.
func TestManyFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for i := range 1203 {
			s.onDisk(fmt.Sprintf("f/%04d.png", i), png)
		}
		l, err := s.ListFiles(t.Context(), "f", gallery.ListFilesOptions{Offset: 1200, Limit: 10})
		if err != nil || l.TotalCount != 1203 || len(l.Items) != 3 || l.Items[0].Name != "1200.png" {
			t.Fatalf("%+v, %v", l, err)
		}
		must(t, s.MoveFile(t.Context(), "f", "g/h"))
		all := strings.Fields(s.names("g/h", gallery.ListFilesOptions{}))
		if len(all) != 1203 || !slices.IsSorted(all) {
			t.Errorf("%d names after the move", len(all))
		}
	})
}
