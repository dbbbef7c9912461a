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

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// onDisk writes a file directly to the disk, without the gallery.
func (s *stage) onDisk(path, data string) {
	s.Helper()
	file := filepath.Join(s.Dir, path)
	must(s.T, os.MkdirAll(filepath.Dir(file), 0o755))
	must(s.T, os.WriteFile(file, []byte(data), 0o644))
}

// names returns the listing of a folder.
func (s *stage) names(folder string) string {
	s.Helper()
	names, err := s.Names(s.Context(), folder)
	must(s.T, err)
	return strings.Join(names, " ")
}

// allNames is names including hidden entries.
func (s *stage) allNames(folder string) string {
	s.Helper()
	names, err := s.AllNames(s.Context(), folder)
	must(s.T, err)
	return strings.Join(names, " ")
}

func (s *stage) lists(folder, expected string) {
	s.Helper()
	if have := s.names(folder); have != expected {
		s.Errorf("%q lists %q, expected %q", folder, have, expected)
	}
}

// TestListingFollowsHands changes a local folder in all ways without notifying the server.
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
		must(t, os.Chtimes(filepath.Join(s.Dir, "a"), long, long)) // from now on, the time of the folder is trusted
		s.lists("a", "one.png two.png")
		s.lists("a", "one.png two.png")
		s.onDisk("a/two.png", png+"grown in place")
		c, err := s.Files(access.All(t.Context()),
			gallery.BrowseOptions{Folder: "a", Sort: gallery.SortSize, Descending: true})
		must(t, err)
		if f := c.Edges[0].Node; f.Name() != "two.png" || f.Size() != int64(len(png)+14) {
			t.Errorf("after a change in place: %s of %d bytes", f.Name(), f.Size())
		}
		must(t, os.Remove(filepath.Join(s.Dir, "a/one.png")))
		must(t, os.Mkdir(filepath.Join(s.Dir, "a/one.png"), 0o755))
		s.lists("a", "one.png two.png")
		s.lists("a/one.png", "")
		must(t, os.Rename(filepath.Join(s.Dir, "a"), filepath.Join(s.Dir, "b")))
		s.lists("", "b top.png")
		s.lists("b", "one.png two.png")
		_, err = s.Names(access.All(t.Context()), "a")
		want(t, err, fault.NotFound, "listing a folder that was renamed")
		must(t, os.RemoveAll(filepath.Join(s.Dir, "b")))
		s.lists("", "top.png")
		s.onDisk(".safelight/top.png.json", "{broken")
		if have := s.allNames(""); have != "top.png" {
			t.Errorf("what the server keeps for itself is listed: %s", have)
		}
		_, err = s.Names(access.All(t.Context()), ".safelight")
		want(t, err, fault.NotFound, "listing what the server keeps for itself")
	})
}

// TestMoveFolder moves a folder with subfolders, and uses names with special meaning in SQL.
func TestMoveFolder(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"100%_é/a.png", "100%_é/b/c.png", "100%_é0.png", "100%_é.png", "100x_é/d.png",
			"100%_é-b/e.png"} {
			s.Put(p, png)
		}
		s.lists("100%_é/b", "c.png")
		must(t, s.MoveFile(access.All(t.Context()), "100%_é", "new/🎉"))
		s.lists("new", "🎉")
		s.lists("new/🎉", "b a.png")
		s.lists("new/🎉/b", "c.png")
		s.lists("", "100%_é-b 100x_é new 100%_é.png 100%_é0.png")
		must(t, s.CopyFile(access.All(t.Context()), "new", "copy"))
		s.lists("copy/🎉", "b a.png")
		must(t, s.DeleteFile(access.All(t.Context()), "new"))
		s.lists("", "100%_é-b 100x_é copy 100%_é.png 100%_é0.png")
		want(t, s.MoveFile(access.All(t.Context()), "copy", "copy/x"), fault.Invalid, "moving a folder into itself")
		want(t, s.MoveFile(access.All(t.Context()), "copy", "100x_é"), fault.Conflict, "moving over a folder")
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

// TestManyFiles reads folders with more entries than a page of the storage or a batch of the index.
func TestManyFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for i := range 1203 {
			s.onDisk(fmt.Sprintf("f/%04d.png", i), png)
		}
		c, err := s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "f", Skip: 1200})
		must(t, err)
		if total := s.exact(c); total != 1203 || len(c.Edges) != 3 || c.Edges[0].Node.Name() != "1200.png" {
			t.Fatalf("%d of %d files", len(c.Edges), total)
		}
		must(t, s.MoveFile(access.All(t.Context()), "f", "g/h"))
		all := strings.Fields(s.names("g/h"))
		if len(all) != 1203 || !slices.IsSorted(all) {
			t.Errorf("%d names after the move", len(all))
		}
	})
}
