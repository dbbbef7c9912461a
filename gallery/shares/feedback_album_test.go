package shares_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
)

// TestFeedbackOnAlbum checks that visitors can only give feedback on the pictures of an album. Feedback on a
// picture that left the album or went to the trash is kept for the owner, and is visible to visitors again
// when the picture comes back.
func TestFeedbackOnAlbum(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		for _, p := range []string{"open/1.png", "open/2.png", "secret/3.png", "open/other.png"} {
			s.Put(p, gallerytest.PNG)
		}
		ada, admin := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("root", auth.RoleAdmin))
		title, everyone := "Winter", gallery.VisibilityEveryone
		album, err := s.CreateAlbum(admin, gallery.ChangeAlbum{Title: &title, Visibility: &everyone})
		s.Must(err)
		id := album.ID()
		_, _, err = s.AddToAlbum(admin, id, []string{"secret/3.png", "open/1.png", "open/2.png"}, nil)
		s.Must(err)
		link, err := s.Shares.Create(ada, shares.CreateInput{Album: &id, AllowFeedback: true})
		s.Must(err)
		key := strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		_, _, ann := reviewing(s, key, "", "Ann") // her token
		owner := func(what, want string, picks int) {
			t.Helper()
			p, err := s.Shares.Feedback(ada, link, shares.FeedbackInput{Filter: shares.Picked, First: 100})
			s.Must(err)
			var all []string
			n := 0
			for _, one := range p.Items {
				path := "-"
				if one.File != nil {
					path = one.File.Path()
				}
				all, n = append(all, path), n+int(one.Picked)
			}
			if got := strings.Join(all, " "); got != want || n != picks {
				t.Errorf("%s: the owner sees %s with %d picks, expected %s with %d", what, got, n, want, picks)
			}
		}
		// visitor compares what Ann sees of each picture, by its id. Files that she cannot access are left
		// out.
		files := map[string]*gallery.File{}
		for _, p := range []string{"open/1.png", "open/2.png", "secret/3.png", "open/other.png"} {
			files[p], err = s.File(admin, p)
			s.Must(err)
		}
		visitor := func(what string, want ...string) {
			t.Helper()
			at, r, _ := reviewing(s, key, ann, "")
			for path, f := range files {
				reached, err := r.File(at, r.ID(f))
				has := strings.Contains(" "+strings.Join(want, " ")+" ", " "+path+" ")
				if (err == nil) != has || err != nil && fault.CodeOf(err) != fault.NotFound {
					t.Errorf("%s: %s: %v", what, path, err)
				}
				if err != nil {
					continue
				}
				opinions, err := r.Opinions(at, []*gallery.File{reached})
				s.Must(err)
				if o := opinions[f.EntryID()]; o.Mine.Choice != shares.IsPicked || o.Comments != 1 {
					t.Errorf("%s: Ann sees %+v of %s", what, o, path)
				}
			}
			for _, show := range []shares.Shown{shares.ShowPicked, shares.ShowCommented} {
				var shown []string
				for p := (&shares.Page[*gallery.File]{Next: "0"}); p.Next != ""; {
					p, err = r.Show(at, show, p.Next, 1)
					s.Must(err)
					for _, f := range p.Items {
						shown = append(shown, f.Path())
					}
				}
				counts, err := r.Counts(at)
				s.Must(err)
				slices.Sort(shown)
				slices.Sort(want)
				if !slices.Equal(shown, want) || counts[show] != len(want) || counts[shares.ShowRejected] != 0 {
					t.Errorf("%s: Ann is shown %v as %s, expected %v; counted %v", what, shown, show, want, counts)
				}
			}
		}
		at, r, _ := reviewing(s, key, ann, "")
		for _, p := range []string{"secret/3.png", "open/1.png", "open/2.png"} {
			f, err := r.File(at, r.ID(files[p]))
			s.Must(err)
			s.Must(r.Mark(at, f, shares.Mark{Choice: shares.IsPicked}))
			_, err = r.Comment(at, f, shares.NewComment{Text: "x"})
			s.Must(err)
		}
		visitor("at first", "secret/3.png", "open/1.png", "open/2.png")
		owner("at first", "open/1.png open/2.png secret/3.png", 3)

		_, _, err = s.RemoveFromAlbum(admin, id, []string{"open/2.png"})
		s.Must(err)
		visitor("one left the album", "secret/3.png", "open/1.png")
		owner("one left the album", "open/1.png open/2.png secret/3.png", 3)
		_, _, err = s.AddToAlbum(admin, id, []string{"open/2.png"}, nil)
		s.Must(err)
		visitor("it came back", "secret/3.png", "open/1.png", "open/2.png")

		item, err := s.TrashFile(admin, "open/1.png")
		s.Must(err)
		visitor("one is in the trash", "secret/3.png", "open/2.png")
		owner("one is in the trash", "- open/2.png secret/3.png", 3)
		_, err = s.RestoreFile(admin, item.ID, "")
		s.Must(err)
		visitor("it was restored", "secret/3.png", "open/1.png", "open/2.png")
		owner("it was restored", "open/1.png open/2.png secret/3.png", 3)

		s.Must(s.SetGrants(admin, "", nil))
		s.Must(
			s.SetGrants(admin, "open", []*access.Grant{
				{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
		visitor("a right was taken", "open/1.png", "open/2.png")
		owner("a right was taken", "open/1.png open/2.png -", 3)
		p, err := s.Shares.Comments(ada, link, shares.CommentsInput{First: 100})
		s.Must(err)
		hidden := 0
		for _, c := range p.Items {
			f, err := s.Shares.CommentFile(ada, c)
			s.Must(err)
			if f == nil {
				hidden++
			}
		}
		if len(p.Items) != 3 || hidden != 1 {
			t.Errorf("the owner sees %d comments, %d of them on no picture", len(p.Items), hidden)
		}
		s.Must(s.DeleteAlbum(admin, id))
		if _, _, err := s.Shares.Visit(t.Context(), key, ""); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a visit of a deleted album: %v", err)
		}
		owner("the album was deleted", "open/1.png open/2.png -", 3)
	})
}

// TestFeedbackOnSmartAlbum checks that visitors can give feedback on what the search finds for the owner of
// the link.
func TestFeedbackOnSmartAlbum(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		for _, p := range []string{"open/sea.png", "open/sky.png"} {
			s.Put(p, gallerytest.PNG)
		}
		ada := s.As(s.Person("ada", auth.RoleUser))
		title := "Seas"
		album, err := s.CreateAlbum(ada, gallery.ChangeAlbum{
			Title: &title, Rules: &gallery.AlbumRules{Recursive: true, Search: "sea"},
		})
		s.Must(err)
		id := album.ID()
		link, err := s.Shares.Create(ada, shares.CreateInput{Album: &id, AllowFeedback: true})
		s.Must(err)
		key := strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		at, ann, token := reviewing(s, key, "", "Ann")
		sea := pictureOf(at, s, ann, "sea.png")
		s.Must(ann.Mark(at, sea, shares.Mark{Rating: 3}))
		sky, err := s.File(ada, "open/sky.png")
		s.Must(err)
		_, err = ann.File(at, ann.ID(sky))
		gallerytest.Want(t, err, fault.NotFound, "what the search does not find")
		s.Must(s.MoveFile(ada, "open/sea.png", "open/lake.png"))
		at, ann, _ = reviewing(s, key, token, "")
		_, err = ann.File(at, ann.ID(sea))
		gallerytest.Want(t, err, fault.NotFound, "what the search does not find any more")
		p, err := s.Shares.Feedback(ada, link, shares.FeedbackInput{First: 10})
		s.Must(err)
		if len(p.Items) != 1 || p.Items[0].File.Path() != "open/lake.png" {
			t.Errorf("the owner sees %d pictures with feedback", len(p.Items))
		}
	})
}
