package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// countsMatch checks that totalCount equals the number of files, and of folders, on the pages.
func (s *stage) countsMatch(when string, folders ...string) {
	s.Helper()
	for _, folder := range folders {
		for _, recursive := range []bool{false, true} {
			for _, template := range []*bool{nil, ptr(false), ptr(true)} {
				o := gallery.BrowseOptions{
					Folder:    folder,
					Recursive: recursive,
					Filter:    search.Filter{IsTemplate: template},
					First:     ptr(int32(100)),
				}
				files, err := s.Files(s.Context(), o)
				must(s.T, err)
				if total := s.exact(files); total != len(files.Edges) {
					s.Errorf(
						"%s: %q, recursive %v: %d files, expected %d", when, folder, recursive, total,
						len(files.Edges),
					)
				}
			}
			dirs, err := s.Folders(s.Context(), gallery.BrowseOptions{Folder: folder, Recursive: recursive})
			must(s.T, err)
			if total := s.exact(dirs); total != len(dirs.Edges) {
				s.Errorf(
					"%s: %q, recursive %v: %d folders, expected %d", when, folder, recursive, total,
					len(dirs.Edges),
				)
			}
		}
	}
}

// TestCounts changes a gallery in all ways that affect counts.
func TestCounts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		for _, p := range []string{"a.png", "d/b.png", "d/e/c.png", "d/e/.dot.png", "d/.hidden/f.png", ".top/g.png",
			"d/look.template.json", "d/LOUD.Template.JSON",
			"d/look.template.preview.webp", "d/e/x.template.preview.webp", "d/LOUD.TEMPLATE.PREVIEW.WEBP",
			".x.template.json", "a..png", "-.png"} {
			s.onDisk(p, png)
		}
		s.scan()
		folders := []string{"", "d", "d/e", "d/.hidden", ".top"}
		s.countsMatch("after a scan", folders...)
		must(t, s.MoveFile(access.All(t.Context()), "a.png", "d/a.template.json"))
		must(t, s.MoveFile(access.All(t.Context()), "d/look.template.json", "d/look.png"))
		must(t, os.Rename(filepath.Join(s.Dir, "d/b.png"), filepath.Join(s.Dir, "d/.b.png")))
		s.scan()
		s.countsMatch("after renaming", folders...)
		must(t, os.Rename(filepath.Join(s.Dir, "d/e"), filepath.Join(s.Dir, ".e")))
		s.scan()
		s.countsMatch("after hiding a folder", "", "d", ".e")
		must(t, os.Rename(filepath.Join(s.Dir, ".e"), filepath.Join(s.Dir, "e")))
		s.scan()
		trashed, err := s.TrashFile(access.All(t.Context()), "d")
		must(t, err)
		s.countsMatch("after trashing a folder", "", "e")
		_, err = s.RestoreFile(access.All(t.Context()), trashed.ID, gallery.ConflictError)
		must(t, err)
		s.countsMatch("after restoring it", "", "d", "e")
		// The next line compares the counts that triggers maintain.
		if _, err := db.Exec("UPDATE entry_counts SET n = n + 1"); err != nil {
			t.Fatal(err)
		}
		files, err := s.Files(access.All(t.Context()), gallery.BrowseOptions{Recursive: true})
		must(t, err)
		if total := s.exact(files); total == len(files.Edges) {
			t.Errorf("totalCount does not come from entry_counts: %d", total)
		}
		_, err = db.Exec("UPDATE entry_counts SET n = n - 1")
		must(t, err)
	})
}

// TestCountsOfCrowd writes to a few folders concurrently. The stage compares all counts at the end.
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
						must(t, s.DeleteFile(access.All(t.Context()), file))
					} else if n%3 == 1 {
						must(t, s.MoveFile(access.All(t.Context()), file,
							fmt.Sprintf("f%d/moved-%d-%d.png", (n+1)%2, i, n)))
					}
				}
			})
		}
		wg.Wait()
		s.countsMatch("after a crowd", "", "f0", "f1")
	})
}

// exact returns the exact totalCount of a connection. The limited count must be the same, or nil beyond the
// limit.
func (s *stage) exact(c interface {
	TotalCount(ctx context.Context, exact bool) (*int32, error)
}) int {
	s.Helper()
	n, err := c.TotalCount(s.Context(), true)
	must(s.T, err)
	capped, err := c.TotalCount(s.Context(), false)
	must(s.T, err)
	switch {
	case n == nil:
		s.Fatal("the exact totalCount is nil")
	case capped == nil && *n <= search.CountLimit, capped != nil && *capped != *n:
		s.Errorf("totalCount is %v, the exact one %d", capped, *n)
	}
	return int(*n)
}

// TestCountsOfSearches counts searches with over 10,000 matches, with few matches, and in between, and
// changes some files.
func TestCountsOfSearches(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		fillIndex(t, db, name, 12_000, 2000)
		exec := func(query string) {
			t.Helper()
			_, err := db.Exec(query)
			must(t, err)
		}
		exec(
			"INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE kind = 1 AND id " +
				"< 13500",
		)
		exec(
			"INSERT INTO taggings (entry_id, key, name) SELECT id, 'lake', 'Lake' FROM entries WHERE kind = 1 AND " +
				"id < 3500",
		)
		exec("UPDATE entries SET type = 'png', rating = 1 WHERE kind = 1 AND id < 2012")
		exec("UPDATE entries SET colors = '" + colors.Stored(&imaging.RGB{R: 128, G: 128, B: 128}, nil) +
			"' WHERE kind = 1")
		exec("UPDATE entries SET colors = '" + colors.Stored(&imaging.RGB{R: 9, G: 9, B: 9}, nil) +
			"' WHERE kind = 1 AND id < 3200")
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory() // it does not report the folders as missing
		s.Rules = s.Again()
		templates := ptr(false)
		wide := 0.3
		check := func(when string, counts map[string]int, capped ...string) {
			t.Helper()
			for what, o := range map[string]gallery.BrowseOptions{
				"everything":           {},
				"a type":               {Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}}},
				"a word":               {Search: " IMG "},
				"a word, no templates": {Search: "img", Filter: search.Filter{IsTemplate: templates}},
				"two words":            {Search: "jpg img jpg"},
				"a word and a type": {Search: "img", Filter: search.Filter{
					Formats: []imaging.Format{imaging.PNG}}},
				"a word and a tag":      {Search: "img", Filter: search.Filter{Tags: []string{"sea"}}},
				"a word below a folder": {Search: "img", Folder: "f0007"},
				"a tag":                 {Filter: search.Filter{Tags: []string{"SEA"}}},
				"a tag, no templates":   {Filter: search.Filter{Tags: []string{"sea"}, IsTemplate: templates}},
				"a tag of some":         {Filter: search.Filter{Tags: []string{"lake"}}},
				"two tags":              {Filter: search.Filter{Tags: []string{"lake", "sea"}}},
				"a rating":              {Filter: search.Filter{MinRating: ptr(int32(1))}},
				"no place":              {Filter: search.Filter{HasGps: ptr(false), MaxRating: ptr(int32(0))}},
				"a color": {Filter: search.Filter{
					Color: &search.ColourFilter{Colour: "808080", Within: &wide}}},
				"a color and a rare tag": {Filter: search.Filter{
					Color: &search.ColourFilter{Colour: "808080", Within: &wide}, Tags: []string{"lake"}}},
			} {
				o.Recursive = true
				files, err := s.Files(access.All(t.Context()), o)
				must(t, err)
				want, listed := counts[what]
				if got := s.exact(files); listed && got != want {
					t.Errorf("%s, %s: %d, expected %d", when, what, got, want)
				}
				n, err := files.TotalCount(access.All(t.Context()), false)
				must(t, err)
				if unknown := n == nil; unknown != slices.Contains(capped, what) {
					t.Errorf("%s, %s: the number is left open: %v", when, what, unknown)
				}
			}
		}
		var rated, placeless int
		must(
			t,
			db.QueryRow("SELECT count(CASE WHEN rating > 0 THEN 1 END), count(CASE WHEN rating = 0 AND NOT has_gps "+
				"THEN 1 END) FROM entries WHERE kind = 1").
				Scan(&rated, &placeless),
		)
		open := []string{
			"a word",
			"a word, no templates",
			"two words",
			"a word and a tag",
			"a tag",
			"a tag, no templates",
			"a tag of some",
			"two tags",
			"no place",
			"a color",
		}
		check(
			"at first",
			map[string]int{
				"everything":             12_000,
				"a type":                 11_990,
				"a type of two lists":    10,
				"a word":                 12_000,
				"a word, no templates":   12_000,
				"two words":              12_000,
				"a word and a type":      10,
				"a word and a tag":       11_498,
				"a word below a folder":  6,
				"a tag":                  11_498,
				"a tag, no templates":    11_498,
				"a tag of some":          1498,
				"two tags":               1498,
				"a rating":               rated,
				"no place":               placeless,
				"a color":                10_802,
				"a color and a rare tag": 300,
			},
			open...)
		exec("UPDATE entries SET hidden = TRUE WHERE id BETWEEN 3000 AND 3009")
		exec("UPDATE entries SET words = 'other' WHERE id BETWEEN 3010 AND 3012")
		exec("UPDATE entries SET meta_state = 3, name = 'img.template.json', type = '' WHERE id IN (3020, 3021)")
		exec("UPDATE entries SET colors = '-' WHERE id BETWEEN 3300 AND 3309")
		exec("DELETE FROM taggings WHERE key = 'lake' AND entry_id >= 2900")
		check(
			"after changes",
			map[string]int{
				"everything":             11_990,
				"a type":                 11_978,
				"a word":                 11_987,
				"a word, no templates":   11_985,
				"two words":              11_987,
				"a word and a tag":       11_485,
				"a tag":                  11_488,
				"a tag, no templates":    11_486,
				"a tag of some":          898,
				"two tags":               898,
				"a color":                10_792,
				"a color and a rare tag": 0,
			},
			slices.DeleteFunc(open, func(what string) bool { return what == "a tag of some" || what == "two tags" })...)
	})
}

// TestTagsOfDeletedFiles deletes a folder while another server tags a file below it. The deletion waits for
// the tagging, and no tag is left that totalCount would count.
func TestTagsOfDeletedFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.onDisk("d/e/a.png", png)
		s.scan()
		deleted := make(chan error, 1)
		remove := func() { deleted <- s.DeleteFile(access.All(t.Context()), "d") }
		tx, err := db.Begin()
		must(t, err)
		defer tx.Rollback() //nolint:errcheck // committed, or the test has failed
		_, err = tx.Exec("UPDATE entries SET rating = 1 WHERE path = 'd/e/a.png'")
		must(t, err)
		if name == "postgres" {
			go remove()
			s.until("the deletion waits", func() (waits bool) {
				must(
					t,
					db.QueryRow("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND "+
						"wait_event_type = 'Lock')").
						Scan(&waits),
				)
				return waits
			})
		}
		_, err = tx.Exec(
			"INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE path = 'd/e/a.png'",
		)
		must(t, err)
		must(t, tx.Commit())
		if name != "postgres" {
			remove()
		}
		must(t, <-deleted)
		var left int
		must(t, db.QueryRow("SELECT count(*) FROM taggings").Scan(&left))
		if left != 0 {
			t.Errorf("%d tags are left of a file that is deleted", left)
		}
	})
}
