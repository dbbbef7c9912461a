package gallery_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/storage"
)

// pausing is a storage in which writes to one path wait.
type pausing struct {
	storage.Store
	reached, goOn chan struct{}
	writes        atomic.Int64
}

func (p *pausing) Create(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (storage.Stat, error) {
	if k == "slow.png" {
		close(p.reached)
		<-p.goOn
	}
	p.writes.Add(1)
	return p.Store.Create(ctx, k, r, o)
}

// TestReplacedStorage replaces the storage while a server that does not know that yet changes a file in the
// previous one. The change must fail and must not be indexed, and the next change must not reach the storage.
func TestReplacedStorage(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		dir := t.TempDir()
		s := newStage(t, pool, name, gallerytest.Config{
			Backend: storageconfig.Config{
				Kind:   "file",
				Policy: storageconfig.Policy{Default: filepath.Join(dir, "a"), Roots: []string{dir}},
			},
		})
		db, ended := database.New(pool, name), false
		epoch, err := storageconfig.ReadEpoch(access.All(t.Context()), db, func() { ended = true })
		must(t, err)
		store := &pausing{Store: storage.NewMemory(), reached: make(chan struct{}), goOn: make(chan struct{})}
		before, err := gallery.New(
			gallery.Config{}, db.Guarded(epoch), s.Audit, s.Signer, store, s.Engine,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		ctx := s.Someone(auth.RoleAdmin)
		create := func(g *gallery.Gallery, k storage.Key) error {
			_, err := g.CreateFile(ctx, k, strings.NewReader(png), storage.CreateOptions{})
			return err
		}
		must(t, create(before, "before.png"))
		if ended {
			t.Error("a change in the storage in use makes the server look for another storage")
		}
		done := make(chan error, 1)
		go func() { done <- create(before, "slow.png") }()
		<-store.reached
		must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: filepath.Join(dir, "b")}))
		writes := store.writes.Load()
		want(t, create(before, "late.png"), fault.Unavailable, "a change that begins in the storage before")
		if n := store.writes.Load() - writes; n != 0 {
			t.Errorf("it reached the storage: %d writes", n)
		}
		if f := (*fault.Error)(nil); !errors.As(create(before, "late.png"), &f) || f.RetryAfter == 0 || !ended {
			t.Errorf("the caller is not told to try again, or the server not to look: %v", ended)
		}
		close(store.goOn)
		want(t, <-done, fault.Unavailable, "a change that had begun in the storage before")
		if _, err := store.Stat(ctx, "slow.png"); err != nil {
			t.Errorf("it did not end in the storage before: %v", err)
		}
		if n := s.rows("SELECT count(*) FROM entries WHERE path IN ('slow.png', 'late.png')"); n != 0 {
			t.Errorf("the index has %d rows of the storage before", n)
		}
		if n := s.rows("SELECT count(*) FROM intents"); n != 0 {
			t.Errorf("%d intents are left, to be healed in another storage", n)
		}
		want(t, before.Ready(ctx), fault.Unavailable, "whether a server on the storage before is ready")
		_, err = before.Files(ctx, gallery.BrowseOptions{})
		want(t, err, fault.Unavailable, "a listing that would fill the index with the storage before")

		now, err := storageconfig.ReadEpoch(access.All(t.Context()), db, nil)
		must(t, err)
		if now.Is(epoch) {
			t.Error("the epoch is the same")
		}
		after, err := gallery.New(
			gallery.Config{}, db.Guarded(now), s.Audit, s.Signer, storage.NewMemory(), s.Engine,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		must(t, create(after, "new.png"))
		must(t, after.Ready(ctx))
	})
}

// rows returns the result of a query for a single number.
func (s *stage) rows(query string) (n int) {
	s.Helper()
	s.Must(s.Pool.QueryRow(query).Scan(&n))
	return n
}
