package gallery_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// viewer returns the context of an account that only sees some folders.
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

// many inserts pictures into an existing folder. Their dates alternate with those of the other folders.
func many(s *gallerytest.Stage, folder string, count, shift int) {
	s.Helper()
	_, err := s.Pool.Exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO entries (path, parent_id, name, name_key, kind, type, words, size, modified, taken_key, pixels,
			rating, meta_state)
		SELECT '%s/p' || i || '.png', (SELECT id FROM entries WHERE path = '%s'), 'p' || i || '.png',
			%s, 1, 'png', 'common png', i * 3 + %d, i * 86400000000000, CAST(i AS BIGINT) * 86400000000000 + %d, i,
			i %% 6, 1 FROM n`,
		count, folder, folder, key(s), shift, shift))
	s.Must(err)
}

// key returns the SQL expression for the sort key of a name.
func key(s *gallerytest.Stage) string {
	if strings.Contains(fmt.Sprintf("%T", s.Pool.Driver()), "pq") {
		return `convert_to('p' || i || '.png', 'UTF8') || '\x00'::bytea || convert_to('p' || i || '.png', 'UTF8')`
	}
	return `CAST('p' || i || '.png' || char(0) || 'p' || i || '.png' AS BLOB)`
}

// TestPartialLists lists, counts and pages through what a caller sees of a library: with few files in the
// granted folders, which are sorted; with so many that the files of the folders are merged; with too many
// folders to list their ids, with many and with few other files.
func TestPartialLists(t *testing.T) {
	for _, one := range []struct{ count, lastID int }{
		{7, 0}, {800, 0}, {search.MaxCandidates + 50, 50_000_000}, {search.MaxCandidates + 50, 0}} {
		count := one.count
		t.Run(fmt.Sprint(one), func(t *testing.T) {
			gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
				for i, folder := range []string{"a/seen", "a/seen/deep", "b/hidden", "c/also"} {
					s.Put(folder+"/f.png", gallerytest.PNG)
					_, err := s.Folder(s.Context(), folder)
					s.Must(err)
					many(s, folder, count, i)
				}
				if one.lastID != 0 {
					_, err := s.Pool.Exec("UPDATE entries SET id = $1 WHERE path = 'b/hidden/f.png'", one.lastID)
					s.Must(err)
				}
				partial(s, count)
			})
		})
	}
}

func isSeen(path string) bool {
	return strings.HasPrefix(path, "a/seen/") || strings.HasPrefix(path, "c/also/")
}

// pages returns the paths of the first files of a list, at least n if there are that many.
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
	s.Must(s.CreateFolder(s.Context(), "gone"))
	ctx := viewer(s, "a/seen", "c/also", "gone")
	s.Must(s.Store.Delete(s.Context(), "gone"))
	if _, err := s.Folder(s.Context(), "gone"); fault.CodeOf(err) != fault.NotFound {
		s.Errorf("%v, expected that the folder is gone", err)
	}
	total := int32(3 * (count + 1))
	for _, order := range []gallery.Sort{
		gallery.SortName, gallery.SortSize, gallery.SortModified, gallery.SortTaken, gallery.SortDimensions,
		gallery.SortRating,
	} {
		searches := []string{"", "common", "f"}
		if testing.Short() { // another one each time
			searches = searches[rand.IntN(3):][:1]
		}
		for _, search := range searches {
			o := gallery.BrowseOptions{Recursive: true, Sort: order, Descending: order == gallery.SortTaken,
				Search: search}
			all := pages(s.Context(), s, o, 300)
			all = slices.DeleteFunc(all, func(p string) bool { return !isSeen(p) })
			found := pages(ctx, s, o, 200)
			n := min(len(all), len(found), 200)
			if len(all) == 0 || !slices.Equal(all[:n], found[:n]) ||
				slices.ContainsFunc(found, func(p string) bool { return !isSeen(p) }) {
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
	others(ctx, s)
	status, err := s.IndexStatus(ctx)
	s.Must(err)
	if n, err := status.PendingFiles(ctx); err != nil || n != 2 {
		s.Errorf("%d pending files, expected 2, %v", n, err)
	}
}

// others makes the queries that do not list files. Each result must only cover what the caller sees.
func others(ctx context.Context, s *gallerytest.Stage) {
	s.Helper()
	_, err := s.Pool.Exec("UPDATE entries SET phash = 255, sha256 = (SELECT name_key FROM entries WHERE path = 'a'), " +
		"camera = 'Cam', place = 'JP|Kyoto|Kyoto', map_x = 536870912, map_y = 536870912 WHERE name = 'f.png'")
	s.Must(err)
	for _, p := range []string{"a/seen/f.png", "b/hidden/f.png"} {
		results, err := s.TagFiles(s.Context(), []string{p}, []string{"tag"}, nil)
		s.Must(err)
		s.Must(results[0].Err)
	}
	f, err := s.File(ctx, "a/seen/f.png")
	s.Must(err)
	near, err := s.SimilarFiles(ctx, f, 3, 100, "")
	s.Must(err)
	twins, err := s.Duplicates(ctx, 100, "")
	s.Must(err)
	tags, err := s.Tags(ctx, 100, "")
	s.Must(err)
	later, err := s.Tags(ctx, 100, database.Cursor(100, "x"))
	s.Must(err)
	if len(near.Items) != 2 || len(twins.Items) != 1 || twins.Items[0].Count != 3 || len(tags.Items) != 1 ||
		tags.Items[0].Count != 1 || len(later.Items) != 1 {
		s.Errorf("%d similar, duplicates %+v, tags %+v, later %+v", len(near.Items), twins.Items, tags.Items,
			later.Items)
	}
	if n, err := s.CountTags(ctx); err != nil || n != 1 {
		s.Errorf("%d tags, %v", n, err)
	}
	groups, err := s.SimilarGroups(ctx, 100, "")
	s.Must(err)
	files, err := twins.Items[0].Files(ctx)
	if err != nil || len(files) != 3 || len(groups.Items) != 1 || groups.Items[0].Count != 3 {
		s.Errorf("%d duplicates, %v, %d similar groups", len(files), err, len(groups.Items))
	}
	for kind, want := range map[gallery.SuggestionKind]int32{
		gallery.SuggestTag: 1, gallery.SuggestCamera: 3, gallery.SuggestPlace: 3,
	} {
		list, err := s.Suggestions(ctx, kind, "", 10, gallery.BrowseOptions{})
		s.Must(err)
		if len(list) == 0 || list[0].Count == nil || *list[0].Count != want {
			s.Errorf("suggestions %s: %+v, expected %d files", kind, list, want)
		}
	}
	cam := gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Camera: "cam"}}
	among, err := s.Suggestions(ctx, gallery.SuggestCamera, "", 10, cam)
	s.Must(err)
	counts, err := s.CountEach(ctx, cam, []*search.Filter{{}})
	s.Must(err)
	if len(among) != 1 || *among[0].Count != 3 || counts[0] != 3 {
		s.Errorf("suggestions of a filter %+v, count %d, expected 3 files", among, counts[0])
	}
	clusters, err := s.Clusters(
		ctx, gallery.BrowseOptions{Recursive: true}, search.Bounds{South: -85, West: -180, North: 85, East: 180}, 0,
	)
	s.Must(err)
	if len(clusters) != 1 || clusters[0].Count != 3 {
		s.Errorf("clusters %+v", clusters)
	}
	for _, filter := range []search.Filter{{Camera: "cam"}, {Place: "Kyoto"}} {
		if n := len(pages(ctx, s, gallery.BrowseOptions{Recursive: true, Filter: filter}, 10)); n != 3 {
			s.Errorf("%+v: %d files", filter, n)
		}
	}
	for _, p := range []string{"a/seen/f.png", "b/hidden/f.png"} {
		_, err := s.TrashFile(s.Context(), p)
		s.Must(err)
	}
	trashed, err := s.TrashedFiles(ctx, 10, "")
	s.Must(err)
	if n, err := trashed.Count(ctx); err != nil || n != 1 || len(trashed.Items) != 1 {
		s.Errorf("%d in the trash, %d listed, %v", n, len(trashed.Items), err)
	}
	s.Must(s.MoveFile(s.Context(), "c/also", "d/moved"))
	if n := len(pages(ctx, s, gallery.BrowseOptions{Folder: "d", Recursive: true}, 2)); n == 0 {
		s.Error("a folder that was moved lost its grants")
	}
	if n, err := s.EmptyTrash(ctx); err == nil && n != 0 {
		s.Errorf("%d purged by a viewer", n)
	}
}

// TestKeptRights checks that each change of rights and folders applies immediately on the server that makes
// it and on a second server, although both have cached what the viewer saw before.
func TestKeptRights(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		for _, folder := range []string{"a", "a/sub", "b", "c"} {
			s.Put(folder+"/f.png", gallerytest.PNG)
			_, err := s.Folder(s.Context(), folder)
			s.Must(err)
		}
		person := s.Person("viewer", auth.RoleUser)
		one := []uuid.UUID{person.User.ID}
		ctx, admin, other := s.As(person), s.Context(), s.Again()
		account := access.Grantee{Kind: access.Account, ID: one[0].String()}
		set := func(folder string, to access.Grantee, rights ...access.Right) {
			var grants []*access.Grant
			for _, r := range rights {
				grants = append(grants, &access.Grant{To: to, Right: r})
			}
			s.Must(other.Access.SetGrants(admin, folder, grants))
		}
		sees := func(after, want string) {
			s.Helper()
			for _, server := range []*gallerytest.Rules{s.Rules, other, s.Rules, other} {
				c, err := server.Files(ctx, gallery.BrowseOptions{Recursive: true, Sort: gallery.SortSize})
				s.Must(err)
				var got []string
				for _, e := range c.Edges {
					got = append(got, strings.TrimSuffix(e.Node.Path(), "/f.png"))
				}
				slices.Sort(got)
				if strings.Join(got, " ") != want {
					s.Errorf("after %s: %q, expected %q", after, got, want)
				}
				for i, path := range got {
					got[i], _, _ = strings.Cut(path, "/")
				}
				roots := slices.Compact(got)
				list, err := server.Folders(ctx, gallery.BrowseOptions{})
				s.Must(err)
				var listed []string
				for _, f := range list.Nodes() {
					listed = append(listed, f.Path())
				}
				if n, err := list.TotalCount(ctx, false); err != nil || int(*n) != len(roots) ||
					!slices.Equal(listed, roots) {
					s.Errorf("after %s: the folders %q are listed, %v, expected %q", after, listed, err, roots)
				}
			}
		}
		set("", account)
		sees("no grant", "")
		set("a", account, access.View)
		sees("a grant", "a a/sub")
		for _, right := range []access.Right{access.Edit, access.View} {
			set("a", account, right)
			for _, server := range []*gallerytest.Rules{s.Rules, other} {
				f, err := server.Folder(ctx, "a")
				s.Must(err)
				if got, err := f.Access(ctx); err != nil || got == nil || *got != right {
					s.Errorf("the right is %v, %v, expected %v", got, err, right)
				}
			}
		}
		group, err := other.Access.CreateGroup(admin, "group", nil)
		s.Must(err)
		set("b", access.Grantee{Kind: access.Group, ID: group.ID.String()}, access.View)
		sees("a grant to a group", "a a/sub")
		_, err = other.Access.UpdateGroup(admin, group.ID, access.ChangeGroup{Add: one})
		s.Must(err)
		sees("becoming a member", "a a/sub b")
		_, err = other.Access.UpdateGroup(admin, group.ID, access.ChangeGroup{Remove: one})
		s.Must(err)
		sees("leaving the group", "a a/sub")
		_, err = other.Access.UpdateGroup(admin, group.ID, access.ChangeGroup{Add: one})
		s.Must(err)
		sees("becoming a member again", "a a/sub b")
		s.Must(other.Access.DeleteGroup(admin, group.ID))
		sees("the end of the group", "a a/sub")
		set("c", access.Grantee{Kind: access.Everyone}, access.View)
		sees("a grant to everyone", "a a/sub c")
		set("c", account)
		sees("its end", "a a/sub")

		s.Must(other.CreateFolder(admin, "a/new"))
		sees("a new folder", "a a/sub")
		s.Must(other.MoveFile(admin, "b/f.png", "a/new/f.png"))
		sees("a file that came", "a a/new a/sub")
		s.Must(other.MoveFile(admin, "a/new/f.png", "b/f.png"))
		sees("a file that went", "a a/sub")
		s.Must(other.MoveFile(admin, "a/sub", "b/sub"))
		sees("a folder that went", "a")
		s.Must(other.MoveFile(admin, "b/sub", "a/back"))
		sees("a folder that came", "a a/back")
		s.Must(other.MoveFile(admin, "a", "b/a"))
		sees("a move with the grants", "b/a b/a/back")
		item, err := other.TrashFile(admin, "b/a/back")
		s.Must(err)
		sees("a folder in the trash", "b/a")
		_, err = other.RestoreFile(admin, item.ID, gallery.ConflictError)
		s.Must(err)
		sees("its return", "b/a b/a/back")
		s.Must(other.RemoveFile(admin, "b/a/back"))
		sees("its end", "b/a")
		s.Must(other.RemoveFile(admin, "b/a"))
		sees("the end of the folder with the grant", "")
		s.Must(other.CreateFolder(admin, "b/a"))
		s.Must(other.MoveFile(admin, "b/f.png", "b/a/f.png"))
		sees("another folder of its name", "")
	})
}

// TestVeryManyFolders checks that the results are the same if there are too many folders for a server to
// cache their ids.
func TestVeryManyFolders(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		for _, folder := range []string{"a/seen", "b/hidden"} {
			s.Put(folder+"/f.png", gallerytest.PNG)
			_, err := s.Folder(s.Context(), folder)
			s.Must(err)
			many(s, folder, 150, 0)
		}
		_, err := s.Pool.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) " +
			"INSERT INTO entries (path, parent_id, name, name_key, kind) SELECT 'a/seen/d' || i, " +
			"(SELECT id FROM entries WHERE path = 'a/seen'), 'd' || i, (SELECT name_key FROM entries WHERE path = " +
			"'a'), 0 FROM n")
		s.Must(err)
		ctx := viewer(s, "a/seen")
		for range 2 { // once from the cache, too
			for _, text := range []string{"", "common"} {
				o := gallery.BrowseOptions{Recursive: true, Search: text, Sort: gallery.SortTaken}
				want := slices.DeleteFunc(pages(s.Context(), s, o, 400), func(p string) bool { return !isSeen(p) })
				if got := pages(ctx, s, o, 400); len(want) < 150 || !slices.Equal(got, want) {
					s.Errorf("search %q: %d files, expected %d", text, len(got), len(want))
				}
			}
			c, err := s.Files(ctx, gallery.BrowseOptions{Recursive: true})
			s.Must(err)
			if n, err := c.TotalCount(ctx, false); err != nil || *n != 151 {
				s.Errorf("%v files, %v", *n, err)
			}
			if n, err := s.CountTags(ctx); err != nil || n != 0 {
				s.Errorf("%d tags, %v", n, err)
			}
		}
	})
}

// TestManyGrants checks that all lists work for somebody with very many grants, also on deep folders.
func TestManyGrants(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		for _, p := range []string{"a/ä", "a/äb", "b"} {
			s.Put(p+"/f.png", gallerytest.PNG)
			_, err := s.Folder(s.Context(), p)
			s.Must(err)
		}
		ctx := viewer(s, "a/ä")
		for _, p := range []string{"a/ä/gone.png", "a/äb/gone.png", "b/gone.png"} {
			s.Put(p, gallerytest.PNG)
			_, err := s.TrashFile(s.Context(), p)
			s.Must(err)
		}
		_, err := s.Pool.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
			INSERT INTO grants (path, grantee, level) SELECT 'z/' || i, 'everyone', 1 FROM n`)
		s.Must(err)
		for i := range 100 {
			_,
				err := s.Pool.Exec(fmt.Sprintf("INSERT INTO grants (path, grantee, level) VALUES ('deep/%d%s', "+
				"'everyone', 1)",
				i, strings.Repeat("/a", 400)))
			s.Must(err)
		}
		_, err = s.Pool.Exec("UPDATE entries SET phash = 255 WHERE name = 'f.png'")
		s.Must(err)
		recursive := gallery.BrowseOptions{Recursive: true}
		if n := len(pages(ctx, s, recursive, 2)); n != 1 {
			s.Errorf("%d files, expected 1", n)
		}
		folders, err := s.Folders(ctx, recursive)
		s.Must(err)
		if len(folders.Edges) != 2 {
			s.Errorf("%d folders, expected a and a/ä", len(folders.Edges))
		}
		flat, err := s.Folders(ctx, gallery.BrowseOptions{})
		s.Must(err)
		if len(flat.Edges) != 1 {
			s.Errorf("%d folders in the root, expected a", len(flat.Edges))
		}
		trashed, err := s.TrashedFiles(ctx, 10, "")
		s.Must(err)
		if len(trashed.Items) != 1 || trashed.Items[0].Path != "a/ä/gone.png" {
			s.Errorf("%d items of the trash, expected that of a/ä", len(trashed.Items))
		}
		_, err = s.Tags(ctx, 10, "")
		s.Must(err)
		f, err := s.File(ctx, "a/ä/f.png")
		s.Must(err)
		_, err = s.SimilarFiles(ctx, f, 3, 10, "")
		s.Must(err)
	})
}

// TestGrantLimits checks the limit of grants on all folders together. A change beyond it is rejected as a
// whole.
func TestGrantLimits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Must(s.Access.SetGrants(s.Context(), "", nil))
		for _, p := range []string{"f", "g", "z1000/1"} {
			s.Must(s.CreateFolder(s.Context(), p))
		}
		everyone := []*access.Grant{{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}
		id := s.Person("viewer", auth.RoleUser).User.ID.String()
		one := []*access.Grant{{To: access.Grantee{Kind: access.Account, ID: id}, Right: access.View}}
		fill := func(n int, columns, values string) {
			_,
				err := s.Pool.Exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "+
				"WHERE i < %d) INSERT INTO grants (path, %s) SELECT 'z%d/' || i, %s FROM n", n, columns, n, values))
			s.Must(err)
		}
		refused := func(list []*access.Grant, text string) {
			s.Helper()
			before, err := s.Access.Grants(s.Context(), "f")
			s.Must(err)
			err = s.Access.SetGrants(s.Context(), "f", list)
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), text) {
				s.Errorf("%v, expected %q", err, text)
			}
			if after, err := s.Access.Grants(s.Context(), "f"); err != nil || len(after) != len(before) {
				s.Errorf("%d grants, %v, expected %d as before", len(after), err, len(before))
			}
		}
		fill(1000, "grantee, level", "'everyone', 1")
		refused(everyone, "1001 grants to everyone and to guests, expected at most 1000")
		s.Must(s.Access.SetGrants(s.Context(), "f", one))
		fill(8999, "grantee, user_id, level", "'account', '"+id+"', 1")
		s.Must(s.Access.SetGrants(s.Context(), "f", one))
		s.Must(s.Access.SetGrants(s.Context(), "z1000/1", nil))
		s.Must(s.Access.SetGrants(s.Context(), "g", one))
		refused(append(one, everyone...), "10001 grants, expected at most 10000")
	})
}

// TestRightsEndDuringARequest checks that a change within a long request is rejected as soon as the right has
// ended.
func TestRightsEndDuringARequest(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("a/one.png", gallerytest.PNG)
		s.Put("a/two.png", gallerytest.PNG)
		ctx := access.Once(s.As(s.Person("editor", auth.RoleUser)))
		s.Must(s.MoveFile(ctx, "a/one.png", "a/1.png"))
		s.Must(s.SetGrants(s.Context(), "", nil))
		if err := s.MoveFile(ctx, "a/two.png", "a/2.png"); fault.CodeOf(err) != fault.NotFound {
			s.Errorf("after the right has ended: %v", err)
		}
	})
}

// TestTrashFollowsItsFolder checks that items of the trash are visible to those who see their original
// folder, wherever it is now, and not to those who see another folder with the same name.
func TestTrashFollowsItsFolder(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		person := s.Person("editor", auth.RoleUser)
		ctx := s.As(person)
		s.Must(s.SetGrants(s.Context(), "", nil))
		grant := func(folder string) {
			s.Must(s.SetGrants(s.Context(), folder, []*access.Grant{
				{To: access.Grantee{Kind: access.Account, ID: person.User.ID.String()}, Right: access.Edit},
			}))
		}
		throw := func(path string) string {
			item, err := s.TrashFile(s.Context(), path)
			s.Must(err)
			return item.ID
		}
		sees := func(what, id, path string) {
			s.Helper()
			item, err := s.TrashedFile(ctx, id)
			if (path == "") != (fault.CodeOf(err) == fault.NotFound) || err == nil && item.Path != path {
				s.Errorf("%s: %+v, %v, expected %q", what, item, err, path)
			}
			all, err := inTrash(ctx, s.Gallery)
			if err != nil || (all > 0) != (path != "") {
				s.Errorf("%s: %d in the list, %v", what, all, err)
			}
			_, err = s.RestoreFile(ctx, id, gallery.ConflictError)
			if path == "" && fault.CodeOf(err) != fault.NotFound {
				s.Errorf("%s: restored, %v", what, err)
			}
		}
		again := func(folder string) {
			s.Must(s.CreateFolder(s.Context(), folder))
			grant(folder)
		}

		s.Put("P/F/secret.png", gallerytest.PNG)
		s.Put("P/F/x/deep.png", gallerytest.PNG)
		id, deep := throw("P/F/secret.png"), throw("P/F/x/deep.png")
		s.Must(s.MoveFile(s.Context(), "P/F", "P/Old"))
		again("P/F")
		sees("a new folder after a move", id, "")
		sees("what lay deeper, after a move", deep, "")

		folder := throw("P/Old")
		again("P/Old")
		sees("a new folder after the old one was trashed", id, "")
		sees("what lay deeper", deep, "")
		sees("the old folder itself", folder, "")
		s.Must(s.RemoveFile(s.Context(), "P/Old"))
		_, err := s.RestoreFile(s.Context(), folder, gallery.ConflictError)
		s.Must(err)
		s.Must(s.RemoveFile(s.Context(), "P/Old"))
		again("P/Old")
		sees("a new folder after the old one was deleted", id, "")

		s.Must(s.MoveFile(s.Context(), "P", "Q"))
		grant("Q")
		item, err := s.TrashedFile(ctx, id)
		if err != nil || item.Path != "Q/Old/secret.png" {
			s.Errorf("with a right on the folder above: %+v, %v", item, err)
		}
		throw("Q")
		again("Q")
		sees("in the root, a new folder", id, "")
		if n, err := s.EmptyTrash(ctx); n != 0 {
			s.Errorf("emptied %d, %v", n, err)
		}
		s.Must(s.RemoveFile(s.Context(), "Q"))
		if _, err := s.RestoreFile(s.Context(), deep, gallery.ConflictError); err != nil ||
			s.Content("Q/Old/x/deep.png") == "" {
			s.Errorf("restored by an admin: %v", err)
		}
	})
}

// TestEmptyTrashSparesFolders checks that emptying the trash deletes the items that the caller may purge
// individually.
func TestEmptyTrashSparesFolders(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("P/F/a.png", gallerytest.PNG)
		person := s.Person("editor", auth.RoleUser)
		ctx := s.As(person)
		item, err := s.TrashFile(ctx, "P/F")
		s.Must(err)
		s.Must(s.SetGrants(s.Context(), "", nil))
		s.Must(s.CreateFolder(s.Context(), "P/F"))
		s.Must(s.SetGrants(s.Context(), "P/F", []*access.Grant{
			{To: access.Grantee{Kind: access.Account, ID: person.User.ID.String()}, Right: access.Edit},
		}))
		if err := s.PurgeFile(ctx, item.ID); fault.CodeOf(err) != fault.NotFound {
			s.Errorf("purged one by one: %v", err)
		}
		if n, err := s.EmptyTrash(ctx); err != nil || n != 0 {
			s.Errorf("emptied %d, %v", n, err)
		}
	})
}

// TestGrantsOfFormerFolders checks that grants on a folder that another program removed do not apply to a new
// folder at its path, no matter how it is created. They survive if the folder is only temporarily missing.
// Grants on a folder that does not exist are rejected.
func TestGrantsOfFormerFolders(t *testing.T) {
	for what, do := range map[string]func(*gallerytest.Stage){
		"create": func(s *gallerytest.Stage) { s.Must(s.CreateFolder(s.Context(), "p/f")) },
		"create below": func(s *gallerytest.Stage) {
			s.Must(s.CreateFolder(s.Context(), "p/f/deep/deeper"))
		},
		"copy":       func(s *gallerytest.Stage) { s.Must(s.CopyFile(s.Context(), "q", "p/f")) },
		"copy below": func(s *gallerytest.Stage) { s.Must(s.CopyFile(s.Context(), "q/x.png", "p/f/x.png")) },
		"move":       func(s *gallerytest.Stage) { s.Must(s.MoveFile(s.Context(), "q", "p/f")) },
		"move below": func(s *gallerytest.Stage) { s.Must(s.MoveFile(s.Context(), "q/x.png", "p/f/x.png")) },
		"upload": func(s *gallerytest.Stage) {
			_, err := s.CreateFile(s.Context(), "p/f/x.png", strings.NewReader("x"), storage.CreateOptions{})
			s.Must(err)
		},
	} {
		t.Run(what, func(t *testing.T) {
			gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
				s.Put("p/f/x.png", gallerytest.PNG)
				s.Put("q/x.png", gallerytest.PNG)
				_, err := s.Folder(s.Context(), "p/f")
				s.Must(err)
				ctx := viewer(s, "p/f")
				s.Must(s.Store.Delete(s.Context(), "p/f"))
				_, err = s.Folder(s.Context(), "p/f")
				if fault.CodeOf(err) != fault.NotFound {
					s.Fatalf("%v, expected that the folder is gone", err)
				}
				err = s.Access.SetGrants(s.Context(), "p/f", nil)
				if fault.CodeOf(err) != fault.NotFound {
					s.Errorf("granted on a folder that is gone: %v", err)
				}
				s.Must(s.Store.CreateFolder(s.Context(), "p/f")) // as if the folder had not been mounted
				_, err = s.Folder(ctx, "p/f")
				s.Must(err)
				s.Must(s.Store.Delete(s.Context(), "p/f"))
				_, err = s.Folder(s.Context(), "p")
				s.Must(err)
				do(s)
				if _, err := s.Folder(ctx, "p/f"); fault.CodeOf(err) != fault.NotFound {
					s.Errorf("%v, expected that the new folder is hidden", err)
				}
			})
		})
	}
}

// TestTrashedFolderLeadsNowhere checks that a grant on a folder in the trash does not make its parents
// visible.
func TestTrashedFolderLeadsNowhere(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("p/f/x.png", gallerytest.PNG)
		_, err := s.Folder(s.Context(), "p/f")
		s.Must(err)
		ctx := viewer(s, "p/f")
		_, err = s.TrashFile(s.Context(), "p/f")
		s.Must(err)
		root, err := s.Folder(ctx, "")
		s.Must(err)
		if has, err := root.HasFolders(ctx); has || err != nil {
			t.Errorf("the root has folders: %v, %v, expected none", has, err)
		}
		if names, err := s.Names(ctx, ""); err != nil || len(names) != 0 {
			t.Errorf("names %q, %v, expected none", names, err)
		}
	})
}

// TestGranteeIsNamedOnce checks that an account has only one right on a folder, however its id is written.
func TestGranteeIsNamedOnce(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		id := s.Person("viewer", auth.RoleUser).User.ID.String()
		err := s.Access.SetGrants(s.Context(), "", []*access.Grant{
			{To: access.Grantee{Kind: access.Account, ID: id}, Right: access.View},
			{To: access.Grantee{Kind: access.Account, ID: strings.ToUpper(id)}, Right: access.Edit},
		})
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "named twice") {
			t.Errorf("%v, expected that somebody is named twice", err)
		}
	})
}

// TestWatchersLoseTheirRights checks that a slow receiver who loses the right to a folder gets none of the
// waiting changes, and no later ones. It must not even learn that the folder exists.
func TestWatchersLoseTheirRights(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Must(s.CreateFolder(s.Context(), "seen"))
		ctx := viewer(s, "seen")
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		changes, err := s.WatchFolder(ctx, "seen", true)
		s.Must(err)
		later, err := s.WatchFolder(ctx, "seen/later", true)
		s.Must(err)
		next := func(from <-chan *gallery.FolderChange) string {
			c := <-from
			return string(c.Kind) + " " + c.Path
		}
		expect := func(want string, from <-chan *gallery.FolderChange) {
			t.Helper()
			if got := next(from); got != want {
				t.Errorf("got %s, expected %s", got, want)
			}
		}
		expect("RELOAD seen", changes)
		s.Must(s.CreateFolder(s.Context(), "seen/0")) // the watcher waits until it is received
		for _, name := range []string{"1", "2", "3"} {
			s.Must(s.CreateFolder(s.Context(), "seen/"+name))
		}
		expect("CHANGED seen/0", changes)
		grants, err := s.Grants(s.Context(), "seen")
		s.Must(err)
		s.Must(s.SetGrants(s.Context(), "seen", nil))
		s.Must(s.CreateFolder(s.Context(), "seen/later"))
		s.Must(s.CreateFolder(s.Context(), "seen/later/1"))
		if got := next(changes); got == "CHANGED seen/1" { // it was already being sent
			expect("RELOAD seen", changes)
		} else if got != "RELOAD seen" {
			t.Errorf("first %s", got)
		}
		s.Must(s.SetGrants(s.Context(), "seen", grants))
		expect("RELOAD seen", changes)
		expect("RELOAD seen/later", later)
		s.Must(s.CreateFolder(s.Context(), "seen/later/2"))
		expect("CHANGED seen/later/2", changes)
		expect("CHANGED seen/later/2", later)
	})
}

// TestManyHiddenChanges makes more changes than are queued for a watcher, in folders that the watchers may
// not see. They must receive nothing, not even a reload.
func TestManyHiddenChanges(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Must(s.CreateFolder(s.Context(), "seen"))
		s.Must(s.CreateFolder(s.Context(), "hidden"))
		ctx, stop := context.WithCancel(viewer(s, "seen"))
		defer stop()
		album, err := s.CreateAlbum(ctx, gallery.ChangeAlbum{Title: ptr("mine")})
		s.Must(err)
		id := album.ID()
		changes, err := s.WatchFolder(ctx, "", true)
		s.Must(err)
		albums, err := s.WatchAlbums(ctx, &id)
		s.Must(err)
		if c := <-changes; c.Kind != gallery.KindReload {
			t.Errorf("first %s", c.Kind)
		}
		if got := <-albums; got != "" {
			t.Errorf("first %s", got)
		}
		for i := range 1001 {
			s.Must(os.WriteFile(filepath.Join(s.Dir, "hidden", fmt.Sprintf("%d.png", i)), []byte("x"), 0o600))
		}
		s.Must(s.ScanNow(s.Context(), "hidden"))
		s.Must(s.CreateFolder(s.Context(), "seen/new"))
		if c := <-changes; c.Kind != gallery.KindChanged || c.Path != "seen/new" {
			t.Errorf("the watcher of a folder got %s %q", c.Kind, c.Path)
		}
		if got := <-albums; got != id.String() {
			t.Errorf("the watcher of an album got %q", got)
		}
		grants, err := s.Grants(s.Context(), "seen")
		s.Must(err)
		s.Must(s.SetGrants(s.Context(), "hidden", grants))
		if got := <-albums; got != id.String() {
			t.Errorf("the watcher of an album, who sees more now, got %q", got)
		}
	})
}
