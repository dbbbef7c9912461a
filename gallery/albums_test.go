package gallery_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// albumStage is a stage with the account ada, one album of hers and some files.
type albumStage struct {
	*gallerytest.Stage
	ada   context.Context
	album uuid.UUID
}

func newAlbumStage(s *gallerytest.Stage, paths ...string) albumStage {
	s.Helper()
	for _, p := range paths {
		s.Put(p, gallerytest.PNG+p)
	}
	a := albumStage{Stage: s, ada: s.As(s.Person("ada", auth.RoleUser))}
	made, err := s.CreateAlbum(a.ada, gallery.ChangeAlbum{Title: text("Trip")})
	s.Must(err)
	a.album = made.ID()
	return a
}

func text(s string) *string { return &s }

func (s albumStage) add(paths ...string) {
	s.Helper()
	_, results, err := s.AddToAlbum(s.ada, s.album, paths, nil)
	s.Must(err)
	for _, r := range results {
		s.Must(r.Err)
	}
}

func (s albumStage) move(before string, paths ...string) {
	s.Helper()
	_, results, err := s.MoveInAlbum(s.ada, s.album, paths, before)
	s.Must(err)
	for _, r := range results {
		s.Must(r.Err)
	}
}

// is fails the test unless a caller sees exactly these files in the album, in this order: in pages of each
// size, by the count, and in the list for a download.
func (s albumStage) is(ctx context.Context, doing string, want ...string) {
	s.Helper()
	a, err := s.Album(ctx, s.album)
	s.Must(err)
	for _, size := range []int32{1, 2, 100} {
		p := gallery.AlbumPage{First: &size}
		have := []string{}
		for more := true; more; {
			c, err := a.Files(ctx, p)
			s.Must(err)
			for _, e := range c.Edges {
				have, p.After = append(have, e.Node.Path()), e.Cursor
			}
			info, err := c.PageInfo(ctx)
			s.Must(err)
			if info.HasPreviousPage != (len(have) > len(c.Edges)) {
				s.Errorf("%s: hasPreviousPage is %v after %d of %d files", doing, info.HasPreviousPage, len(c.Edges),
					len(have))
			}
			more = info.HasNextPage
		}
		if !slices.Equal(have, want) {
			s.Errorf("%s, by %d: %v, expected %v", doing, size, have, want)
		}
	}
	n, err := a.FileCount(ctx)
	s.Must(err)
	if int(*n) != len(want) {
		s.Errorf("%s: %d files are counted, expected %d", doing, *n, len(want))
	}
	paths, err := a.Paths(ctx)
	s.Must(err)
	if !slices.Equal(paths, want) && len(want) > 0 {
		s.Errorf("%s: the download has %v, expected %v", doing, paths, want)
	}
	for skip := range len(want) {
		one := int32(1)
		c, err := a.Files(ctx, gallery.AlbumPage{First: &one, Skip: int32(skip)})
		s.Must(err)
		if len(c.Edges) != 1 || c.Edges[0].Node.Path() != want[skip] {
			s.Errorf("%s: another file at %d", doing, skip)
		}
	}
	cover, err := a.Cover(ctx)
	s.Must(err)
	if (cover == nil) != (len(want) == 0) || cover != nil && !slices.Contains(want, cover.Path()) {
		s.Errorf("%s: the cover is %v", doing, cover)
	}
}

func TestAlbumOrder(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "a/1.png", "b/2.png", "c/3.png", "c/4.png")
		s.is(s.ada, "empty")
		s.add("c/3.png", "a/1.png")
		s.add("b/2.png", "a/1.png", "c/4.png", "c/4.png")
		s.is(s.ada, "added", "c/3.png", "a/1.png", "b/2.png", "c/4.png")
		s.move("c/3.png", "b/2.png")
		s.is(s.ada, "to the start", "b/2.png", "c/3.png", "a/1.png", "c/4.png")
		s.move("", "b/2.png")
		s.is(s.ada, "to the end", "c/3.png", "a/1.png", "c/4.png", "b/2.png")
		s.move("a/1.png", "b/2.png", "c/3.png")
		s.is(s.ada, "several", "b/2.png", "c/3.png", "a/1.png", "c/4.png")
		s.move("c/3.png", "b/2.png")
		s.is(s.ada, "where it is", "b/2.png", "c/3.png", "a/1.png", "c/4.png")

		sort, down := gallery.SortName, true
		_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Sort: &sort, Descending: &down})
		s.Must(err)
		s.is(s.ada, "by name", "c/4.png", "c/3.png", "b/2.png", "a/1.png")
		s.move("a/1.png", "c/4.png")
		s.is(s.ada, "by hand again", "b/2.png", "c/3.png", "c/4.png", "a/1.png")

		for _, bad := range []struct {
			paths  []string
			before string
			code   fault.Code
		}{
			{[]string{"a/1.png"}, "a/1.png", fault.Invalid},
			{[]string{"a/1.png"}, "none.png", fault.NotFound},
			{make([]string, 1001), "", fault.Invalid},
		} {
			_, _, err := s.MoveInAlbum(s.ada, s.album, bad.paths, bad.before)
			gallerytest.Want(s.T, err, bad.code, fmt.Sprintf("before %s", bad.before))
		}
		_, results, err := s.RemoveFromAlbum(s.ada, s.album, []string{"c/3.png", "none.png", "a", ".x.png"})
		s.Must(err)
		for i, code := range []fault.Code{"", fault.NotFound, fault.NotFound, fault.Invalid} {
			gallerytest.Want(s.T, results[i].Err, code, results[i].Path)
		}
		_, results, err = s.RemoveFromAlbum(s.ada, s.album, []string{"c/3.png"})
		s.Must(err)
		gallerytest.Want(s.T, results[0].Err, fault.NotFound, "removed twice")
		s.is(s.ada, "removed", "b/2.png", "c/4.png", "a/1.png")
	})
}

// TestAlbumUndo checks that files that were removed from an album can return to their positions, in any
// order, together with the cover. Files that were added since stay.
func TestAlbumUndo(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png", "3.png", "4.png", "5.png")
		s.add("5.png", "1.png", "4.png", "2.png")
		cover, byName := "4.png", gallery.SortName
		_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Cover: &cover})
		s.Must(err)

		placesOf := func(ctx context.Context, paths ...string) []string {
			a, err := s.Album(ctx, s.album)
			s.Must(err)
			places, err := a.Places(ctx, paths)
			s.Must(err)
			return places
		}
		remove := func(paths ...string) []string {
			places := placesOf(s.ada, paths...)
			_, _, err := s.RemoveFromAlbum(s.ada, s.album, paths)
			s.Must(err)
			return places
		}
		first, second := remove("5.png", "4.png"), remove("1.png")
		s.add("3.png")
		s.is(s.ada, "removed", "2.png", "3.png")
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Sort: &byName})
		s.Must(err)

		for _, bad := range [][]string{{""}, {"x y"}, {"1", "2"}, {"1 cover"}, {"zzzzzzzzzzzzz"}} {
			_, _, err := s.AddToAlbum(s.ada, s.album, []string{"1.png"}, bad)
			gallerytest.Want(s.T, err, fault.Invalid, fmt.Sprint("places ", bad))
		}
		_, _, err = s.AddToAlbum(s.ada, s.album, []string{"5.png", "4.png"}, first)
		s.Must(err)
		_, _, err = s.AddToAlbum(s.ada, s.album, []string{"1.png"}, second)
		s.Must(err)
		a, err := s.Album(s.ada, s.album)
		s.Must(err)
		if c, err := a.Cover(s.ada); err != nil || c.Path() != cover {
			t.Errorf("cover: %v, %v, expected %s", c, err, cover)
		}
		s.is(s.ada, "by name", "1.png", "2.png", "3.png", "4.png", "5.png")
		manual := gallery.SortManual
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Sort: &manual})
		s.Must(err)
		s.is(s.ada, "undone", "5.png", "1.png", "4.png", "2.png", "3.png")

		if places := placesOf(s.ada, "none.png", "1.png"); places[0] != "" || places[1] != second[0] {
			t.Errorf("places: %q, expected none and %q", places, second)
		}
		everyone := gallery.VisibilityEveryone
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Visibility: &everyone})
		s.Must(err)
		if places := placesOf(s.As(s.Person("bob", auth.RoleUser)), "1.png"); places != nil {
			t.Errorf("somebody who may not change the album has the places %q", places)
		}
	})
}

// TestAlbumPositions checks that a move writes a single row until a gap between two files is used up, and
// that the order is kept then.
func TestAlbumPositions(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png", "3.png")
		s.add("1.png", "2.png", "3.png")
		positions := func() (list []int64) {
			rows, err := s.Pool.Query("SELECT position FROM album_items ORDER BY entry_id")
			s.Must(err)
			defer rows.Close()
			for rows.Next() {
				var p int64
				s.Must(rows.Scan(&p))
				list = append(list, p)
			}
			return list
		}
		want := []string{"1.png", "2.png", "3.png"}
		rewritten := 0
		for range 70 { // swap the middle and the last file
			before := positions()
			s.move(want[1], want[2])
			want[1], want[2] = want[2], want[1]
			changed := 0
			for i, p := range positions() {
				if p != before[i] {
					changed++
				}
			}
			if changed > 1 {
				rewritten++
			}
		}
		if rewritten != 2 {
			s.Errorf("all positions were written %d times, expected 2 of 70 moves", rewritten)
		}
		s.is(s.ada, "after 70 moves", want...)
	})
}

// TestAlbumFollowsFiles checks that an album keeps its files wherever they are moved, but does not show them
// while they are in the trash or after they are deleted.
func TestAlbumFollowsFiles(t *testing.T) {
	gallerytest.EachStore(t, gallerytest.Config{Gallery: gallery.Config{Trash: true}}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "a/1.png", "b/2.png", "b/3.png", "c/4.png")
		s.add("b/3.png", "a/1.png", "b/2.png")
		cover := "b/2.png"
		_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Cover: &cover})
		s.Must(err)
		s.Must(s.MoveFile(s.ada, "a/1.png", "a/one.png"))
		s.is(s.ada, "renamed", "b/3.png", "a/one.png", "b/2.png")
		s.Must(s.MoveFile(s.ada, "b", "deep/b"))
		s.is(s.ada, "in a folder that moved", "deep/b/3.png", "a/one.png", "deep/b/2.png")
		item, err := s.TrashFile(s.ada, "a/one.png")
		s.Must(err)
		s.is(s.ada, "one in the trash", "deep/b/3.png", "deep/b/2.png")
		folder, err := s.TrashFile(s.ada, "deep/b")
		s.Must(err)
		s.is(s.ada, "all in the trash")
		_, err = s.RestoreFile(s.ada, item.ID, gallery.ConflictError)
		s.Must(err)
		s.is(s.ada, "one restored", "a/one.png")
		_, err = s.RestoreFile(s.ada, folder.ID, gallery.ConflictError)
		s.Must(err)
		s.is(s.ada, "all restored", "deep/b/3.png", "a/one.png", "deep/b/2.png")
		a, err := s.Album(s.ada, s.album)
		s.Must(err)
		if f, err := a.Cover(s.ada); err != nil || f.Path() != "deep/b/2.png" {
			s.Errorf("the cover is %v after all: %v", f, err)
		}
		s.Must(s.CopyFile(s.ada, "deep/b/3.png", "copy.png"))
		s.is(s.ada, "a copy", "deep/b/3.png", "a/one.png", "deep/b/2.png")
		item, err = s.TrashFile(s.ada, "a/one.png")
		s.Must(err)
		s.Must(s.PurgeFile(s.ada, item.ID))
		s.Put("a/one.png", gallerytest.PNG)
		s.is(s.ada, "purged", "deep/b/3.png", "deep/b/2.png")
	})
}

// TestAlbumPagesAndChanges checks that a page continues after the current position of its file, or after its
// previous position if the file is gone.
func TestAlbumPagesAndChanges(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png", "3.png", "4.png", "5.png")
		s.add("1.png", "2.png", "3.png", "4.png", "5.png")
		two := int32(2)
		a, err := s.Album(s.ada, s.album)
		s.Must(err)
		next := func(after string) (string, string) {
			c, err := a.Files(s.ada, gallery.AlbumPage{First: &two, After: after})
			s.Must(err)
			names := []string{}
			for _, e := range c.Edges {
				names, after = append(names, e.Node.Path()), e.Cursor
			}
			return strings.Join(names, " "), after
		}
		_, after := next("")
		s.move("5.png", "1.png")
		if page, _ := next(after); page != "3.png 4.png" {
			s.Errorf("after a move: %s", page)
		}
		s.move("2.png", "1.png")
		_, _, err = s.RemoveFromAlbum(s.ada, s.album, []string{"2.png"})
		s.Must(err)
		if page, _ := next(after); page != "3.png 4.png" {
			s.Errorf("after the file of the cursor was removed: %s", page)
		}
		if _, err := a.Files(s.ada, gallery.AlbumPage{After: "none"}); fault.CodeOf(err) != fault.Invalid {
			s.Errorf("another cursor: %v", err)
		}
	})
}

// TestAlbumRights checks that a viewer only sees the files of an album that they have rights on, and no trace
// of the others.
func TestAlbumRights(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{Accounts: accounts.Config{Guest: true}}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "open/1.png", "open/2.png", "secret/3.png", "secret/4.png")
		s.add("secret/3.png", "open/2.png", "secret/4.png", "open/1.png")
		cover := "secret/3.png"
		_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Cover: &cover})
		s.Must(err)
		bob := s.As(s.Person("bob", auth.RoleUser))
		admin := s.Someone(auth.RoleAdmin)
		session, err := s.GuestSession(s.Context())
		s.Must(err)
		guest := s.As(session)
		list := func(ctx context.Context) int {
			p, err := s.Albums(ctx, gallery.AlbumOptions{First: 10})
			s.Must(err)
			n, err := p.Count(ctx)
			s.Must(err)
			if n != len(p.Items) {
				s.Errorf("%d albums are counted, %d listed", n, len(p.Items))
			}
			return n
		}
		for name, who := range map[string]context.Context{"bob": bob, "a guest": guest, "nobody": s.T.Context()} {
			_, err = s.Album(who, s.album)
			gallerytest.Want(s.T, err, fault.NotFound, "a private album, as "+name)
			if list(who) != 0 {
				s.Errorf("a private album is listed for %s", name)
			}
		}
		everyone := gallery.VisibilityEveryone
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Visibility: &everyone})
		s.Must(err)
		all := []string{"secret/3.png", "open/2.png", "secret/4.png", "open/1.png"}
		s.is(bob, "everything", all...)
		_, err = s.Album(guest, s.album)
		gallerytest.Want(s.T, err, fault.NotFound, "as a guest")

		s.Must(s.SetGrants(admin, "", nil))
		s.Must(
			s.SetGrants(admin, "open", []*access.Grant{
				{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
		s.is(bob, "in part", "open/2.png", "open/1.png")
		s.is(s.ada, "her own in part", "open/2.png", "open/1.png")
		s.is(admin, "as an admin", all...)
		if list(bob) != 1 || list(admin) != 1 || list(guest) != 0 {
			s.Error("the lists of albums differ")
		}
		a, err := s.Album(bob, s.album)
		s.Must(err)
		c, err := a.Files(bob, gallery.AlbumPage{})
		s.Must(err)
		for i, e := range c.Edges { // approximately the third and fourth files
			data, err := base64.RawURLEncoding.DecodeString(e.Cursor)
			s.Must(err)
			if want := fmt.Sprintf(`"k":%d,`, i+1); !strings.Contains(string(data), want) {
				s.Errorf("the cursor is %s, expected %s", data, want)
			}
		}
		if a.Editable(bob) || !a.Editable(admin) || !a.Editable(s.ada) {
			s.Error("another account may change the album")
		}
		title := "x"
		for doing, do := range map[string]func() error{
			"update": func() error {
				_, err := s.UpdateAlbum(bob, s.album, gallery.ChangeAlbum{Title: &title})
				return err
			},
			"delete": func() error { return s.DeleteAlbum(bob, s.album) },
			"add": func() error {
				_, _, err := s.AddToAlbum(bob, s.album, []string{"open/1.png"}, nil)
				return err
			},
			"remove": func() error {
				_, _, err := s.RemoveFromAlbum(bob, s.album, []string{"open/1.png"})
				return err
			},
			"move": func() error {
				_, _, err := s.MoveInAlbum(bob, s.album, []string{"open/1.png"}, "")
				return err
			},
			"create": func() error {
				_, err := s.CreateAlbum(guest, gallery.ChangeAlbum{Title: &title})
				return err
			},
		} {
			gallerytest.Want(s.T, do(), fault.Forbidden, doing)
		}
		_, results, err := s.AddToAlbum(s.ada, s.album, []string{"secret/3.png", "open/1.png"}, nil)
		s.Must(err)
		gallerytest.Want(s.T, results[0].Err, fault.NotFound, "a file that the caller may not see")
		_, _, err = s.MoveInAlbum(s.ada, s.album, []string{"open/1.png"}, "secret/3.png")
		gallerytest.Want(s.T, err, fault.NotFound, "before a file that the caller may not see")
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Cover: &cover})
		gallerytest.Want(s.T, err, fault.NotFound, "a cover that the caller may not see")
		s.move("open/2.png", "open/1.png")
		s.is(s.ada, "moved among hidden ones", "open/1.png", "open/2.png")
		s.is(admin, "the hidden ones stay", "secret/3.png", "open/1.png", "open/2.png", "secret/4.png")
	})
}

// TestForgedCursors creates cursors of files that the caller may not see. They must not reveal whether the
// files are in the album, nor where.
func TestForgedCursors(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "open/1.png", "open/2.png", "secret/3.png", "secret/4.png")
		s.add("open/1.png", "secret/3.png", "open/2.png")
		everyone := gallery.VisibilityEveryone
		_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Visibility: &everyone})
		s.Must(err)
		s.Must(s.SetGrants(s.Context(), "", nil))
		s.Must(
			s.SetGrants(s.Context(), "open", []*access.Grant{
				{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
		bob := s.As(s.Person("bob", auth.RoleUser))
		a, err := s.Album(bob, s.album)
		s.Must(err)
		one := int32(1)
		c, err := a.Files(bob, gallery.AlbumPage{First: &one})
		s.Must(err)
		real, err := base64.RawURLEncoding.DecodeString(c.Edges[0].Cursor)
		s.Must(err)
		var parts map[string]any
		s.Must(json.Unmarshal(real, &parts))
		after := func(id, rank int) string {
			parts["i"], parts["k"] = id, rank
			text, err := json.Marshal(parts)
			s.Must(err)
			c, err := a.Files(bob, gallery.AlbumPage{After: base64.RawURLEncoding.EncodeToString(text)})
			s.Must(err)
			var list []string
			for _, e := range c.Edges {
				list = append(list, e.Node.Path())
			}
			return fmt.Sprint(list)
		}
		for rank := range 3 {
			none := after(1<<30, rank)
			for _, path := range []string{"secret/3.png", "secret/4.png"} {
				row, err := s.Again().File(s.Context(), path)
				s.Must(err)
				id, err := base64.RawURLEncoding.DecodeString(row.ID())
				s.Must(err)
				n, err := strconv.Atoi(regexp.MustCompile(`[0-9]+$`).FindString(string(id)))
				if err != nil {
					t.Fatalf("the id %q has no number", id)
				}
				if got := after(n, rank); got != none {
					t.Errorf("after %s, rank %d: %s, expected %s as after a file that does not exist", path, rank, got,
						none)
				}
			}
		}
	})
}

// TestSmartAlbums checks that a smart album contains the files that the search finds for the caller.
func TestSmartAlbums(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "open/sea 1.png", "secret/sea 2.png", "open/sky.png")
		everyone := gallery.VisibilityEveryone
		make := func(r gallery.AlbumRules) {
			a, err := s.CreateAlbum(s.ada, gallery.ChangeAlbum{Title: text("Seas"), Visibility: &everyone, Rules: &r})
			s.Must(err)
			s.album = a.ID()
		}
		make(gallery.AlbumRules{Recursive: true, Search: "sea"})
		s.is(s.ada, "by words", "open/sea 1.png", "secret/sea 2.png")
		s.Put("more/sea 0.png", gallerytest.PNG)
		s.is(s.ada, "a new file", "more/sea 0.png", "open/sea 1.png", "secret/sea 2.png")
		_, err := s.TagFiles(s.ada, []string{"open/sky.png"}, []string{"Blue"}, nil)
		s.Must(err)
		_, _, err = s.AddToAlbum(s.ada, s.album, []string{"open/sky.png"}, nil)
		gallerytest.Want(s.T, err, fault.Invalid, "a file added to a smart album")
		manual := gallery.SortManual
		_, err = s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Sort: &manual})
		gallerytest.Want(s.T, err, fault.Invalid, "sorted by hand")

		bob := s.As(s.Person("bob", auth.RoleUser))
		a, err := s.Album(bob, s.album)
		s.Must(err)
		if a.Rules(bob) != nil || a.Rules(s.ada) == nil {
			s.Error("the rules are shown to others only")
		}
		s.Must(s.SetGrants(s.Context(), "", nil))
		s.Must(
			s.SetGrants(s.Context(), "open", []*access.Grant{
				{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
		s.is(bob, "in part", "open/sea 1.png")
		make(gallery.AlbumRules{Recursive: true, Filter: `{"tags": ["blue"]}`})
		s.is(bob, "by tag", "open/sky.png")
		make(gallery.AlbumRules{Folder: "secret", Recursive: true})
		s.is(bob, "of a hidden folder")
		make(gallery.AlbumRules{Folder: "none", Recursive: true})
		s.is(bob, "of no folder")
		make(gallery.AlbumRules{Folder: "open", Filter: `{"formats": ["JPEG"]}`})
		s.is(bob, "of another format")
		make(gallery.AlbumRules{Folder: "open", Filter: `{"formats": ["PNG"]}`})
		s.is(bob, "of a format", "open/sea 1.png", "open/sky.png")
	})
}

func TestAlbumsOfAnAccount(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png")
		s.add("1.png")
		title, empty := strings.Repeat("x", 101), " "
		for doing, c := range map[string]gallery.ChangeAlbum{
			"a long title": {Title: &title}, "no title": {Title: &empty}, "two lines": {Title: text("a\nb")},
			"a long description": {Title: text("a"), Description: text(strings.Repeat("x", 2001))},
		} {
			_, err := s.CreateAlbum(s.ada, c)
			gallerytest.Want(s.T, err, fault.Invalid, doing)
			_, err = s.UpdateAlbum(s.ada, s.album, c)
			gallerytest.Want(s.T, err, fault.Invalid, doing)
		}
		for _, t := range []string{"Été", "alps", "Zürich", "alps"} {
			_, err := s.CreateAlbum(s.ada, gallery.ChangeAlbum{Title: text(t)})
			s.Must(err)
		}
		titles := []string{}
		o := gallery.AlbumOptions{First: 2, Own: true}
		for more := true; more; {
			p, err := s.Albums(s.ada, o)
			s.Must(err)
			for _, a := range p.Items {
				titles = append(titles, a.Title())
				if a.Owner() != "ada" {
					s.Errorf("%s belongs to %s", a.Title(), a.Owner())
				}
			}
			o.After, more = p.Cursors[len(p.Cursors)-1], p.After
		}
		if have := strings.Join(titles, " "); have != "alps alps Été Trip Zürich" {
			s.Errorf("listed as %s", have)
		}
		found, err := s.Albums(s.ada, gallery.AlbumOptions{First: 10, Search: "ete"})
		s.Must(err)
		if len(found.Items) != 1 {
			s.Errorf("%d found", len(found.Items))
		}
		for action, n := range map[audit.Action]int{audit.ActionAlbumCreate: 5, audit.ActionAlbumFiles: 1} {
			if events := s.Events(audit.Filter{Action: string(action)}); len(events) != n {
				s.Errorf("%d events %s, expected %d", len(events), action, n)
			}
		}
		s.Must(s.DeleteAlbum(s.ada, s.album))
		gallerytest.Want(s.T, s.DeleteAlbum(s.ada, s.album), fault.NotFound, "deleted twice")
		if _, err := s.File(s.ada, "1.png"); err != nil {
			s.Errorf("the file is gone with its album: %v", err)
		}
		if events := s.Events(audit.Filter{Action: string(audit.ActionAlbumDelete)}); len(events) != 1 {
			s.Errorf("%d events of the deletion", len(events))
		}
		me := auth.FromContext(s.ada).UserID
		s.Must(s.DeleteUser(s.Someone(auth.RoleAdmin), me))
		var left int
		s.Must(s.Pool.QueryRow("SELECT (SELECT count(*) FROM albums) + (SELECT count(*) FROM album_items)").Scan(&left))
		if left != 0 {
			s.Errorf("%d rows are left of a deleted account", left)
		}
	})
}

func TestAlbumLimits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png")
		s.add("1.png")
		literal := "'" + s.album.String() + "'"
		_, err := s.Pool.Exec("INSERT INTO album_items (album_id, entry_id, position) WITH RECURSIVE n(i) AS " +
			"(SELECT 1000000 UNION ALL SELECT i + 1 FROM n WHERE i < 1009998) SELECT " + literal + ", i, i FROM n")
		s.Must(err)
		_, _, err = s.AddToAlbum(s.ada, s.album, []string{"2.png"}, nil)
		gallerytest.Want(s.T, err, fault.Invalid, "one file too many")
		if err == nil || !strings.Contains(err.Error(), "more than 10000") {
			s.Errorf("the error does not name the limit: %v", err)
		}
		if _, _, err = s.AddToAlbum(s.ada, s.album, []string{"1.png"}, nil); err != nil {
			s.Errorf("one that is in the full album: %v", err)
		}
		_, err = s.Pool.Exec("DELETE FROM album_items WHERE entry_id >= 1000000") // they have no entries
		s.Must(err)
	})
}

// TestAlbumLimitHides checks that the error for a full album does not reveal how many files it has, because
// its owner may only see few of them.
func TestAlbumLimitHides(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png")
		s.items(s.album, 9_999)
		_, _, err := s.AddToAlbum(s.ada, s.album, []string{"1.png", "2.png"}, nil)
		gallerytest.Want(s.T, err, fault.Invalid, "one file too many")
		if strings.Contains(err.Error(), "9999") {
			s.Errorf("the error reveals files: %v", err)
		}
	})
}

// items fills an album with items without entries, until the test ends.
func (s albumStage) items(album uuid.UUID, n int) {
	s.Helper()
	_, err := s.Pool.Exec(fmt.Sprintf("INSERT INTO album_items (album_id, entry_id, position) WITH RECURSIVE n(i) AS "+
		"(SELECT 1000000 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT '%s', i, i FROM n", 1_000_000+n-1, album))
	s.Must(err)
	s.Cleanup(func() {
		_, err := s.Pool.Exec("DELETE FROM album_items WHERE entry_id >= 1000000")
		s.Must(err)
	})
}

// TestAccountItems checks the limit for all albums of an account together, also when files are added to two
// albums concurrently.
func TestAccountItems(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "1.png", "2.png")
		var last []uuid.UUID
		for i := range 12 {
			a, err := s.CreateAlbum(s.ada, gallery.ChangeAlbum{Title: text(fmt.Sprint(i))})
			s.Must(err)
			switch {
			case i < 9:
				s.items(a.ID(), 10_000)
			case i == 9:
				s.items(a.ID(), 9_999)
			default:
				last = append(last, a.ID())
			}
		}
		errs := make(chan error, len(last))
		for _, id := range last {
			go func() {
				_, _, err := s.AddToAlbum(s.ada, id, []string{"1.png"}, nil)
				errs <- err
			}()
		}
		refused := 0
		for range last {
			if err := <-errs; err != nil {
				gallerytest.Want(s.T, err, fault.Invalid, "beyond the limit of the account")
				refused++
			}
		}
		if refused != 1 {
			s.Errorf("%d of 2 were refused, expected one", refused)
		}
		bob := s.As(s.Person("bob", auth.RoleUser))
		a, err := s.CreateAlbum(bob, gallery.ChangeAlbum{Title: text("his")})
		s.Must(err)
		_, _, err = s.AddToAlbum(bob, a.ID(), []string{"1.png"}, nil)
		s.Must(err)
	})
}

// TestAlbumItemsOfRemovedFiles checks that a file that is removed while it is added leaves no item.
func TestAlbumItemsOfRemovedFiles(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage)
		for i := range 40 {
			path := fmt.Sprintf("%d.png", i)
			s.Put(path, gallerytest.PNG+path)
			removed := make(chan error)
			go func() { removed <- s.Gallery.RemoveFile(s.Context(), storage.Key(path)) }()
			_, _, err := s.AddToAlbum(s.ada, s.album, []string{path}, nil)
			s.Must(err)
			s.Must(<-removed)
		}
		var left int
		s.Must(s.Pool.QueryRow("SELECT count(*) FROM album_items").Scan(&left))
		if left != 0 {
			s.Errorf("%d items are left of files that were removed", left)
		}
	})
}

// TestAlbumTexts checks that titles consist of one line of visible characters, and do not change how
// surrounding text is displayed.
func TestAlbumTexts(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage)
		for title, ok := range map[string]bool{
			" Sommer 2026 ": true, "海": true, "مرحبا": true, strings.Repeat("é", 100): true,
			strings.Repeat("e\u0301", 100): true,
			"":                             false, " ": false, strings.Repeat("e", 101): false, "a\nb": false,
			"a\x7fb": false, "a\u0085b": false,
			"a\u2028b": false, "a\u202egnp.exe": false, "a\u2066b": false, "\u200b": false, "\xff": false,
			"a\x00": false,
		} {
			for what, change := range map[string]func() error{
				"create": func() error {
					a, err := s.CreateAlbum(s.ada, gallery.ChangeAlbum{Title: &title})
					if err == nil {
						err = s.DeleteAlbum(s.ada, a.ID())
					}
					return err
				},
				"update": func() error {
					_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Title: &title})
					return err
				},
			} {
				if err := change(); (err == nil) != ok || err != nil && fault.CodeOf(err) != fault.Invalid {
					s.Errorf("%s with the title %q: %v", what, title, err)
				}
			}
		}
		for description, ok := range map[string]bool{
			"": true, "two\nlines\tof text": true, strings.Repeat("d", 2001): false, "a\u202eb": false, "a\x00": false,
		} {
			_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Description: &description})
			if (err == nil) != ok {
				s.Errorf("the description %q: %v", description, err)
			}
		}
	})
}

// TestWatchAlbums checks that watchers are notified about albums that they may see.
func TestWatchAlbums(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		s := newAlbumStage(stage, "open/1.png", "secret/2.png")
		bob := s.As(s.Person("bob", auth.RoleUser))
		hers, err := s.WatchAlbums(s.ada, &s.album)
		s.Must(err)
		_, err = s.WatchAlbums(bob, &s.album)
		gallerytest.Want(s.T, err, fault.NotFound, "another's album")
		all, err := s.WatchAlbums(bob, nil)
		s.Must(err)
		files, err := s.WatchFolder(s.ada, "", true)
		s.Must(err)
		if <-hers != "" || <-all != "" || (<-files).Kind != gallery.KindReload {
			s.Error("the first event is wrong")
		}
		s.add("open/1.png") // bob is not notified
		if id := <-hers; id != s.album.String() {
			s.Errorf("hers: %s", id)
		}
		s.Must(s.MoveFile(s.ada, "open/1.png", "open/one.png"))
		if id := <-hers; id != s.album.String() {
			s.Errorf("hers, after a file moved: %s", id)
		}
		if c := <-files; strings.Contains(c.Path, "albums") {
			s.Errorf("a watcher of files receives %s", c.Path)
		}
		everyone, private := gallery.VisibilityEveryone, gallery.VisibilityPrivate
		for _, v := range []*gallery.Visibility{&everyone, &private} {
			_, err := s.UpdateAlbum(s.ada, s.album, gallery.ChangeAlbum{Visibility: v})
			s.Must(err)
			if id := <-all; id != s.album.String() {
				s.Errorf("bob, after it is %s: %s", *v, id)
			}
		}
	})
}
