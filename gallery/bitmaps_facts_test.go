package gallery_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// commonFilters each select more than 10,000 of the files of TestBitmapsOfFilters, so that no list of candidates counts them.
func commonFilters() []gallery.BrowseOptions {
	day := func(n int) *time.Time { return ptr(time.Unix(0, 12345).UTC().AddDate(0, 0, n)) }
	wide := 0.3
	grey := &search.ColourFilter{Colour: "808080", Within: &wide}
	var list []gallery.BrowseOptions
	for i, f := range []search.Filter{
		{MinSize: ptr(int64(3_000_000))},
		{MaxSize: ptr(int64(6_543_210)), Types: []string{"jpeg"}},
		{ModifiedAfter: ptr(time.Unix(0, 300_000_000))},
		{TakenAfter: day(3000), TakenBefore: day(7500)},
		{DateAfter: day(1000), DateBefore: day(7000)},
		{MinWidth: ptr(int32(1234)), MaxHeight: ptr(int32(3000))},
		{MaxWidth: ptr(int32(4000))},
		{MinHeight: ptr(int32(3000))},
		{Orientation: ptr(search.Portrait)},
		{Orientation: ptr(search.Landscape), Tags: []string{"sea"}},
		{HasGps: ptr(false)},
		{HasGps: ptr(true), MinHeight: ptr(int32(1))},
		{Favorite: ptr(false)},
		{MaxRating: ptr(int32(3))},
		{MinRating: ptr(int32(1))},
		{IsBroken: ptr(false)},
		{Color: grey},
		{Colour: grey, Color: &search.ColourFilter{Colour: "908070", Within: &wide}, Tags: []string{"sea"}},
	} {
		if none := false; i%2 == 0 {
			f.IsTemplate = &none
		}
		list = append(list, gallery.BrowseOptions{Recursive: true, Filter: f, Search: []string{"", "img"}[i%2]},
			[]gallery.BrowseOptions{{Folder: "large"}, {Folder: "tree", Recursive: true}, {Folder: "large", Search: "im"}}[i%3])
		list[len(list)-1].Filter = f
	}
	return append(list, gallery.BrowseOptions{Folder: "large", Search: "img"}, gallery.BrowseOptions{Folder: "tree", Recursive: true, Search: "img"})
}

func described(t *testing.T, o gallery.BrowseOptions) string {
	t.Helper()
	b, err := json.Marshal(o)
	must(t, err)
	return regexp.MustCompile(`"[A-Za-z]+":(null|""|\[\]|false),?`).ReplaceAllString(string(b), "")
}

// TestBitmapsOfFilters compares totalCount of filters, in folders and everywhere, by bitmaps with that by rows: once they are made, after changes
// and when they are made again.
func TestBitmapsOfFilters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 24_000)
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory() // which does not say that the folders are missing
		s.Rules = s.Again()
		exec := func(query string) {
			t.Helper()
			if _, err := db.Exec(query); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		for i, folder := range []string{"large", "tree", "tree/a", "tree/a/b"} {
			parent := []int{1, 1, 90_002, 90_003}[i]
			exec(fmt.Sprintf("INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) VALUES (%d, '%s', %d, '%[2]s', '%[1]d', 0, 1)", 90_001+i, folder, parent))
		}
		facts := "rating = id % 6, favorite = id % 7 = 0, ok_l = CASE WHEN id % 11 > 0 THEN 0.3 + 0.5 * ok_l END, ok_a = ok_a / 2 + 0.01, ok_b = ok_b / 2"
		exec("UPDATE entries SET parent_id = 90001, path = 'large/' || name, " + facts + " WHERE kind = 1 AND id < 13100")
		exec("UPDATE entries SET parent_id = 90003 + id % 2, path = CASE WHEN id % 2 = 0 THEN 'tree/a/' ELSE 'tree/a/b/' END || name, " + facts + " WHERE kind = 1 AND id BETWEEN 13100 AND 24999")
		exec("UPDATE entries SET meta_state = 3, name = name || '.template.json' WHERE kind = 1 AND id % 997 = 1")
		exec("UPDATE entries SET name = name || '.template.preview.webp', name_key = " + map[string]string{"sqlite3": "CAST(name_key || '.template.preview.webp' AS BLOB)", "postgres": "name_key || '.template.preview.webp'"}[name] + " WHERE kind = 1 AND id % 991 = 1")
		exec("UPDATE entries SET type = 'png', taken = NULL, width = height WHERE kind = 1 AND id % 13 = 1")
		exec("UPDATE entries SET hidden = true, parent_id = 1, path = '.x/' || id WHERE kind = 1 AND id % 1009 = 1")
		exec("UPDATE entries SET id = id + 100000 WHERE kind = 1 AND id > 22000") // another block
		exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE kind = 1 AND id % 10 <> 0")
		exec("ANALYZE")
		list := commonFilters()
		totals := func() []int32 {
			t.Helper()
			forgetWords(t, db)
			counts := make([]int32, len(list))
			for i, o := range list {
				files, err := s.Files(t.Context(), o)
				must(t, err)
				counts[i], err = files.TotalCount(t.Context())
				must(t, err)
			}
			return counts
		}
		compare := func(when string, got, want []int32) {
			t.Helper()
			for i, o := range list {
				if got[i] != want[i] {
					t.Errorf("%s: %s: %d files, expected %d", when, described(t, o), got[i], want[i])
				}
			}
		}
		rows := totals()
		s.MakeBitmaps()
		compare("by bitmaps", totals(), rows)
		for i, change := range []string{"size = size / 2, modified = modified + 5", "taken = NULL, taken_key = modified", "width = height", "rating = 5 - rating, favorite = NOT favorite", "has_gps = NOT has_gps",
			"ok_l = 0.5, ok_a = 0, ok_b = 0", "ok_l = NULL", "parent_id = 90003, path = 'tree/a/' || id", "words = 'other'", "hidden = true, parent_id = 1, path = '.x/' || id", "meta_state = 4"} {
			exec(fmt.Sprintf("UPDATE entries SET %s WHERE kind = 1 AND id > 2001 AND id %% 211 = %d", change, i))
		}
		exec("UPDATE entries SET path = substr(path, 8), parent_id = CASE WHEN kind = 0 THEN 1 ELSE parent_id END WHERE path = 'tree/a/b' OR path LIKE 'tree/a/b/%'") // a folder moves
		changed := totals()
		exec("DELETE FROM bitmap_blocks") // by rows
		compare("after changes", changed, totals())
		s.MakeBitmaps()
		compare("made again", totals(), changed)
		empty := map[string]string{"sqlite3": "X'01'", "postgres": `'\x01'`}[name] // no file is in a bitmap then
		exec("UPDATE bitmaps SET bits = " + empty + " WHERE number IN (SELECT number FROM bitmap_terms t WHERE t.block = bitmaps.block AND term = '=file')")
		for i, n := range totals() {
			if n == changed[i] && n > 10_000 {
				t.Errorf("%s: %d files are not counted by bitmaps", described(t, list[i]), n)
			}
		}
		s.MakeBitmaps()
	})
}
