package uploads_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
)

// TestUploadQuotas opens one upload more than each quota allows: the error names the quota, another account is not
// refused for it, and canceling, or the end of its time, makes room.
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

// TestStoredQuotas uploads one file more than each quota of stored files allows, whole and in parts: the trash counts, and
// purging makes room.
func TestStoredQuotas(t *testing.T) {
	size := int64(len(gallerytest.PNG))
	for setting, config := range map[string]uploads.Config{"max-stored-files": {MaxStored: 3}, "max-stored-bytes": {MaxStoredBytes: 3*size + 1}} {
		t.Run(setting, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				config.TTL = time.Hour
				s := newStage(t, db, name, gallerytest.Config{Uploads: config})
				ada := s.As(s.Person("ada", auth.RoleUser))
				upload := func(path string) error {
					_, err := s.UploadFile(ada, path, strings.NewReader(gallerytest.PNG))
					return err
				}
				refused := func(what string) {
					t.Helper()
					_, parts := s.CreateUpload(ada, uploads.CreateUploadInput{Path: "parts.png", SizeBytes: size})
					for _, err := range []error{upload("x.png"), parts} {
						if fault.CodeOf(err) != fault.RateLimited || !strings.Contains(err.Error(), "(setting "+setting+")") {
							t.Errorf("%s: %v, expected RATE_LIMITED by %s", what, err, setting)
						}
					}
				}
				for _, path := range []string{"a.png", "b.png", "c.png"} {
					must(t, upload(path))
				}
				refused("the fourth file")
				item, err := s.TrashFile(ada, "a.png")
				must(t, err)
				s.Clock.Time = s.Clock.Time.Add(time.Minute)
				refused("a file in the place of one in the trash")
				must(t, s.PurgeFile(ada, item.ID))
				s.Clock.Time = s.Clock.Time.Add(time.Minute)
				must(t, upload("d.png"))
			})
		})
	}
}
