package gallery_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

// viewer returns the context of an account that sees some folders only.
func viewer(s *gallerytest.Stage, folders ...string) context.Context {
	s.Helper()
	session := s.Person("viewer", auth.RoleUser)
	s.Must(s.SetGrants(s.Context(), "", nil))
	for _, f := range folders {
		s.Must(s.Access.SetGrants(s.Context(), f, []*access.Grant{
			{To: access.Grantee{Kind: access.Account, ID: session.User.ID.String()}, Right: access.View},
		}))
	}
	return s.As(session)
}

// many inserts pictures into a folder that exists, whose dates alternate with those of the other folders.
func many(s *gallerytest.Stage, folder string, count, shift int) {
	s.Helper()
	_, err := s.Pool.Exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO entries (path, parent_id, name, name_key, kind, type, words, size, modified, taken_key, pixels, meta_state)
		SELECT '%s/p' || i || '.png', (SELECT id FROM entries WHERE path = '%s'), 'p' || i || '.png',
			%s, 1, 'png', 'common png', i * 3 + %d, i * 86400000000000, CAST(i AS BIGINT) * 86400000000000 + %d, i, 1 FROM n`,
		count, folder, folder, key(s), shift, shift))
	s.Must(err)
}

// key is the SQL of the key of a name.
func key(s *gallerytest.Stage) string {
	if strings.Contains(fmt.Sprintf("%T", s.Pool.Driver()), "pq") {
		return `convert_to('p' || i || '.png', 'UTF8') || '\x00'::bytea || convert_to('p' || i || '.png', 'UTF8')`
	}
	return `CAST('p' || i || '.png' || char(0) || 'p' || i || '.png' AS BLOB)`
}

// TestPartialLists lists, counts and pages what a caller sees of a library: with few files in the folders that were
// granted, and with more than are listed by their ids.
func TestPartialLists(t *testing.T) {
	for _, count := range []int{7, search.MaxCandidates + 50} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
				for i, folder := range []string{"a/seen", "a/seen/deep", "b/hidden", "c/also"} {
					s.Put(folder+"/f.png", gallerytest.PNG)
					_, err := s.Folder(s.Context(), folder)
					s.Must(err)
					many(s, folder, count, i)
				}
				partial(s, count)
			})
		})
	}
}

func isSeen(path string) bool {
	return strings.HasPrefix(path, "a/seen/") || strings.HasPrefix(path, "c/also/")
}

// pages returns the paths of the first files of a list, at least n if there are so many.
func pages(ctx context.Context, s *gallerytest.Stage, o gallery.BrowseOptions, n int) (paths []string) {
	s.Helper()
	first := int32(100)
	o.First = &first
	for len(paths) < n {
		c, err := s.Files(ctx, o)
		s.Must(err)
		for _, e := range c.Edges {
			paths, o.After = append(paths, e.Node.Path()), e.Cursor
		}
		if len(c.Edges) < 100 {
			break
		}
	}
	return paths
}

func partial(s *gallerytest.Stage, count int) {
	s.Helper()
	ctx := viewer(s, "a/seen", "c/also", "gone")
	total := int32(3 * (count + 1))
	for _, order := range []gallery.Order{
		gallery.OrderName, gallery.OrderSize, gallery.OrderModified, gallery.OrderTaken, gallery.OrderDimensions,
		gallery.OrderRating,
	} {
		for _, search := range []string{"", "common", "f"} {
			o := gallery.BrowseOptions{Recursive: true, Order: order, Descending: order == gallery.OrderTaken, Search: search}
			all := pages(s.Context(), s, o, 300)
			all = slices.DeleteFunc(all, func(p string) bool { return !isSeen(p) })
			found := pages(ctx, s, o, 200)
			n := min(len(all), len(found), 200)
			if len(all) == 0 || !slices.Equal(all[:n], found[:n]) || slices.ContainsFunc(found, func(p string) bool { return !isSeen(p) }) {
				s.Errorf("%s, search %q: %d files, expected %d", order, search, len(found), len(all))
			}
			o.Skip = 5
			if skipped := pages(ctx, s, o, 1); len(found) > 5 && (len(skipped) == 0 || skipped[0] != found[5]) {
				s.Errorf("%s, search %q: after 5 %.1q, expected %.6q", order, search, skipped, found)
			}
		}
	}
	o := gallery.BrowseOptions{Recursive: true}
	c, err := s.Files(ctx, o)
	s.Must(err)
	if n, err := c.TotalCount(ctx, false); err != nil || n == nil || *n != total {
		s.Errorf("%v files, %v, expected %d", n, err, total)
	}
	for _, by := range []search.TimelineUnit{search.Year, search.Month} {
		buckets, err := s.Timeline(ctx, o, by)
		s.Must(err)
		sum := int32(0)
		for _, b := range buckets {
			sum += b.Count
		}
		if sum != total {
			s.Errorf("the timeline has %d files, expected %d", sum, total)
		}
	}
	folders, err := s.Folders(ctx, o)
	s.Must(err)
	var names []string
	for _, f := range folders.Nodes() {
		n, err := f.TotalFiles(ctx)
		s.Must(err)
		names = append(names, fmt.Sprint(f.Path(), " ", n))
	}
	each := count + 1
	want := fmt.Sprintf("a %d, a/seen %d, a/seen/deep %d, c %d, c/also %d", 2*each, 2*each, each, each, each)
	slices.Sort(names)
	if got := strings.Join(names, ", "); got != want {
		s.Errorf("folders %s, expected %s", got, want)
	}
	if n, err := folders.TotalCount(ctx, false); err != nil || n == nil || *n != 5 {
		s.Errorf("%v folders, %v", n, err)
	}
	if top, err := s.Names(ctx, ""); err != nil || strings.Join(top, " ") != "a c" {
		s.Errorf("the root holds %v, %v", top, err)
	}
	size, err := folders.Nodes()[0].TotalSize(ctx)
	s.Must(err)
	rest, err := s.Folder(s.Context(), folders.Nodes()[0].Path())
	s.Must(err)
	if whole, err := rest.TotalSize(s.Context()); err != nil || whole != size {
		s.Errorf("%d bytes, expected %d, %v", size, whole, err)
	}
	status, err := s.IndexStatus(ctx)
	s.Must(err)
	if n, err := status.PendingFiles(ctx); err != nil || n != 3 {
		s.Errorf("%d pending files, expected 3, %v", n, err)
	}
}
