package shares_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
)

// albumStage is a stage with a link that ada created for an album.
type albumStage struct {
	*gallerytest.Stage
	key string
}

// shows checks what a visitor sees: the list in pages of one picture, the count, the content of an archive,
// and each file by its id.
func (s *albumStage) shows(what string, want ...string) {
	s.Helper()
	ctx, v, err := s.Shares.Visit(s.T.Context(), s.key, "")
	s.Must(err)
	var list []string
	for p, after := (&shares.Page[*gallery.File]{Next: "x"}), ""; p.Next != ""; after = p.Next {
		p, err = v.Files(ctx, "", after, 1)
		s.Must(err)
		for _, f := range p.Items {
			list = append(list, f.Path())
			if _, err := v.File(ctx, v.ID(f)); err != nil {
				s.Errorf("%s: %s: %v", what, f.Path(), err)
			}
		}
	}
	n, err := v.Count(ctx, "")
	s.Must(err)
	selected, err := v.Selection(ctx, "")
	s.Must(err)
	if got := strings.Join(list, " "); got != strings.Join(want, " ") || n != len(want) {
		s.Errorf("%s: %d pictures: %s, expected %s", what, n, got, strings.Join(want, " "))
	}
	for _, p := range want {
		if !strings.Contains(" "+strings.Join(selected, " ")+" ", " "+p+" ") {
			s.Errorf("%s: the archive has %v, expected %s", what, selected, p)
		}
	}
}

// TestSharedAlbum checks that visitors see the pictures of an album that the owner of the link may view, in
// its order, and every change of the album.
func TestSharedAlbum(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		for _, p := range []string{"open/1.png", "open/2.png", "b/3.png", "secret/4.png", "open/notes.txt",
			"open/other.png"} {
			stage.Put(p, gallerytest.PNG)
		}
		stage.Put("open/t.template.json", "{}")
		ada, admin := stage.As(stage.Person("ada", auth.RoleUser)), stage.As(stage.Person("root", auth.RoleAdmin))
		s := &albumStage{Stage: stage}
		everyone, private := gallery.VisibilityEveryone, gallery.VisibilityPrivate
		title, text := "Winter", "Ice and snow"
		album,
			err := s.CreateAlbum(admin, gallery.ChangeAlbum{Title: &title, Description: &text, Visibility: &everyone})
		s.Must(err)
		id := album.ID()
		_, _, err = s.AddToAlbum(admin, id, []string{
			"b/3.png", "secret/4.png", "open/1.png", "open/t.template.json", "open/notes.txt", "open/2.png",
		}, nil)
		s.Must(err)
		s.Must(s.SetGrants(admin, "", nil))
		view := []*access.Grant{{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}
		s.Must(s.SetGrants(admin, "open", view))
		s.Must(s.SetGrants(admin, "b", view))

		_, err = s.Shares.Create(ada, shares.CreateInput{Album: &id, Paths: []string{"open"}})
		gallerytest.Want(t, err, fault.Invalid, "an album and a folder")
		_, err = s.Shares.Create(ada, shares.CreateInput{Album: &id, UploadQuota: 5})
		gallerytest.Want(t, err, fault.Invalid, "an album with uploads")
		none := uuid.New()
		_, err = s.Shares.Create(ada, shares.CreateInput{Album: &none})
		gallerytest.Want(t, err, fault.NotFound, "no album")
		link, err := s.Shares.Create(ada, shares.CreateInput{Album: &id})
		s.Must(err)
		if link.Name != title {
			t.Errorf("the link is called %s", link.Name)
		}
		s.key = strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		s.shows("at first", "b/3.png", "open/1.png", "open/2.png")

		_, _, err = s.MoveInAlbum(admin, id, []string{"open/2.png"}, "secret/4.png")
		s.Must(err)
		s.shows("in another order", "b/3.png", "open/2.png", "open/1.png")
		s.Must(s.MoveFile(admin, "b/3.png", "b/three.png"))
		s.shows("with a file of another name", "b/three.png", "open/2.png", "open/1.png")
		_, _, err = s.RemoveFromAlbum(admin, id, []string{"open/2.png"})
		s.Must(err)
		s.shows("with one file less", "b/three.png", "open/1.png")

		ctx, v, err := s.Shares.Visit(t.Context(), s.key, "")
		s.Must(err)
		for _, p := range []string{"open/2.png", "open/other.png", "secret/4.png", "open/t.template.json",
			"open/notes.txt"} {
			f, err := s.File(admin, p)
			s.Must(err)
			_, err = v.File(ctx, v.ID(f))
			gallerytest.Want(t, err, fault.NotFound, p)
		}
		for _, inside := range []string{"open", "..", "b"} {
			if _, err := v.Files(ctx, inside, "", 10); err == nil {
				t.Errorf("a visitor opens the folder %s", inside)
			}
		}
		if p, err := v.Folders(ctx, "", "", 10); err != nil || len(p.Items) > 0 {
			t.Errorf("folders: %v, %v", p, err)
		}
		// A cover that the owner of the link may not see is not shown.
		for cover, want := range map[string]string{
			"secret/4.png": "b/three.png", "open/1.png": "open/1.png", "open/notes.txt": "b/three.png",
		} {
			_, err = s.UpdateAlbum(admin, id, gallery.ChangeAlbum{Cover: &cover})
			s.Must(err)
			ctx, v, err := s.Shares.Visit(t.Context(), s.key, "")
			s.Must(err)
			if f, err := v.Cover(ctx); err != nil || f.Path() != want {
				t.Errorf("with the cover %s: %v, %v, expected %s", cover, f, err, want)
			}
		}
		later, now, err := s.Shares.Visit(t.Context(), s.key, "")
		s.Must(err)
		same := func(want bool) {
			t.Helper()
			ctx, v, err := s.Shares.Visit(t.Context(), s.key, "")
			s.Must(err)
			if got, err := now.Same(later, v, ctx); err != nil || got != want {
				t.Errorf("the same: %v, %v", got, err)
			}
		}
		same(true)
		s.Must(s.SetGrants(admin, "b", nil))
		same(false)
		s.shows("after a right was taken", "open/1.png")

		page, err := s.Shares.List(ada, shares.ListInput{Album: &id, First: 10})
		s.Must(err)
		other, err := s.Shares.List(ada, shares.ListInput{Album: &none, First: 10})
		s.Must(err)
		if len(page.Items) != 1 || len(other.Items) != 0 {
			t.Errorf("%d and %d links", len(page.Items), len(other.Items))
		}
		active := func(want bool) {
			t.Helper()
			_, _, err := s.Shares.Visit(t.Context(), s.key, "")
			if got, err2 := s.Shares.IsActive(ada, link); err2 != nil || got != want || (err == nil) != want {
				t.Errorf("active: %v, %v, visit %v, expected %v", got, err2, err, want)
			}
		}
		active(true)
		_, err = s.UpdateAlbum(admin, id, gallery.ChangeAlbum{Visibility: &private})
		s.Must(err)
		active(false)
		_, err = s.UpdateAlbum(admin, id, gallery.ChangeAlbum{Visibility: &everyone})
		s.Must(err)
		active(true)
		s.Must(s.DeleteAlbum(admin, id))
		active(false)
		if a, err := s.Shares.Album(ada, link); a != nil || err != nil {
			t.Errorf("the album of the link: %v, %v", a, err)
		}
	})
}

// TestSharedSmartAlbum checks that visitors see the pictures that the search finds for the owner of the link.
func TestSharedSmartAlbum(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(stage *gallerytest.Stage) {
		for _, p := range []string{"open/sea 1.png", "open/sky.png", "secret/sea 2.png", "open/sea.txt"} {
			stage.Put(p, gallerytest.PNG)
		}
		ada := stage.As(stage.Person("ada", auth.RoleUser))
		s := &albumStage{Stage: stage}
		share := func(rules gallery.AlbumRules) {
			title := "Seas"
			album, err := s.CreateAlbum(ada, gallery.ChangeAlbum{Title: &title, Rules: &rules})
			s.Must(err)
			id := album.ID()
			link, err := s.Shares.Create(ada, shares.CreateInput{Album: &id})
			s.Must(err)
			s.key = strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		}
		share(gallery.AlbumRules{Recursive: true, Search: "sea"})
		s.shows("by words", "open/sea 1.png", "secret/sea 2.png")
		sky, err := s.File(ada, "open/sky.png")
		s.Must(err)
		ctx, v, err := s.Shares.Visit(t.Context(), s.key, "")
		s.Must(err)
		_, err = v.File(ctx, v.ID(sky))
		gallerytest.Want(t, err, fault.NotFound, "what the search does not find")
		s.Must(s.SetGrants(s.Context(), "", nil))
		s.Must(
			s.SetGrants(s.Context(), "open", []*access.Grant{
				{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
		s.shows("in part", "open/sea 1.png")
		stage.Put("open/sea 3.png", gallerytest.PNG)
		s.shows("with a new one", "open/sea 1.png", "open/sea 3.png")
		share(gallery.AlbumRules{Recursive: true, Filter: `{"formats": ["PNG"]}`})
		s.shows("of a format", "open/sea 1.png", "open/sea 3.png", "open/sky.png")
		share(gallery.AlbumRules{Recursive: true, Filter: `{"isTemplate": true}`})
		s.shows("of templates")
		share(gallery.AlbumRules{Folder: "secret", Recursive: true})
		s.shows("of a hidden folder")
	})
}
