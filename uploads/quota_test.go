package uploads_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
)

// TestUploadQuotas creates one upload more than each quota allows. The error must name the quota, other
// accounts must not be affected, and canceling or expiry must make room.
func TestUploadQuotas(t *testing.T) {
	for setting, c := range map[string]struct {
		config uploads.Config
		shared bool // the quota is that of all accounts
	}{
		"max-open-uploads":       {uploads.Config{MaxOpen: 3}, false},
		"max-open-bytes":         {uploads.Config{MaxOpenBytes: 350}, false},
		"max-open-uploads-total": {uploads.Config{MaxOpen: 100, MaxOpenTotal: 3}, true},
		"max-open-bytes-total":   {uploads.Config{MaxOpenBytes: 1 << 20, MaxOpenTotalBytes: 300}, true},
	} {
		t.Run(setting, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				c.config.TTL = time.Hour
				s := newStage(t, db, name, gallerytest.Config{Uploads: c.config})
				ada, bea := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bea", auth.RoleUser))
				in := uploads.CreateUploadInput{Path: "x.png", SizeBytes: 100}
				var last *uploads.PendingUpload
				for range 3 {
					var err error
					last, err = s.CreateUpload(ada, in)
					must(t, err)
				}
				_, err := s.CreateUpload(ada, in)
				if fault.CodeOf(err) != fault.RateLimited || !strings.Contains(err.Error(), "(setting "+setting+")") {
					t.Errorf("the fourth upload: %v, expected RATE_LIMITED by %s", err, setting)
				}
				_, err = s.CreateUpload(bea, in)
				if refused := fault.CodeOf(err) == fault.RateLimited; refused != c.shared {
					t.Errorf("another account: %v", err)
				}
				must(t, s.CancelUpload(ada, last.ID))
				_, err = s.CreateUpload(ada, in)
				must(t, err)
				s.Clock.Time = s.Clock.Time.Add(time.Hour)
				_, err = s.CreateUpload(ada, in)
				must(t, err)
			})
		})
	}
}

// TestStoredQuotas writes one file more than each quota of stored files allows: as a whole upload, in parts,
// as a copy and as a template. Only the quotas of all accounts may affect another account, the trash must
// count, and purging must make room.
func TestStoredQuotas(t *testing.T) {
	size := int64(len(gallerytest.PNG))
	for setting, c := range map[string]struct {
		limits gallery.QuotaLimits
		shared bool // the quota is that of all accounts
	}{
		"max-stored-files":       {gallery.QuotaLimits{Files: 3}, false},
		"max-stored-bytes":       {gallery.QuotaLimits{Bytes: 3*size + 1}, false},
		"max-stored-files-total": {gallery.QuotaLimits{Files: 100, TotalFiles: 3}, true},
		"max-stored-bytes-total": {gallery.QuotaLimits{TotalBytes: 3*size + 1}, true},
	} {
		t.Run(setting, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				s := newStage(t, db, name, gallerytest.Config{
					Uploads: uploads.Config{TTL: time.Hour},
					Gallery: gallery.Config{Trash: true, Stored: c.limits},
				})
				ada, bea := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bea", auth.RoleUser))
				upload := func(ctx context.Context, path string) error {
					_, err := s.UploadFile(ctx, path, strings.NewReader(gallerytest.PNG))
					return err
				}
				parts := func(ctx context.Context) error {
					_, err := s.CreateUpload(ctx, uploads.CreateUploadInput{Path: "parts.png", SizeBytes: size})
					return err
				}
				refused := func(what string, err error) {
					t.Helper()
					if fault.CodeOf(err) != fault.RateLimited ||
						!strings.Contains(err.Error(), "(setting "+setting+")") {
						t.Errorf("%s: %v, expected RATE_LIMITED by %s", what, err, setting)
					}
				}
				later := func() { s.Clock.Time = s.Clock.Time.Add(2 * time.Second) }
				must(t, upload(ada, "a/a.png"))
				must(t, upload(ada, "a/b.png"))
				refused("a copy of two", s.CopyFile(ada, "a", "b"))
				must(t, s.CopyFile(ada, "a/a.png", "c.png"))
				refused("the fourth file", upload(ada, "x.png"))
				refused("the fourth file in parts", parts(ada))
				refused("a copy", s.CopyFile(ada, "c.png", "d.png"))
				if err := upload(bea, "bea.png"); c.shared {
					refused("another account's", err)
				} else {
					must(t, err)
				}
				must(t, s.MoveFile(ada, "a", "moved"))
				later()
				refused("a file after a move", upload(ada, "x.png"))
				item, err := s.TrashFile(ada, "moved/a.png")
				must(t, err)
				later()
				refused("a file in the place of one in the trash", upload(ada, "x.png"))
				must(t, s.PurgeFile(ada, item.ID))
				later()
				must(t, parts(ada))
				later()
				refused("a file besides an announced one", parts(ada))
			})
		})
	}
}

// TestStoredReplaced checks who owns a replaced file, that it counts once, and that an upload in parts is
// rejected at its end if others have used up the quota.
func TestStoredReplaced(t *testing.T) {
	size := int64(len(gallerytest.PNG))
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{
			Uploads: uploads.Config{TTL: time.Hour},
			Gallery: gallery.Config{Stored: gallery.QuotaLimits{Files: 2, TotalFiles: 3}},
		})
		ada, bea := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bea", auth.RoleUser))
		put := func(ctx context.Context, path string, policy gallery.ConflictPolicy) error {
			_, err := s.AddFile(
				ctx,
				uploads.AddFileInput{Path: path, Content: strings.NewReader(gallerytest.PNG), OnConflict: policy},
			)
			return err
		}
		later := func() { s.Clock.Time = s.Clock.Time.Add(2 * time.Second) }
		must(t, put(ada, "a.png", ""))
		must(t, put(ada, "b.png", ""))
		for range 3 {
			must(t, put(ada, "b.png", gallery.ConflictReplace)) // still two files
		}
		want(t, put(ada, "c.png", ""), fault.RateLimited, "the third file")
		must(t, put(bea, "b.png", gallery.ConflictReplace)) // now belongs to bea
		later()
		u, err := s.CreateUpload(ada, uploads.CreateUploadInput{Path: "c.png", SizeBytes: size})
		must(t, err)
		must(t, put(bea, "d.png", ""))
		_, err = s.ReceiveUpload(ada, u.ID, 0, strings.NewReader(gallerytest.PNG))
		must(t, err)
		_, _, err = s.FinishUpload(ada, u.ID)
		want(t, err, fault.RateLimited, "the end of an upload whose room another has taken")
		must(t, s.RemoveFile(bea, "d.png"))
		later()
		_, _, err = s.FinishUpload(ada, u.ID)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(s.Dir, "found.png"), []byte(gallerytest.PNG), 0o600))
		must(t, s.ScanNow(access.All(t.Context()), ""))
		later()
		want(t, put(bea, "e.png", ""), fault.RateLimited, "a file beside one that nobody wrote")
	})
}
