package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

func TestRatings(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"a/five.png", "a/three.png", "a/none.png", "b/liked.png"} {
			s.Put(p, png)
		}
		for _, c := range []struct {
			paths    []string
			rating   *int32
			favorite *bool
			ok       string // per path
		}{
			{[]string{"a/five.png", "b/none.png"}, ptr(int32(5)), nil, "true false"},
			{[]string{"a/three.png"}, ptr(int32(3)), ptr(true), "true"},
			{[]string{"b/liked.png"}, nil, ptr(true), "true"},
		} {
			results, err := s.RateFiles(access.All(t.Context()), c.paths, c.rating, c.favorite)
			must(t, err)
			var ok []string
			for _, r := range results {
				ok = append(ok, fmt.Sprint(r.OK()))
			}
			if have := strings.Join(ok, " "); have != c.ok {
				t.Errorf("rating %v: %s, expected %s", c.paths, have, c.ok)
			}
		}
		for _, c := range []struct {
			o    gallery.BrowseOptions
			want string
		}{
			{gallery.BrowseOptions{Recursive: true, Sort: gallery.SortRating, Descending: true,
				Filter: search.Filter{MinRating: ptr(int32(1))}}, "five.png three.png"},
			{gallery.BrowseOptions{Recursive: true, Filter: search.Filter{MinRating: ptr(int32(4))}}, "five.png"},
			{gallery.BrowseOptions{Recursive: true, Filter: search.Filter{MaxRating: ptr(int32(0))}},
				"liked.png none.png"},
			{gallery.BrowseOptions{Recursive: true,
				Filter: search.Filter{MinRating: ptr(int32(0)), MaxRating: ptr(int32(3)), Favorite: ptr(true)}},
				"liked.png three.png"},
			{gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Favorite: ptr(false)}}, "five.png none.png"},
			{gallery.BrowseOptions{Folder: "a", Sort: gallery.SortRating}, "none.png three.png five.png"},
			{gallery.BrowseOptions{Folder: "a", Filter: search.Filter{Favorite: ptr(true)}}, "three.png"},
		} {
			if have := strings.Join(s.all(c.o, 2), " "); have != c.want {
				t.Errorf("%+v: %s, expected %s", c.o, have, c.want)
			}
		}
		_, err := s.RateFiles(access.All(t.Context()), []string{"a/five.png"}, nil, nil)
		want(t, err, fault.Invalid, "rating with nothing")
		for _, bad := range []int32{-1, 6} {
			_, err = s.RateFiles(access.All(t.Context()), []string{"a/five.png"}, &bad, nil)
			want(t, err, fault.Invalid, fmt.Sprintf("rating with %d", bad))
			_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{Filter: search.Filter{MinRating: &bad}})
			want(t, err, fault.Invalid, fmt.Sprintf("a filter with %d", bad))
		}
	})
}

// TestRatingsFollowTheirFile checks that a rating survives all changes of its file, and the loss of the
// index.
func TestRatingsFollowTheirFile(t *testing.T) {
	eachStore(t, gallerytest.Config{Gallery: gallery.Config{Trash: true}}, func(s *stage) {
		t, ctx := s.T, s.Context()
		for _, p := range []string{"a/one.png", "a/two.png", "c/three.png"} {
			s.Put(p, png)
			_, err := s.UpdateFile(ctx, gallery.UpdateFileInput{Path: p, Rating: ptr(int32(4)), Favorite: ptr(true)})
			must(t, err)
		}
		must(t, s.MoveFile(ctx, "a/one.png", "b/renamed.png"))
		must(t, s.CopyFile(ctx, "b/renamed.png", "b/copied.png"))
		must(t, s.MoveFile(ctx, "c", "d/e"))
		trashed, err := s.TrashFile(ctx, "a/two.png")
		must(t, err)
		_, err = s.RestoreFile(ctx, trashed.ID, gallery.ConflictError)
		must(t, err)
		check := func(when string) {
			t.Helper()
			for _, p := range []string{"b/renamed.png", "b/copied.png", "d/e/three.png", "a/two.png"} {
				f, err := s.File(ctx, p)
				must(t, err)
				if f.Rating() != 4 || !f.Favorite() {
					t.Errorf("%s: %s has rating %d, favorite %t", when, p, f.Rating(), f.Favorite())
				}
			}
			if have := s.all(gallery.BrowseOptions{
				Recursive: true, Filter: search.Filter{MinRating: ptr(int32(4)), Favorite: ptr(true)}}, 50); len(
				have) != 4 {
				t.Errorf("%s: %v pass the filter, expected 4", when, have)
			}
		}
		check("at once")
		_, err = s.Pool.Exec("DELETE FROM entries")
		must(t, err)
		s.scan()
		check("after the index was deleted")
	})
}

// TestRatingsWithoutASidecar checks that removing the last note removes the sidecar, and that a rating out of
// range in a sidecar is ignored.
func TestRatingsWithoutASidecar(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a.png", png)
		_, err := s.UpdateFile(access.All(t.Context()), gallery.UpdateFileInput{Path: "a.png", Rating: ptr(int32(1))})
		must(t, err)
		sidecar := filepath.Join(s.Dir, ".safelight/a.png.json")
		if _, err := os.Stat(sidecar); err != nil {
			t.Error(err)
		}
		_, err = s.UpdateFile(access.All(t.Context()), gallery.UpdateFileInput{Path: "a.png", Rating: ptr(int32(0))})
		must(t, err)
		if _, err := os.Stat(sidecar); !os.IsNotExist(err) {
			t.Error("a file without a rating keeps a sidecar")
		}
		s.onDisk("b.png", png)
		s.onDisk(".safelight/b.png.json", `{"version":1,"rating":77,"favorite":true}`)
		s.scan()
		f, err := s.File(access.All(t.Context()), "b.png")
		must(t, err)
		if f.Rating() != 0 || !f.Favorite() {
			t.Errorf("rating %d, favorite %t", f.Rating(), f.Favorite())
		}
	})
}
