package gallery_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// TestFacets counts the files with a value among those that match a filter and a search, unless there are too
// many matches to list.
func TestFacets(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"a/red 1.png", "a/red 2.png", "b/red 3.png", "b/blue 4.png", "b/blue 5.png"} {
			s.onDisk(p, png)
		}
		s.scan()
		all := access.All(t.Context())
		for path, tags := range map[string][]string{
			"a/red 1.png": {"sea", "sky"}, "a/red 2.png": {"sea"}, "b/red 3.png": {"sky"}, "b/blue 4.png": {"sea"},
		} {
			_, err := s.UpdateFile(all, gallery.UpdateFileInput{Path: path, Tags: &tags})
			must(t, err)
		}
		_, err := db.Exec("UPDATE entries SET camera = 'One' WHERE path LIKE 'a/%.png'")
		must(t, err)
		_, err = db.Exec("UPDATE entries SET camera = 'Two' WHERE path LIKE 'b/%.png'")
		must(t, err)
		_, err = db.Exec("UPDATE entries SET type = 'gif' WHERE path = 'b/red 3.png'")
		must(t, err)

		tagged := search.Filter{Tags: []string{"sea"}}
		for _, c := range []struct {
			kind gallery.SuggestionKind
			text string
			o    gallery.BrowseOptions
			want string
		}{
			{gallery.SuggestTag, "", gallery.BrowseOptions{Search: "red"}, "sea 2, sky 2"},
			{gallery.SuggestTag, "k", gallery.BrowseOptions{Search: "red"}, "sky 2"},
			{gallery.SuggestTag, "", gallery.BrowseOptions{Filter: tagged}, "sea 3, sky 1"},
			{gallery.SuggestTag, "", gallery.BrowseOptions{Folder: "a"}, "sea 2, sky 1"},
			{gallery.SuggestCamera, "", gallery.BrowseOptions{Search: "red"}, "One 2, Two 1"},
			{gallery.SuggestCamera, "tw", gallery.BrowseOptions{Search: "blue"}, "Two 2"},
		} {
			c.o.Recursive = true
			list, err := s.Suggestions(all, c.kind, c.text, 8, c.o)
			must(t, err)
			got := make([]string, len(list))
			for i, one := range list {
				got[i] = one.Value + " " + countText(one.Count)
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%s among %+v: %s, expected %s", c.kind, c.o, text, c.want)
			}
		}

		pngs, gifs := search.Filter{Formats: []imaging.Format{"png"}}, search.Filter{Formats: []imaging.Format{"gif"}}
		counts := func(folder, words string) string {
			t.Helper()
			list, err := s.CountEach(
				all, gallery.BrowseOptions{Folder: folder, Recursive: true, Search: words},
				[]*search.Filter{&pngs, &gifs, &tagged, {}},
			)
			must(t, err)
			return strings.Trim(fmt.Sprint(list), "[]")
		}
		for _, c := range [][3]string{
			{"", "red", "2 1 2 3"}, {"b", "", "2 1 1 3"}, {"b", "red", "0 1 0 1"}, {"", "none", "0 0 0 0"},
		} {
			if got := counts(c[0], c[1]); got != c[2] {
				t.Errorf("counts in %q of %q: %s, expected %s", c[0], c[1], got, c[2])
			}
		}
		_, err = s.CountEach(all, gallery.BrowseOptions{}, make([]*search.Filter, 51))
		gallerytest.Want(t, err, fault.Invalid, "51 filters")
		_, err = s.Suggestions(all, gallery.SuggestFolder, "", 8, gallery.BrowseOptions{Search: "red"})
		gallerytest.Want(t, err, fault.Invalid, "folders among files")

		// Too many files to list.
		_, err = db.Exec(fmt.Sprintf("INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) "+
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "+
			"SELECT 1000 + i, 'f' || i, root.id, 'f' || i, root.name_key, 1, 1 FROM n, entries AS root "+
			"WHERE root.path = ''",
			search.MaxCandidates-4))
		must(t, err)
		if got := counts("", ""); got != "" {
			t.Errorf("counts of more than 10,000: %s, expected none", got)
		}
		list, err := s.Suggestions(all, gallery.SuggestTag, "", 8, gallery.BrowseOptions{
			Recursive: true, Filter: search.Filter{IsBroken: new(false)},
		})
		must(t, err)
		if len(list) != 2 || list[0].Value != "sea" || list[0].Count != nil {
			t.Errorf("tags among more than 10,000: %+v", list)
		}
		_, err = db.Exec("DELETE FROM entries WHERE name = 'f1'")
		must(t, err)
		if got := counts("", ""); got != "4 1 3 10000" {
			t.Errorf("counts of 10,000: %s", got)
		}
	})
}

// countText formats a count, or null.
func countText(n *int32) string {
	if n == nil {
		return "null"
	}
	return fmt.Sprint(*n)
}
