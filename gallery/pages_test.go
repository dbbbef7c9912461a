package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// all reads all pages of a connection and returns the names.
func (s *stage) all(o gallery.BrowseOptions, size int32) []string {
	s.Helper()
	o.First, o.After = &size, ""
	var names []string
	for {
		c, err := s.Files(s.Context(), o)
		must(s.T, err)
		for _, f := range c.Nodes() {
			names = append(names, f.Name())
		}
		p := pageInfo(s.T, c)
		if !p.HasNextPage {
			if total := s.exact(c); total != len(names) {
				s.Errorf("%+v: %d of %d", o, len(names), total)
			}
			return names
		}
		o.After = *p.EndCursor
	}
}

// skips opens positions of a known list, counted from the start and from its third file.
func (s *stage) skips(o gallery.BrowseOptions, all []string) {
	s.Helper()
	three := int32(3)
	o.First = &three
	c, err := s.Files(s.Context(), o)
	must(s.T, err)
	for _, after := range []string{"", *pageInfo(s.T, c).EndCursor} {
		if o.After = after; after != "" {
			all = all[3:]
		}
		for skip := range len(all) + 2 {
			o.Skip = int32(skip)
			c, err := s.Files(s.Context(), o)
			must(s.T, err)
			var names []string
			for _, f := range c.Nodes() {
				names = append(names, f.Name())
			}
			from, to := min(skip, len(all)), min(skip+3, len(all))
			p := pageInfo(s.T, c)
			if !slices.Equal(names, all[from:to]) || p.HasNextPage != (to < len(all)) ||
				p.HasPreviousPage != (skip > 0 || after != "") {
				s.Errorf(
					"%+v: %v, next %v, previous %v, expected %v of %v", o, names, p.HasNextPage,
					p.HasPreviousPage, all[from:to], all,
				)
			}
		}
	}
}

// TestPages pages through every order in both directions, in one folder and across folders, with pages of all
// sizes.
func TestPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for i := range 23 {
			folder := []string{"a", "a", "b"}[i%3]
			s.onDisk(fmt.Sprintf("%s/%02d.png", folder, i), png+strings.Repeat("x", i/5))
		}
		s.onDisk("a/.hidden.png", png)
		s.onDisk("a/.hidden/x.png", png)
		s.scan()
		for _, order := range []gallery.Sort{gallery.SortName, gallery.SortSize, gallery.SortModified,
			gallery.SortTaken, gallery.SortDimensions} {
			for _, deep := range []bool{false, true} {
				o := gallery.BrowseOptions{Sort: order, Recursive: deep}
				if !deep {
					o.Folder = "a"
				}
				up := s.all(o, 100)
				if expected := map[bool]int{false: 16, true: 23}[deep]; len(up) != expected {
					t.Fatalf("%s deep=%v: %v", order, deep, up)
				}
				for _, size := range []int32{1, 4, 22} {
					if have := s.all(o, size); !slices.Equal(have, up) {
						t.Errorf("%s deep=%v in pages of %d: %v, expected %v", order, deep, size, have, up)
					}
				}
				s.skips(o, up)
				o.Descending = true
				down := s.all(o, 5)
				s.skips(o, down)
				slices.Reverse(down)
				if !slices.Equal(down, up) {
					t.Errorf("%s deep=%v down: %v, expected %v", order, deep, down, up)
				}
			}
		}
		c, err := s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "a"})
		must(t, err)
		_, err = s.Files(
			access.All(t.Context()),
			gallery.BrowseOptions{Folder: "a", Sort: gallery.SortSize, After: *pageInfo(t, c).EndCursor},
		)
		want(t, err, fault.Invalid, "a cursor of another order")
		_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "a", After: "e30x"})
		want(t, err, fault.Invalid, "a cursor that is none")
		many := int32(101)
		_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{First: &many})
		want(t, err, fault.Invalid, "101 at once")
		_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "a", Skip: -1})
		want(t, err, fault.Invalid, "fewer than no files skipped")
		_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "none"})
		want(t, err, fault.NotFound, "a folder that is not there")
	})
}

// TestHasFolders checks which folders of a page have subfolders.
func TestHasFolders(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, path := range []string{"files/x.png", "hidden/.git/x.png", "inside/files/x.png", "mixed/.git/x.png",
			"mixed/more/x.png", "top.png"} {
			s.onDisk(path, png)
		}
		s.scan()
		c, err := s.Folders(access.All(t.Context()), gallery.BrowseOptions{})
		must(t, err)
		have := map[string]bool{}
		for _, f := range c.Nodes() {
			have[f.Path()], err = f.HasFolders(access.All(t.Context()))
			must(t, err)
		}
		want := map[string]bool{"files": false, "hidden": false, "inside": true, "mixed": true}
		if !maps.Equal(have, want) {
			t.Errorf("%v, expected %v", have, want)
		}
	})
}

// scan reads all folders, like the background scan.
func (s *stage) scan() {
	s.Helper()
	must(s.T, s.ScanNow(s.Context(), ""))
}

func TestSearchAndFilter(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"a/Sunset-Beach_2034.png", "b/IMG2034.png", "b/Großer Plötz.png", "日本語の写真.png",
			"x/100%.png", "x/🎉 party.png", "x/or and not.png", "notes.template.json"} {
			data := png
			if strings.HasSuffix(p, "json") {
				data = "{}"
			}
			s.onDisk(p, data)
		}
		s.scan()
		tags, text := []string{"Holiday", "holiday", "Sea side"}, "Where we were in Møre"
		f, err := s.UpdateFile(
			access.All(t.Context()),
			gallery.UpdateFileInput{Path: "b/IMG2034.png", Tags: &tags, Description: &text},
		)
		must(t, err)
		if !slices.Equal(f.Tags(), []string{"Holiday", "Sea side"}) || f.Description() != text {
			t.Errorf("%v %q", f.Tags(), f.Description())
		}
		small := int64(10)
		for _, c := range []struct {
			o    gallery.BrowseOptions
			want string
		}{
			{gallery.BrowseOptions{Search: "2034"}, "IMG2034.png Sunset-Beach_2034.png"},
			{gallery.BrowseOptions{Search: "sun BEA"}, "Sunset-Beach_2034.png"},
			{gallery.BrowseOptions{Search: "unset"}, "Sunset-Beach_2034.png"},
			{gallery.BrowseOptions{Search: "un ach"}, "Sunset-Beach_2034.png"},
			{gallery.BrowseOptions{Search: "03"}, "IMG2034.png Sunset-Beach_2034.png"},
			{gallery.BrowseOptions{Search: "unsat"}, ""},
			{gallery.BrowseOptions{Search: "語の"}, "日本語の写真.png"},
			{gallery.BrowseOptions{Search: "grosser plotz"}, "Großer Plötz.png"},
			{gallery.BrowseOptions{Search: "写真"}, "日本語の写真.png"},
			{gallery.BrowseOptions{Search: "🎉"}, "🎉 party.png"},
			{gallery.BrowseOptions{Search: "not or"}, "or and not.png"},
			{gallery.BrowseOptions{Search: "holi møre"}, "IMG2034.png"},
			{gallery.BrowseOptions{Search: "png", Folder: "b"}, "Großer Plötz.png IMG2034.png"},
			{gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"HOLIDAY", "sea side"}}}, "IMG2034.png"},
			{gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"none"}}}, ""},
			{gallery.BrowseOptions{Filter: search.Filter{MaxSize: &small}}, "notes.template.json"},
			{gallery.BrowseOptions{Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}}}, ""},
		} {
			c.o.Recursive = true
			if have := strings.Join(s.all(c.o, 2), " "); have != c.want {
				t.Errorf("%+v: %s, expected %s", c.o, have, c.want)
			}
		}
		_, err = s.Files(access.All(t.Context()), gallery.BrowseOptions{Search: "'\":*"})
		want(t, err, fault.Invalid, "a search without words")
		used, err := s.Tags(access.All(t.Context()), 100, "")
		if err != nil || len(used.Items) != 2 || used.Items[0].Count != 1 || used.Before || used.After {
			t.Errorf("Tags = %+v, %v", used, err)
		}
		if n, err := s.CountTags(access.All(t.Context())); err != nil || n != 2 {
			t.Errorf("%d tags, %v", n, err)
		}
	})
}

// TestGridKeepsTheFocalPoint checks that the cropped thumbnail follows the focal point until it is removed.
// The other thumbnails show the whole picture.
func TestGridKeepsTheFocalPoint(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a/one.png", png)
		for _, point := range []*notes.FocalPoint{nil, {X: 0.25, Y: 0.75}, nil} {
			_, err := s.UpdateFile(access.All(t.Context()),
				gallery.UpdateFileInput{Path: "a/one.png", FocalPoint: &point})
			must(t, err)
			f, err := s.File(access.All(t.Context()), "a/one.png")
			must(t, err)
			u := f.Thumbnails()
			for _, signed := range []string{u.Grid, u.Preview, u.Full, u.Original, u.Meta} {
				if !gallerytest.Verifies(s, signed) {
					t.Errorf("%s is not signed", signed)
				}
			}
			if got := strings.Contains(u.Grid, "focal(0.2450x0.7450:0.2550x0.7550)"); got != (point != nil) ||
				strings.Contains(u.Preview+u.Full, "focal") {
				t.Errorf("focal point %v: %+v", point, u)
			}
		}
	})
}

// TestNotesOutliveTheIndex deletes the index, as an operator may do, and moves files.
func TestNotesOutliveTheIndex(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		long := strings.Repeat("l", 251) + ".png"
		tags := []string{"kept"}
		point := &notes.FocalPoint{X: 0.25, Y: 0.75}
		for _, p := range []string{"a/one.png", "a/" + long, "two.png"} {
			s.Put(p, png)
			_, err := s.UpdateFile(access.All(t.Context()),
				gallery.UpdateFileInput{Path: p, Tags: &tags, FocalPoint: &point})
			must(t, err)
		}
		must(t, s.MoveFile(access.All(t.Context()), "two.png", "b/moved.png"))
		must(t, s.CopyFile(access.All(t.Context()), "a/one.png", "b/copied.png"))
		must(t, s.MoveFile(access.All(t.Context()), "a", "c/d"))
		check := func(when string) {
			t.Helper()
			for _, p := range []string{"c/d/one.png", "c/d/" + long, "b/moved.png", "b/copied.png"} {
				f, err := s.File(access.All(t.Context()), p)
				must(t, err)
				if !slices.Equal(f.Tags(), tags) || f.FocalPoint() == nil || *f.FocalPoint() != *point {
					t.Errorf("%s: %.20s has %v %v", when, p, f.Tags(), f.FocalPoint())
				}
			}
			have := s.all(gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Tags: tags}}, 50)
			if len(have) != 4 {
				t.Errorf("%s: %d files with the tag", when, len(have))
			}
		}
		check("at once")
		for _, table := range []string{"entries", "taggings"} {
			_, err := db.Exec("DELETE FROM " + table)
			must(t, err)
		}
		s.scan()
		check("after the index was deleted")
		none := []string{}
		var nowhere *notes.FocalPoint
		_, err := s.UpdateFile(
			access.All(t.Context()),
			gallery.UpdateFileInput{Path: "b/moved.png", Tags: &none, FocalPoint: &nowhere},
		)
		must(t, err)
		if _, err := os.Stat(filepath.Join(s.Dir, "b/.safelight/moved.png.json")); !os.IsNotExist(err) {
			t.Error("a file of which nothing is said keeps a sidecar")
		}
		must(t, s.DeleteFile(access.All(t.Context()), "b/copied.png"))
		if _, err := os.Stat(filepath.Join(s.Dir, "b/.safelight/copied.png.json")); !os.IsNotExist(err) {
			t.Error("a file that was deleted keeps a sidecar")
		}
		for _, bad := range []gallery.UpdateFileInput{
			{Path: "b/moved.png", Tags: &[]string{""}}, {Path: "b/moved.png", FocalPoint: ptr(&notes.FocalPoint{X: 2})},
			{Path: ".safelight/x"}} {
			_, err := s.UpdateFile(access.All(t.Context()), bad)
			want(t, err, fault.Invalid, fmt.Sprintf("%+v", bad))
		}
	})
}

// TestRun lets the background work scan and analyze pictures.
func TestRun(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.onDisk("a/real.png", realPNG(t, 40, 30))
		s.onDisk("a/fake.png", png)
		must(t, os.Symlink("..", filepath.Join(s.Dir, "a/loop")))
		s.run(gallery.RunConfig{ScanInterval: time.Hour, MetadataWorkers: 2})
		s.until("the pictures are known", func() bool {
			st, err := s.IndexStatus(s.Context())
			s.Must(err)
			n, err := st.PendingFiles(access.All(t.Context()))
			must(t, err)
			return n == 0 && st.Scan != nil && st.Scan.State == gallery.ScanDone
		})
		f, err := s.File(access.All(t.Context()), "a/real.png")
		must(t, err)
		if f.Metadata() != gallery.MetadataKnown || f.Width() == nil || *f.Width() != 40 ||
			*f.Orientation() != search.Landscape {
			t.Errorf("real: %s %v", f.Metadata(), f.Width())
		}
		f, err = s.File(access.All(t.Context()), "a/fake.png")
		if err != nil || f.Metadata() != gallery.MetadataFailed || f.Width() != nil {
			t.Errorf("fake: %s %v, %v", f.Metadata(), f.Width(), err)
		}
		s.onDisk("new/later.png", realPNG(t, 10, 20))
		scan, err := s.Rescan(access.All(t.Context()), "")
		if err != nil || scan.State == gallery.ScanFailed {
			t.Errorf("Rescan = %+v, %v", scan, err)
		}
		tall := search.Portrait
		o := gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Orientation: &tall}}
		s.until("the new one is known", func() bool {
			// all compares the pages with the count. The file may be indexed between the two reads.
			c, err := s.Files(access.All(t.Context()), o)
			must(t, err)
			return len(c.Nodes()) == 1
		})
		if names := s.all(o, 10); len(names) != 1 {
			t.Errorf("known: %v", names)
		}
		_, err = s.Rescan(access.All(t.Context()), "none")
		want(t, err, fault.NotFound, "scanning a folder that is not there")
	})
}

func pageInfo(t *testing.T, c interface {
	PageInfo(context.Context) (*gallery.PageInfo, error)
}) *gallery.PageInfo {
	t.Helper()
	p, err := c.PageInfo(access.All(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHasPreviousPage checks that the field is only true while something that matches precedes the page.
func TestHasPreviousPage(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		for _, name := range []string{"p/a.png", "p/b.png", "p/c.png"} {
			_, err := s.UploadFile(ctx, name, strings.NewReader(gallerytest.PNG))
			must(t, err)
		}
		two := int32(2)
		for _, descending := range []bool{false, true} {
			o := gallery.BrowseOptions{Folder: "p", First: &two, Descending: descending}
			first, err := s.Files(ctx, o)
			must(t, err)
			o.After = *pageInfo(t, first).EndCursor
			second, err := s.Files(ctx, o)
			must(t, err)
			if pageInfo(t, first).HasPreviousPage || !pageInfo(t, second).HasPreviousPage {
				t.Errorf("descending %t: the first page has a previous one, or the second has none", descending)
			}
		}
		o := gallery.BrowseOptions{Folder: "p", First: &two}
		first, err := s.Files(ctx, o)
		must(t, err)
		o.After = *pageInfo(t, first).EndCursor
		must(t, s.DeleteFile(ctx, "p/a.png"))
		must(t, s.DeleteFile(ctx, "p/b.png"))
		last, err := s.Files(ctx, o)
		must(t, err)
		if len(last.Edges) != 1 || pageInfo(t, last).HasPreviousPage {
			t.Errorf("%d files; nothing precedes them", len(last.Edges))
		}
	})
}
