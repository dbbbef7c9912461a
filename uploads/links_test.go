package uploads_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// quota is a link with a quota in bytes.
type quota struct{ all, added int64 }

func (q *quota) CheckUpload(_ context.Context, _ *ent.Tx, _ uuid.UUID, bytes int64) error {
	if q.added+bytes > q.all {
		return fault.New(fault.TooLarge, "full")
	}
	return nil
}

func (q *quota) CountUpload(_ context.Context, _ *ent.Tx, _ uuid.UUID, _ storage.Key, bytes int64) error {
	q.added += bytes
	return nil
}

// TestUploadsOfLinks checks that uploads of visitors have separate quotas from those of the link's owner and
// of other links, and expire sooner. When the quota of the link is lowered, the uploads that were created
// first continue.
func TestUploadsOfLinks(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Uploads: uploads.Config{TTL: 24 * time.Hour, MaxOpen: 3}})
		ada := s.As(s.Person("ada", auth.RoleUser))
		link := &quota{all: 1000}
		visitors := s.OfLink(uuid.New(), link)
		in := uploads.CreateUploadInput{Path: "x.png", SizeBytes: 100}
		var ids []string
		for range 3 {
			s.Clock.Time = s.Clock.Time.Add(time.Second)
			u, err := visitors.CreateUpload(ada, in)
			must(t, err)
			ids = append(ids, u.ID)
		}
		_, err := visitors.CreateUpload(ada, in)
		want(t, err, fault.RateLimited, "a fourth one through the link")
		if says := "the visitors of this link have 3 unfinished uploads"; !strings.Contains(err.Error(), says) {
			t.Errorf("a fourth one through the link: %v, expected %q", err, says)
		}
		_, err = s.OfLink(uuid.New(), link).CreateUpload(ada, in)
		must(t, err)
		own, err := s.CreateUpload(ada, in)
		must(t, err)

		link.all = 200
		must(t, visitors.CheckLink(ada, ids[0]))
		must(t, visitors.CheckLink(ada, ids[1]))
		want(t, visitors.CheckLink(ada, ids[2]), fault.TooLarge, "the last one after the quota was lowered")
		must(t, s.CheckLink(ada, own.ID))

		if n, err := visitors.AnnouncedBytes(ada); err != nil || n != 300 {
			t.Errorf("%d bytes are announced, %v", n, err)
		}
		s.Clock.Time = s.Clock.Time.Add(time.Hour)
		if n, err := visitors.AnnouncedBytes(ada); err != nil || n != 0 {
			t.Errorf("%d bytes are announced after an hour, %v", n, err)
		}
		_, err = visitors.UploadProgress(ada, ids[0])
		want(t, err, fault.NotFound, "an idle upload of a visitor")
		_, err = s.UploadProgress(ada, own.ID)
		must(t, err)
	})
}
