package gallery_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

// hashed writes the row of an analyzed file.
func (s *stage) hashed(db *sql.DB, path string, phash uint64, sum string) {
	s.Helper()
	query := "UPDATE entries SET meta_state = 1, phash = %d, sha256 = x'%s' WHERE path = '%s'"
	if strings.HasPrefix(fmt.Sprintf("%T", db.Driver()), "*pq") {
		query = `UPDATE entries SET meta_state = 1, phash = %d, sha256 = '\x%s' WHERE path = '%s'`
	}
	_, err := db.Exec(fmt.Sprintf(query, int64(phash), strings.Repeat(sum, 32), path))
	must(s.T, err)
}

// TestSimilarFiles compares the result with that of comparing all hashes.
func TestSimilarFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		random := rand.New(rand.NewPCG(1, 2))
		hash := uint64(0xfedcba9876543210) // its sign bit is set
		hashes := map[string]uint64{"0.png": hash}
		for i := 1; i < 300; i++ {
			other := hash
			for range i % 16 {
				other ^= 1 << random.IntN(64)
			}
			hashes[fmt.Sprintf("%d.png", i)] = other
		}
		for p := range hashes {
			s.onDisk(p, png)
		}
		s.onDisk("text.txt", "no picture")
		s.onDisk(".hidden/x.png", png)
		s.scan()
		for p, h := range hashes {
			s.hashed(db, p, h, "01")
		}
		s.hashed(db, ".hidden/x.png", hash, "01")
		f, err := s.File(access.All(t.Context()), "0.png")
		must(t, err)
		for distance := range 12 {
			all := 0
			for p, h := range hashes {
				if p != "0.png" && bits.OnesCount64(h^hash) <= distance {
					all++
				}
			}
			var list []*gallery.SimilarFile
			for after := ""; ; {
				page, err := s.SimilarFiles(access.All(t.Context()), f, distance, 100, after)
				must(t, err)
				total, err := page.Count(access.All(t.Context()))
				must(t, err)
				if total != all || page.Before != (after != "") ||
					page.After != (len(list)+len(page.Items) < all) {
					t.Errorf("distance %d: %+v of %d", distance, page, all)
				}
				list = append(list, page.Items...)
				if !page.After {
					break
				}
				after = page.Cursors[len(page.Cursors)-1]
			}
			if len(list) != all {
				t.Errorf("distance %d: %d files, expected %d", distance, len(list), all)
			}
			last, seen := int32(0), map[string]bool{}
			for _, l := range list {
				if seen[l.File.Path()] {
					t.Errorf("%s is on two pages", l.File.Path())
				}
				seen[l.File.Path()] = true
				if h := hashes[l.File.Path()]; bits.OnesCount64(h^hash) != int(l.Distance) || l.Distance < last ||
					int(l.Distance) > distance {
					t.Errorf("%s is said to be %d away", l.File.Path(), l.Distance)
				}
				last = l.Distance
			}
		}
		_, err = s.SimilarFiles(access.All(t.Context()), f, 12, 20, "")
		want(t, err, fault.Invalid, "a distance of 12")
		text, err := s.File(access.All(t.Context()), "text.txt")
		must(t, err)
		_, err = s.SimilarFiles(access.All(t.Context()), text, 6, 20, "")
		want(t, err, fault.Invalid, "what looks like a text")
		_, err = s.SimilarFiles(access.All(t.Context()), f, 6, 20, "x")
		want(t, err, fault.Invalid, "a cursor of nothing")
	})
}

// TestDuplicates groups files by content, page by page.
func TestDuplicates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for path, sum := range map[string]string{"a.png": "01", "f/b.png": "01", "c.png": "ff", "d.png": "ff",
			"e.png": "ff", "g.png": "77", "h.png": "88", ".x/h.png": "88"} {
			s.onDisk(path, png)
			s.scan()
			s.hashed(db, path, 1, sum)
		}
		s.onDisk("unseen.png", png)
		s.scan()
		say := func(p *database.Page[*gallery.DuplicateGroup]) string {
			var out []string
			for _, d := range p.Items {
				var paths []string
				files, err := d.Files(access.All(t.Context()))
				must(t, err)
				for _, f := range files {
					paths = append(paths, f.Path())
				}
				out = append(
					out,
					fmt.Sprintf("%s %d x %d: %s", d.SHA256[:2], d.Count, d.Size, strings.Join(paths, " ")),
				)
			}
			return strings.Join(out, ", ")
		}
		all, err := s.Duplicates(access.All(t.Context()), 100, "")
		must(t, err)
		first := fmt.Sprintf("01 2 x %d: a.png f/b.png", len(png))
		second := fmt.Sprintf("ff 3 x %d: c.png d.png e.png", len(png))
		if have := say(all); have != first+", "+second || all.After {
			t.Error(have)
		}
		one, err := s.Duplicates(access.All(t.Context()), 1, "")
		must(t, err)
		two, err := s.Duplicates(access.All(t.Context()), 1, one.Cursors[0])
		must(t, err)
		if say(one) != first || say(two) != second || !one.After || two.After {
			t.Errorf("%s; %s", say(one), say(two))
		}
		must(t, s.DeleteFile(access.All(t.Context()), "f"))
		_, err = s.TrashFile(access.All(t.Context()), "c.png")
		must(t, err)
		all, err = s.Duplicates(access.All(t.Context()), 100, "")
		must(t, err)
		if have := say(all); !strings.HasSuffix(have, ": d.png e.png") {
			t.Errorf("after deleting: %s", have)
		}
		_, err = s.Duplicates(access.All(t.Context()), 1, "zz")
		want(t, err, fault.Invalid, "a cursor of nothing")
	})
}

// TestTagFiles adds and removes tags.
func TestTagFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a.png", png)
		s.Put("b.png", png)
		_, err := s.UpdateFile(
			access.All(t.Context()),
			gallery.UpdateFileInput{Path: "a.png", Tags: &[]string{"Sea", "old", "2034"}, Description: ptr("stays")},
		)
		must(t, err)
		r, err := s.TagFiles(
			access.All(t.Context()), []string{"b.png", "none.png", "a.png"}, []string{"sea", "new"}, []string{"OLD"},
		)
		must(t, err)
		want(t, r[1].Err, fault.NotFound, "tagging what is not there")
		if have := strings.Join(updated(t, r[0]).Tags(), " "); have != "sea new" {
			t.Errorf("b.png has %s", have)
		}
		if have := strings.Join(updated(t, r[2]).Tags(), " "); have != "Sea 2034 new" ||
			updated(t, r[2]).Description() != "stays" {
			t.Errorf("a.png has %s, %q", have, updated(t, r[2]).Description())
		}
		if e := s.Events(audit.Filter{Action: "file.update"}); len(e) != 3 {
			t.Errorf("%d events", len(e))
		}
		many := make([]string, 99)
		for i := range many {
			many[i] = fmt.Sprint("t", i)
		}
		r, err = s.TagFiles(access.All(t.Context()), []string{"a.png", "b.png"}, many[:98], nil)
		must(t, err)
		want(t, r[0].Err, fault.Invalid, "101 tags")
		if !r[1].OK() {
			t.Errorf("100 tags: %v", r[1].Err)
		}
		for _, c := range [][2][]string{{nil, nil}, {{"x"}, {"X"}}, {{""}, nil}, {nil, {"a\nb"}}} {
			_, err := s.TagFiles(access.All(t.Context()), []string{"a.png"}, c[0], c[1])
			want(t, err, fault.Invalid, fmt.Sprint("tagging with ", c))
		}
	})
}

// TestSimilarGroups groups pictures that look the same, page by page, the largest first.
func TestSimilarGroups(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []struct {
			path   string
			hash   uint64
			sum    string
			pixels int
		}{
			{"a/small.png", 0xff00_0008, "01", 10}, {"a/large.png", 0xff00_000f, "02", 20},
			{"b/one.png", 0xffff_0000_ffff_0000, "03", 5}, {"b/two.png", 0xffff_0000_ffff_0001, "04", 4},
			{"copy.png", 0x5555, "05", 4}, {"copies/copy.png", 0x5555, "05", 4}, {"alone.png", 4095, "06", 4},
			{".hidden/a.png", 0xff00_0008, "07", 4},
			{"flat/red.png", 0, "08", 4}, {"flat/blue.png", 0, "09", 4},
		} {
			s.onDisk(p.path, png)
			s.scan() // index the files in this order
			s.hashed(db, p.path, p.hash, p.sum)
			_, err := db.Exec(fmt.Sprintf("UPDATE entries SET pixels = %d WHERE path = '%s'", p.pixels, p.path))
			must(t, err)
		}
		say := func(p *database.Page[*gallery.SimilarGroup]) (said string) {
			for _, n := range p.Items {
				files, err := n.Files(access.All(t.Context()))
				must(t, err)
				for _, f := range files {
					said += f.Path() + " "
				}
				said += fmt.Sprint(n.Count, "; ")
			}
			return said
		}
		page := func(first int, after string) *database.Page[*gallery.SimilarGroup] {
			p, err := s.SimilarGroups(access.All(t.Context()), first, after)
			must(t, err)
			return p
		}
		all := page(100, "")
		if got := say(all); got != "a/large.png a/small.png 2; b/one.png b/two.png 2; " || all.After ||
			all.Before {
			t.Errorf("groups: %s", got)
		}
		one := page(1, "")
		two := page(1, one.Cursors[0])
		if say(one)+say(two) != say(all) || !one.After || two.After ||
			!two.Before {
			t.Errorf("pages: %s and %s, %v %v %v", say(one), say(two), one.After, two.Before, two.After)
		}
		_, err := s.SimilarGroups(access.All(t.Context()), 1, "zz")
		want(t, err, fault.Invalid, "a cursor of nothing")
	})
}

// TestBrokenAndTemplates selects files that cannot be decoded, and excludes templates. Previews of templates
// are never listed.
func TestBrokenAndTemplates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, path := range []string{"a/fine.png", "a/broken.png", "a/large.png", "a/card.template.json",
			"a/card.template.preview.webp", "a/CARD.Template.JSON", "a/notes.txt"} {
			s.onDisk(path, png)
		}
		s.scan()
		for path, state := range map[string]int{"a/fine.png": 1, "a/large.png": 2, "a/broken.png": 4} {
			_, err := db.Exec(fmt.Sprintf("UPDATE entries SET meta_state = %d WHERE path = '%s'", state, path))
			must(t, err)
		}
		yes, no, one := true, false, int32(1)
		for _, c := range []struct {
			filter search.Filter
			want   string
		}{
			{search.Filter{}, "broken.png CARD.Template.JSON card.template.json fine.png large.png notes.txt"},
			{search.Filter{IsTemplate: &no}, "broken.png fine.png large.png notes.txt"},
			{search.Filter{IsTemplate: &yes}, "CARD.Template.JSON card.template.json"},
			{search.Filter{IsBroken: &yes}, "broken.png"},
			{search.Filter{IsBroken: &no, IsTemplate: &no}, "fine.png large.png notes.txt"},
			{search.Filter{IsBroken: &yes, IsTemplate: &yes}, ""},
		} {
			files, err := s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: "a", Filter: c.filter})
			must(t, err)
			var names, whole []string
			for _, f := range files.Nodes() {
				names = append(names, f.Name())
			}
			// Across the whole library, in pages of one file, there are the same files and counts.
			for after := ""; ; {
				files, err := s.Files(
					access.All(t.Context()),
					gallery.BrowseOptions{Recursive: true, Filter: c.filter, First: &one, After: after},
				)
				must(t, err)
				if n := s.exact(files); n != len(names) {
					t.Errorf("%+v: the whole library counts %d, expected %d", c.filter, n, len(names))
				}
				for _, f := range files.Nodes() {
					whole = append(whole, f.Name())
				}
				info, err := files.PageInfo(access.All(t.Context()))
				must(t, err)
				if !info.HasNextPage {
					break
				}
				after = *info.EndCursor
			}
			if !slices.Equal(names, whole) {
				t.Errorf("%+v: the whole library has %q, expected %q", c.filter, whole, names)
			}
			slices.SortFunc(names, func(a, b string) int {
				return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
			})
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%+v: %s, expected %s", c.filter, got, c.want)
			}
		}
	})
}

func updated(t *testing.T, r *gallery.BulkResult) *gallery.File {
	t.Helper()
	f, err := r.File(access.All(t.Context()))
	must(t, err)
	return f
}
