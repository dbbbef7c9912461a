package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

// countsMatch holds that totalCount is the number of files, and of folders, that its pages show.
func (s *stage) countsMatch(when string, folders ...string) {
	s.Helper()
	for _, folder := range folders {
		for _, recursive := range []bool{false, true} {
			for _, template := range []*bool{nil, ptr(false), ptr(true)} {
				o := gallery.BrowseOptions{Folder: folder, Recursive: recursive, Filter: search.Filter{IsTemplate: template}, First: ptr(int32(100))}
				files, err := s.Files(s.Context(), o)
				must(s.T, err)
				if total, err := files.TotalCount(s.Context()); err != nil || int(total) != len(files.Edges) {
					s.Errorf("%s: %q, recursive %v: %d files, expected %d (%v)", when, folder, recursive, total, len(files.Edges), err)
				}
			}
			dirs, err := s.Folders(s.Context(), gallery.BrowseOptions{Folder: folder, Recursive: recursive})
			must(s.T, err)
			if total, err := dirs.TotalCount(s.Context()); err != nil || int(total) != len(dirs.Edges) {
				s.Errorf("%s: %q, recursive %v: %d folders, expected %d (%v)", when, folder, recursive, total, len(dirs.Edges), err)
			}
		}
		for _, o := range []gallery.ListFilesOptions{{}, {ShowHidden: true}, {OnlyFiles: true}, {OnlyFolders: true}, {Extensions: []string{"png"}}} {
			list, err := s.ListFiles(s.Context(), folder, o)
			must(s.T, err)
			if list.TotalCount != len(list.Items) {
				s.Errorf("%s: listFiles of %q with %+v: %d, expected %d", when, folder, o, list.TotalCount, len(list.Items))
			}
		}
	}
}

// TestCounts changes a gallery in every way that moves a file from one count to another.
func TestCounts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		for _, p := range []string{"a.png", "d/b.png", "d/e/c.png", "d/e/.dot.png", "d/.hidden/f.png", ".top/g.png", "d/look.template.json", "d/LOUD.Template.JSON",
			"d/look.template.preview.webp", "d/e/x.template.preview.webp", "d/LOUD.TEMPLATE.PREVIEW.WEBP", ".x.template.json", "a..png", "-.png"} {
			s.onDisk(p, png)
		}
		s.scan()
		folders := []string{"", "d", "d/e", "d/.hidden", ".top"}
		s.countsMatch("after a scan", folders...)
		must(t, s.MoveFile(t.Context(), "a.png", "d/a.template.json"))
		must(t, s.MoveFile(t.Context(), "d/look.template.json", "d/look.png"))
		must(t, os.Rename(filepath.Join(s.Dir, "d/b.png"), filepath.Join(s.Dir, "d/.b.png")))
		s.scan()
		s.countsMatch("after renaming", folders...)
		must(t, os.Rename(filepath.Join(s.Dir, "d/e"), filepath.Join(s.Dir, ".e")))
		s.scan()
		s.countsMatch("after hiding a folder", "", "d", ".e")
		must(t, os.Rename(filepath.Join(s.Dir, ".e"), filepath.Join(s.Dir, "e")))
		s.scan()
		trashed, err := s.TrashFile(t.Context(), "d")
		must(t, err)
		s.countsMatch("after trashing a folder", "", "e")
		_, err = s.RestoreFile(t.Context(), trashed.ID, gallery.ConflictError)
		must(t, err)
		s.countsMatch("after restoring it", "", "d", "e")
		if _, err := db.Exec("UPDATE entry_counts SET n = n + 1"); err != nil { // what the next line compares is what triggers keep
			t.Fatal(err)
		}
		files, err := s.Files(t.Context(), gallery.BrowseOptions{Recursive: true})
		must(t, err)
		if total, err := files.TotalCount(t.Context()); err != nil || int(total) == len(files.Edges) {
			t.Errorf("totalCount does not come from entry_counts: %d, %v", total, err)
		}
		_, err = db.Exec("UPDATE entry_counts SET n = n - 1")
		must(t, err)
	})
}

// TestCountsOfCrowd writes into a few folders at once; the stage compares all counts at the end.
func TestCountsOfCrowd(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := range 12 {
					file := fmt.Sprintf("f%d/%d-%d.png", n%2, i, n)
					s.Put(file, png)
					if n%3 == 0 {
						must(t, s.DeleteFile(t.Context(), file))
					} else if n%3 == 1 {
						must(t, s.MoveFile(t.Context(), file, fmt.Sprintf("f%d/moved-%d-%d.png", (n+1)%2, i, n)))
					}
				}
			})
		}
		wg.Wait()
		s.countsMatch("after a crowd", "", "f0", "f1")
	})
}
