package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
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

// total is totalCount of everything that o selects.
func (s *stage) total(o gallery.BrowseOptions) int {
	s.Helper()
	o.Recursive = true
	files, err := s.Files(s.Context(), o)
	must(s.T, err)
	n, err := files.TotalCount(s.Context())
	must(s.T, err)
	return int(n)
}

// TestCommonCounts counts a word, a tag and a type that over 10,000 files have, and changes some of them.
func TestCommonCounts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 12_000)
		exec := func(query string) {
			t.Helper()
			_, err := db.Exec(query)
			must(t, err)
		}
		exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE kind = 1 AND id < 13500")
		exec("UPDATE entries SET type = 'png' WHERE kind = 1 AND id < 2012")
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory()
		s.Rules = s.Again()
		templates := ptr(false)
		check := func(when string, word, withoutTemplates, tag, untemplated, jpegs int) {
			t.Helper()
			for what, c := range map[string][2]int{
				"a word":                  {s.total(gallery.BrowseOptions{Search: "img"}), word},
				"again":                   {s.total(gallery.BrowseOptions{Search: " IMG "}), word},
				"a word, no templates":    {s.total(gallery.BrowseOptions{Search: "img", Filter: search.Filter{IsTemplate: templates}}), withoutTemplates},
				"a tag":                   {s.total(gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"SEA"}}}), tag},
				"a tag, no templates":     {s.total(gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}, IsTemplate: templates}}), untemplated},
				"a type":                  {s.total(gallery.BrowseOptions{Filter: search.Filter{Types: []string{"jpeg"}}}), jpegs},
				"a type of two lists":     {s.total(gallery.BrowseOptions{Filter: search.Filter{Types: []string{"jpeg", "png"}, Formats: []imaging.Format{imaging.JPEG}}}), jpegs},
				"a type that none has":    {s.total(gallery.BrowseOptions{Filter: search.Filter{Types: []string{"jpeg"}, Formats: []imaging.Format{imaging.PNG}}}), 0},
				"a word and a tag":        {s.total(gallery.BrowseOptions{Search: "img", Filter: search.Filter{Tags: []string{"sea"}}}), tag},
				"two words":               {s.total(gallery.BrowseOptions{Search: "img jpg"}), word},
				"a word below a folder":   {s.total(gallery.BrowseOptions{Search: "img", Folder: "f0007"}), 6},
				"a type below a folder":   {s.total(gallery.BrowseOptions{Folder: "f0007", Filter: search.Filter{Types: []string{"jpeg"}}}), 5},
				"a word of all, by types": {s.total(gallery.BrowseOptions{Search: "img", Filter: search.Filter{Types: []string{"jpeg"}}}), jpegs},
			} {
				if c[0] != c[1] {
					t.Errorf("%s, %s: %d, expected %d", when, what, c[0], c[1])
				}
			}
		}
		check("at first", 12_000, 12_000, 11_498, 11_498, 11_990)
		exec("UPDATE entries SET hidden = TRUE WHERE id BETWEEN 3000 AND 3009")
		exec("UPDATE entries SET words = 'other' WHERE id BETWEEN 3010 AND 3012")
		exec("UPDATE entries SET meta_state = 3, name = 'img.template.json', type = '' WHERE id IN (3020, 3021)")
		if got := s.total(gallery.BrowseOptions{Search: "img"}); got != 11_987 {
			t.Errorf("after changes: %d files with the word, expected 11987", got)
		}
		if got := s.total(gallery.BrowseOptions{Search: "img", Filter: search.Filter{IsTemplate: templates}}); got != 11_985 {
			t.Errorf("after changes: %d without templates, expected 11985", got)
		}
		var counted int
		must(t, db.QueryRow("SELECT count(*) FROM counted_words WHERE word IN ('img', 'img jpg', 'img /jpeg', 'img jpg /jpeg,png /png')").Scan(&counted))
		if counted != 3 {
			t.Errorf("%d searches are counted by triggers, expected 3 of those", counted)
		}
		for what, c := range map[string]struct {
			o        gallery.BrowseOptions
			expected int
		}{
			"two words":                {gallery.BrowseOptions{Search: "jpg img jpg"}, 11_987},
			"two words, no templates":  {gallery.BrowseOptions{Search: "jpg img", Filter: search.Filter{IsTemplate: templates}}, 11_985},
			"a word and a type":        {gallery.BrowseOptions{Search: "img", Filter: search.Filter{Types: []string{"jpeg", "jpeg"}}}, 11_975},
			"two words and two lists":  {gallery.BrowseOptions{Search: "img jpg", Filter: search.Filter{Types: []string{"png", "jpeg"}, Formats: []imaging.Format{imaging.PNG}}}, 10},
			"a word and a type or two": {gallery.BrowseOptions{Search: "img", Filter: search.Filter{Types: []string{"png", "jpeg"}}}, 11_985},
		} {
			for range 2 {
				if got := s.total(c.o); got != c.expected {
					t.Errorf("after changes, %s: %d, expected %d", what, got, c.expected)
				}
			}
		}
		exec("UPDATE entries SET type = 'jpeg' WHERE id = 2005")
		exec("UPDATE entries SET words = 'jpg' WHERE id = 2006")
		if got := s.total(gallery.BrowseOptions{Search: "img jpg", Filter: search.Filter{Types: []string{"png", "jpeg"}, Formats: []imaging.Format{imaging.PNG}}}); got != 8 {
			t.Errorf("after more changes: %d, expected 8", got)
		}
		if got := s.total(gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}}}); got != 11_488 {
			t.Errorf("after changes: %d files with the tag, expected 11488", got)
		}
		if got := s.total(gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}, IsTemplate: templates}}); got != 11_486 {
			t.Errorf("after changes: %d with the tag and no template, expected 11486", got)
		}
		if got := s.total(gallery.BrowseOptions{Filter: search.Filter{Types: []string{"jpeg"}}}); got != 11_979 {
			t.Errorf("after changes: %d of the type, expected 11979", got)
		}
	})
}

// TestCountedWords: sixteen words are counted by triggers, of more the newest, of which one is learned a minute. None is learned beside a writer, which
// readers do not wait for.
func TestCountedWords(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 10_100)
		_, err := db.Exec("UPDATE entries SET words = words || ' one two three four five six seven eight nine ten eleven twelve thirteen fourteen' WHERE kind = 1")
		must(t, err)
		s := newStage(t, db, name, gallerytest.Config{}) // counts four
		s.Store = storage.NewMemory()
		s.Rules = s.Again()
		aMinuteLater := func() {
			t.Helper()
			_, err := db.Exec("UPDATE counted_words SET learned_at = learned_at - 61")
			must(t, err)
		}
		for _, word := range strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen i im img im") {
			if got := s.total(gallery.BrowseOptions{Search: word}); got != 10_100 {
				t.Errorf("%s: %d, expected 10100", word, got)
			}
			aMinuteLater()
		}
		var words, old, counts int
		must(t, db.QueryRow("SELECT count(*), count(CASE WHEN word IN ('a', 'png', 'g', 'new', 'one') THEN 1 END), (SELECT count(*) FROM word_counts) FROM counted_words").Scan(&words, &old, &counts))
		if words != 16 || old != 0 || counts != 32 {
			t.Errorf("%d words are counted, %d of them the oldest, in %d rows, expected 16, 0 and 32", words, old, counts)
		}
		for _, word := range []string{"one", "o", "one", "o"} { // in turn: the first is learned
			if got := s.total(gallery.BrowseOptions{Search: word}); got != 10_100 {
				t.Errorf("%s: %d, expected 10100", word, got)
			}
		}
		var learned string
		must(t, db.QueryRow("SELECT max(word) FROM counted_words WHERE word IN ('one', 'o')").Scan(&learned))
		must(t, db.QueryRow("SELECT count(*) FROM counted_words WHERE word IN ('one', 'o')").Scan(&words))
		if words != 1 || learned != "one" {
			t.Errorf("of two words within a minute %d are counted, %q too, expected one, the first", words, learned)
		}
		aMinuteLater()
		if _, err := db.Exec("UPDATE word_counts SET n = n + 1"); err != nil { // what the next line compares is what triggers keep
			t.Fatal(err)
		}
		if got := s.total(gallery.BrowseOptions{Search: "img"}); got != 10_102 {
			t.Errorf("totalCount of a word is %d, expected that of word_counts", got)
		}
		_, err = db.Exec("UPDATE word_counts SET n = n - 1")
		must(t, err)
		locked, err := db.Conn(t.Context()) // a writer that takes long
		must(t, err)
		defer locked.Close()
		if name == "postgres" {
			_, err = locked.ExecContext(t.Context(), "BEGIN; UPDATE entries SET rating = 1 WHERE id = 2002")
			must(t, err)
			if got := s.total(gallery.BrowseOptions{Search: "jpg"}); got != 10_100 {
				t.Errorf("while a writer is busy: %d, expected 10100", got)
			}
			must(t, db.QueryRow("SELECT count(*) FROM counted_words WHERE word = 'jpg'").Scan(&words))
			if words != 0 {
				t.Error("a word was counted beside a writer: what that writes may be missing")
			}
			_, err = locked.ExecContext(t.Context(), "COMMIT")
			must(t, err)
		}
	})
}

// TestTagsOfDeletedFiles deletes a folder while another server tags a file below it: the deletion waits for that, and no tag is left, which
// totalCount of the tag would count.
func TestTagsOfDeletedFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.onDisk("d/e/a.png", png)
		s.scan()
		deleted := make(chan error, 1)
		remove := func() { deleted <- s.DeleteFile(t.Context(), "d") }
		tx, err := db.Begin()
		must(t, err)
		defer tx.Rollback() //nolint:errcheck // committed, or the test has failed
		_, err = tx.Exec("UPDATE entries SET rating = 1 WHERE path = 'd/e/a.png'")
		must(t, err)
		if name == "postgres" {
			go remove()
			s.until("the deletion waits", func() (waits bool) {
				must(t, db.QueryRow("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits))
				return waits
			})
		}
		_, err = tx.Exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE path = 'd/e/a.png'")
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
