package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// rows returns how many visible files the index has below a folder.
func (m *mounted) rows(folder string) (n int) {
	m.Helper()
	err := m.Pool.QueryRow("SELECT count(*) FROM entries WHERE kind = 1 AND path LIKE '" + folder + "%'").Scan(&n)
	must(m.T, err)
	return n
}

// clearFolder removes everything in a folder, as another program would.
func clearFolder(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		must(t, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
}

// TestEmptied checks that a storage or mount counts as lost if it is completely empty although many files are
// indexed. Its rows must stay, because otherwise albums would lose the files.
func TestEmptied(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Context()
		for i := range 12 {
			m.Put(fmt.Sprintf("scans/sub/%d.png", i), png)
		}
		m.Put("a.png", png)
		must(t, m.ScanNow(ctx, ""))
		clearFolder(t, m.scans)
		want(t, m.ScanNow(ctx, ""), fault.Unavailable, "a scan of a mount that is empty")
		_, err := m.Folder(ctx, "scans")
		want(t, err, fault.Unavailable, "its folder")
		_, err = m.File(ctx, "scans/sub/3.png")
		want(t, err, fault.Unavailable, "a file")
		if n := m.rows("scans/"); n != 12 {
			t.Errorf("the index has %d files of the mount", n)
		}
		// Once a file exists again, the storage is treated normally.
		must(t, os.WriteFile(filepath.Join(m.scans, "b.png"), []byte(png), 0o644))
		must(t, m.ScanNow(ctx, ""))
		if n := m.rows("scans/"); n != 1 {
			t.Errorf("the index has %d files of the mount, expected the new one", n)
		}
		must(t, os.Remove(filepath.Join(m.scans, "b.png")))
		must(t, m.ScanNow(ctx, ""))
		if n := m.rows("scans/"); n != 0 {
			t.Errorf("a file that another program removed is still in the index: %d", n)
		}
	})
}

// TestEmptiedStorage is TestEmptied for the main storage, with and without the setting that allows it to be
// empty.
func TestEmptiedStorage(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
			s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{MayBeEmptied: allowed}})
			ctx := s.Context()
			for i := range 12 {
				s.Put(fmt.Sprintf("%d.png", i), png)
			}
			must(t, s.ScanNow(ctx, ""))
			clearFolder(t, s.Dir)
			err := s.ScanNow(ctx, "")
			m := &mounted{stage: s}
			if n := m.rows(""); allowed && (n != 0 || err != nil) ||
				!allowed && (n != 12 || fault.CodeOf(err) != fault.Unavailable) {
				t.Errorf("allowed %v: %d files are left, %v", allowed, n, err)
			}
		})
	}
}

// TestAllMissing compares an index with other storages.
func TestAllMissing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		ctx, db := s.Context(), database.New(pool, name)
		missing := func(store storage.Store) string {
			t.Helper()
			list, err := gallery.AllMissing(ctx, db, store, "samples/welcome.jpg")
			must(t, err)
			if len(list) == 0 {
				return ""
			}
			return list[0].String()
		}
		empty := storage.NewMemory()
		s.Put("samples/welcome.jpg", png)
		if m := missing(empty); m != "" {
			t.Errorf("an index with nothing but the sample: %s", m)
		}
		s.Put("a/b.png", png)
		if m := missing(empty); m != "the storage does not have the only file that the index knows, a/b.png" {
			t.Error(m)
		}
		s.Put("c.png", png)
		if m := missing(empty); m != "the storage has none of the files that the index knows (2, such as a/b.png)" {
			t.Error(m)
		}
		_, err := s.TrashFile(s.Someone(auth.RoleAdmin), "c.png")
		must(t, err)
		for _, store := range []storage.Store{s.Store,
			storage.NewUnavailable(fault.New(fault.Unavailable, "it is down"))} {
			if m := missing(store); m != "" {
				t.Errorf("the storage of the index, or one that does not answer: %s", m)
			}
		}
	})
}
