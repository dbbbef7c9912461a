package gallery_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// overtaken is a storage that calls then once, between a read and the return of its result.
type overtaken struct {
	storage.Store
	storage.Watched
	then func()
}

func (o *overtaken) call() {
	if then := o.then; then != nil {
		o.then = nil
		then()
	}
}

func (o *overtaken) Stat(ctx context.Context, k storage.Key) (storage.Stat, error) {
	s, err := o.Store.Stat(ctx, k)
	o.call()
	return s, err
}

func (o *overtaken) List(
	ctx context.Context, k storage.Key, options storage.ListOptions,
) iter.Seq2[storage.Stat, error] {
	return func(yield func(storage.Stat, error) bool) {
		for s, err := range o.Store.List(ctx, k, options) {
			if !yield(s, err) {
				return
			}
		}
		o.call()
	}
}

// TestRemovedWhileRead removes a file after it was read from the storage and before its row is written. The
// index must not contain the missing file.
func TestRemovedWhileRead(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		watched, ok := s.Store.(storage.Watched)
		if !ok {
			t.Fatal("the storage is not watched")
		}
		store := &overtaken{Store: s.Store, Watched: watched}
		s.Store = store
		s.Rules = s.Again()
		ctx := access.All(t.Context())
		for name, read := range map[string]func() error{
			"a file": func() error {
				if _, err := s.File(ctx, "f/a.png"); fault.CodeOf(err) != fault.NotFound {
					t.Errorf("the file that was removed: %v", err)
				}
				return nil
			},
			"a scan": func() error { return s.ScanNow(ctx, "f") },
			"a listing": func() error {
				_, err := s.Files(ctx, gallery.BrowseOptions{Folder: "f"})
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				folder := filepath.Join(s.Dir, "f") // by another program: the files are not indexed
				s.Must(os.MkdirAll(folder, 0o750))
				for _, f := range []string{"a.png", "b.png"} {
					s.Must(os.WriteFile(filepath.Join(folder, f), []byte(png), 0o600))
				}
				store.then = func() { s.Must(s.RemoveFile(ctx, "f/a.png")) }
				s.Must(read())
				var left int
				s.Must(s.Pool.QueryRow("SELECT count(*) FROM entries WHERE path = 'f/a.png'").Scan(&left))
				if left != 0 {
					t.Error("the index has a file that was removed")
				}
				s.Must(s.RemoveFile(ctx, "f"))
			})
		}
	})
}
