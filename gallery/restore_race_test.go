package gallery_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestRestoreBesideUpdates restores a file and a folder while others read and change these paths. They index
// what they find in the storage, which must not collide with the restored rows. No path must stay locked.
func TestRestoreBesideUpdates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		ctx, stop := context.WithCancel(s.Someone(auth.RoleAdmin))
		tags, path := []string{"kept"}, "f/a.png"
		s.Put(path, png)
		_, err := s.UpdateFile(ctx, gallery.UpdateFileInput{Path: path, Tags: &tags})
		must(t, err)
		var others sync.WaitGroup
		for i := range 4 {
			others.Go(func() {
				for ctx.Err() == nil {
					var err error
					switch i {
					case 0:
						_, err = s.UpdateFile(ctx, gallery.UpdateFileInput{Path: path, Rating: ptr(int32(3))})
					case 1:
						_, err = s.Names(ctx, "f")
					default:
						_, err = s.File(ctx, path)
					}
					if code := fault.CodeOf(err); err != nil && code != fault.NotFound && ctx.Err() == nil {
						t.Errorf("beside it: %v", err)
						return
					}
				}
			})
		}
		rounds := 25
		if testing.Short() {
			rounds = 10
		}
		for i := range rounds {
			trashed, err := s.TrashFile(ctx, strings.TrimSuffix(path, []string{"", "/a.png"}[i%2]))
			if err == nil {
				_, err = s.RestoreFile(ctx, trashed.ID, gallery.ConflictError)
			}
			var left int
			must(t, errors.Join(err, db.QueryRow("SELECT count(*) FROM intents WHERE change = 'move'").Scan(&left)))
			if left > 0 {
				t.Fatalf("after %d restorations, a change of the path is not completed: it stays locked", i+1)
			}
		}
		stop()
		others.Wait()
		f, err := s.File(access.All(t.Context()), path)
		must(t, err)
		if got := f.Tags(); len(got) != 1 {
			t.Errorf("the file has the tags %v", got)
		}
	})
}
