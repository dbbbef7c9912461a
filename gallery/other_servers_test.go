package gallery_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// bus passes notices between the galleries of a test, like PostgreSQL.
type bus struct {
	mu        sync.Mutex
	receivers []func(string)
	failures  int // number of Send calls that fail
}

func (b *bus) Send(_ context.Context, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures > 0 {
		b.failures--
		return fault.New(fault.Unavailable, "the database does not answer")
	}
	for _, receive := range b.receivers {
		receive(text)
	}
	return nil
}

func (b *bus) Listen(ctx context.Context, receive func(string), missed func()) {
	missed() // before anyone waits for changes, because a reload replaces changes that are queued with it
	b.mu.Lock()
	b.receivers = append(b.receivers, receive)
	b.mu.Unlock()
	<-ctx.Done()
}

// TestChangesOfAnotherServer watches a folder of a bucket through one server, while another server changes
// it.
func TestChangesOfAnotherServer(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory()
		s.Rules = s.Again()
		here, there, b := &stage{s.Stage}, s.Again(), &bus{}
		ctx := s.Someone(auth.RoleUser)
		must(t, here.CreateFolder(ctx, "f"))
		here.run(gallery.RunConfig{Notices: b})
		other := *s.Stage
		other.Rules = there
		(&stage{&other}).run(gallery.RunConfig{Notices: b})
		s.until("both listen", func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.receivers) == 2
		})
		watching, end := context.WithCancel(ctx)
		defer end()
		changes, err := there.WatchFolder(watching, "f", true)
		must(t, err)
		// The timeout of go test stops the test if no change arrives.
		next := func(kind gallery.ChangeKind, path string) {
			t.Helper()
			for c := range changes {
				if c.Kind == kind && c.Path == path {
					return
				}
			}
		}
		next(gallery.KindReload, "f")
		upload := func(path string) {
			t.Helper()
			_, err := here.UploadFile(ctx, path, strings.NewReader(png))
			must(t, err)
		}
		upload("f/a.png")
		next(gallery.KindChanged, "f/a.png")
		must(t, here.DeleteFile(ctx, "f/a.png"))
		next(gallery.KindRemoved, "f/a.png")
		// A reload makes up for a change that could not be sent.
		b.mu.Lock()
		b.failures = 1
		b.mu.Unlock()
		upload("f/b.png")
		next(gallery.KindReload, "f")
		must(t, here.Access.SetGrants(s.Context(), "f", []*access.Grant{
			{To: access.Grantee{Kind: access.Everyone}, Right: access.Manage},
		}))
		next(gallery.KindReload, "f")
	})
}
