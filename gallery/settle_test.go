package gallery_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// interrupted is a storage that calls between before each copy and move of a sidecar, after its file has been
// copied or moved.
type interrupted struct {
	storage.Store
	between func()
}

func (i *interrupted) Copy(ctx context.Context, from, to storage.Key) error {
	i.call(to)
	return i.Store.Copy(ctx, from, to)
}

func (i *interrupted) Move(ctx context.Context, from, to storage.Key) error {
	i.call(to)
	return i.Store.Move(ctx, from, to)
}

func (i *interrupted) call(to storage.Key) {
	if path.Ext(string(to)) == ".json" && i.between != nil {
		i.between()
	}
}

// TestSidecarFollowsItsFile lists a folder when a file has arrived but its sidecar has not. The file must
// keep its notes, whether it is copied or moved, and whether or not it is indexed.
func TestSidecarFollowsItsFile(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{Gallery: gallery.Config{Trash: true}}, func(s *gallerytest.Stage) {
		store := &interrupted{Store: storage.NewMemory()}
		s.Store = store
		s.Rules = s.Again()
		g := s.Gallery
		ctx, tags := s.Someone(auth.RoleAdmin), []string{"kept"}
		look := func() {
			_, _ = g.File(access.All(t.Context()), "f/b.png")
			s.Must(g.ScanNow(access.All(t.Context()), "f"))
		}
		for name, change := range map[string]func(){
			"copy": func() { s.Must(g.CopyFile(ctx, "f/a.png", "f/b.png")) },
			"move": func() { s.Must(g.MoveFile(ctx, "f/a.png", "f/b.png")) },
			"move without a row": func() {
				_, err := s.Pool.Exec("DELETE FROM entries WHERE path = 'f/a.png'")
				s.Must(err)
				s.Must(g.MoveFile(ctx, "f/a.png", "f/b.png"))
			},
		} {
			t.Run(name, func(t *testing.T) {
				store.between = nil
				_, err := g.CreateFile(ctx, "f/a.png", strings.NewReader(png), storage.CreateOptions{Overwrite: true})
				s.Must(err)
				_, err = g.UpdateFile(ctx, gallery.UpdateFileInput{Path: "f/a.png", Tags: &tags})
				s.Must(err)
				store.between = look
				change()
				f, err := g.File(access.All(t.Context()), "f/b.png")
				s.Must(err)
				if got := f.Tags(); len(got) != 1 {
					t.Errorf("the file has the tags %v", got)
				}
				s.Must(g.DeleteFile(ctx, "f/b.png"))
			})
		}
	})
}
