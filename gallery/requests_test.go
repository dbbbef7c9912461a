package gallery_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// TestS3Requests checks how many S3 requests the changes and listings of a server take. The server has just
// started, so it knows no folder.
func TestS3Requests(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name != dialect.Postgres {
			t.Skip("the requests do not depend on the database")
		}
		const files = 1100 // two pages of a listing
		s := gallerytest.New(t, db, name, gallerytest.Config{})
		c := storagetest.NewCounted(t)
		s.Store = c.Store
		var wg sync.WaitGroup
		for worker := range 10 {
			wg.Go(func() {
				for i := worker; i < files; i += 10 {
					k := storage.Key(fmt.Sprintf("big/img-%04d.png", i))
					if _, err := c.Create(access.All(t.Context()), k, strings.NewReader(png),
						storage.CreateOptions{}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		_, err := c.Create(access.All(t.Context()), "other/file.png", strings.NewReader(png), storage.CreateOptions{})
		s.Must(err)
		s.Must(c.Delete(access.All(t.Context()), "other/file.png")) // detects the features of the server, once
		s.Rules = s.Again()
		ctx := s.Someone(auth.RoleAdmin)
		list := func() error {
			c, err := s.Files(ctx, gallery.BrowseOptions{Folder: "big"})
			if err != nil {
				return err
			}
			if n, err := c.TotalCount(ctx, true); err != nil || *n != files {
				return fmt.Errorf("%d files are listed, expected %d: %w", *n, files, err)
			}
			return nil
		}
		upload := func(path string) func() error {
			return func() error {
				_, err := s.UploadFile(ctx, path, strings.NewReader(png))
				return err
			}
		}
		trash := func(path string) func() error {
			return func() error {
				_, err := s.TrashFile(ctx, path)
				return err
			}
		}
		for _, o := range []struct {
			name string
			max  int
			do   func() error
		}{
			{"list a folder for the first time", files/1000 + 2, list},
			{"list it again", files/1000 + 2, list},
			{"scan it unchanged", files/1000 + 2, func() error { return s.ScanNow(ctx, "big") }},
			{"upload", 3, upload("big/new.png")},
			{"upload another", 3, upload("big/other.png")},
			{"upload to the root", 3, upload("root.png")},
			{"upload to a new folder", 5, upload("fresh/new.png")},
			{"rename", 4, func() error { return s.MoveFile(ctx, "big/new.png", "big/newer.png") }},
			{"move", 4, func() error { return s.MoveFile(ctx, "big/newer.png", "fresh/newer.png") }},
			{"copy", 5, func() error { return s.CopyFile(ctx, "fresh/newer.png", "big/copy.png") }},
			{"trash", 6, trash("big/img-0001.png")},
			{"trash what was moved", 6, trash("fresh/newer.png")},
			{"delete", 3, func() error { return s.RemoveFile(ctx, "big/img-0002.png") }},
		} {
			s.Rules = s.Again()
			got := c.Traffic(t, o.do)
			t.Logf("%-36s %d %v", o.name, got.Requests, got.Kinds)
			if got.Requests > o.max {
				t.Errorf("%s makes %d requests, expected at most %d: %v", o.name, got.Requests, o.max, got.Kinds)
			}
		}
	})
}
