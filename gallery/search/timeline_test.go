package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// Dates of the pictures, by path. Pictures in taken have a capture time; the dates of the others are their
// modification times.
var (
	taken = map[string]string{
		"a/new-year.png": "2024-01-01T00:00:00Z", "a/before.png": "2023-12-31T23:59:59.999999999Z",
		"a/leap.png": "2024-02-29T12:00:00Z",
		"b/old.png":  "1904-05-06T00:00:00Z", "b/leap-too.png": "2024-02-29T00:00:00Z",
	}
	changed = map[string]string{"a/scan.png": "2024-02-28T10:00:00Z"}
)

// stageOf adds these pictures to a stage.
func stageOf(t *testing.T, s *gallerytest.Stage) {
	t.Helper()
	set := func(path, when string, known bool) {
		at, err := time.Parse(time.RFC3339Nano, when)
		s.Must(err)
		s.Put(path, gallerytest.PNG)
		statement := fmt.Sprintf("UPDATE entries SET taken_key = %d", at.UnixNano())
		if known {
			statement += fmt.Sprintf(", taken = %d", at.UnixNano())
		}
		_, err = s.Pool.Exec(statement + " WHERE path = '" + path + "'")
		s.Must(err)
	}
	for path, when := range taken {
		set(path, when, true)
	}
	for path, when := range changed {
		set(path, when, false)
	}
}

func shown(list []*search.TimelineBucket) string {
	var b strings.Builder
	for _, x := range list {
		fmt.Fprintf(&b, "%s %d, ", x.Start.Format(time.DateOnly), x.Count)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func TestTimeline(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		stageOf(s.T, s)
		all := gallery.BrowseOptions{Recursive: true}
		folder := gallery.BrowseOptions{Folder: "a"}
		word := gallery.BrowseOptions{Recursive: true, Search: "leap"}
		below := gallery.BrowseOptions{Folder: "b", Recursive: true}
		none := gallery.BrowseOptions{Recursive: true, Search: "nothing"}
		empty := gallery.BrowseOptions{Folder: "empty"}
		small := gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}}}
		s.Must(s.CreateFolder(s.Context(), "empty"))
		for _, c := range []struct {
			what string
			o    gallery.BrowseOptions
			by   search.TimelineUnit
			want string
		}{
			{"everything", all, search.Month, "1904-05-01 1, 2023-12-01 1, 2024-01-01 1, 2024-02-01 3"},
			{"by default", all, "", "1904-05-01 1, 2023-12-01 1, 2024-01-01 1, 2024-02-01 3"},
			{"everything", all, search.Year, "1904-01-01 1, 2023-01-01 1, 2024-01-01 4"},
			{"everything", all, search.Day, "1904-05-06 1, 2023-12-31 1, 2024-01-01 1, 2024-02-28 1, 2024-02-29 2"},
			{"one folder", folder, search.Month, "2023-12-01 1, 2024-01-01 1, 2024-02-01 2"},
			{"below a folder", below, search.Day, "1904-05-06 1, 2024-02-29 1"},
			{"a word", word, search.Day, "2024-02-29 2"},
			{"no match", none, search.Day, ""},
			{"an empty folder", empty, search.Day, ""},
			{"a filter that nothing passes", small, search.Month, ""},
		} {
			list, err := s.Timeline(s.Context(), c.o, c.by)
			s.Must(err)
			if have := shown(list); have != c.want {
				s.Errorf("%s by %s: %s, expected %s", c.what, c.by, have, c.want)
			}
			c.o.Descending = true
			list, err = s.Timeline(s.Context(), c.o, c.by)
			s.Must(err)
			if len(list) > 1 && !list[0].Start.After(list[1].Start) {
				s.Errorf("%s by %s descending: %s", c.what, c.by, shown(list))
			}
		}
		_, err := s.Timeline(s.Context(), gallery.BrowseOptions{Folder: "none"}, search.Month)
		gallerytest.Want(s.T, err, fault.NotFound, "a folder that does not exist")
	})
}

// TestBucketsListTheirFiles checks that a filter by the ends of a bucket selects its files, and that all
// buckets together contain each file once.
func TestBucketsListTheirFiles(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		stageOf(s.T, s)
		for _, by := range []search.TimelineUnit{search.Year, search.Month, search.Day} {
			list, err := s.Timeline(s.Context(), gallery.BrowseOptions{Recursive: true}, by)
			s.Must(err)
			seen := map[string]bool{}
			for _, b := range list {
				c, err := s.Files(s.Context(), gallery.BrowseOptions{
					Recursive: true,
					Sort:      gallery.SortTaken,
					Filter:    search.Filter{DateAfter: &b.Start, DateBefore: &b.End},
				})
				s.Must(err)
				if len(c.Edges) != int(b.Count) {
					s.Errorf("%s from %s: %d files, expected %d", by, b.Start, len(c.Edges), b.Count)
				}
				for _, f := range c.Nodes() {
					seen[f.Path()] = true
				}
			}
			if len(seen) != len(taken)+len(changed) {
				s.Errorf("by %s: %d files in all buckets, expected %d", by, len(seen), len(taken)+len(changed))
			}
		}
	})
}

// TestTooManyDays checks that a single wrong date is cheap, and that days over centuries are rejected.
func TestTooManyDays(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("a.png", gallerytest.PNG)
		series := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 699)"
		_, err := s.Pool.Exec(
			series + " INSERT INTO entries (path, parent_id, name, name_key, kind, taken_key) SELECT 'm' || i, 1, " +
				"'m' || i, 'm', 1, CAST(i AS BIGINT) * 2678400000000000 FROM n",
		)
		s.Must(err)
		_, err = s.Timeline(s.Context(), gallery.BrowseOptions{Recursive: true}, search.Day)
		gallerytest.Want(s.T, err, fault.Invalid, "days of 700 months")
		list, err := s.Timeline(s.Context(), gallery.BrowseOptions{Recursive: true}, search.Month)
		if err != nil || len(list) < 690 {
			s.Errorf("%d months, %v", len(list), err)
		}
	})
}
