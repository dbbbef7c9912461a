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
