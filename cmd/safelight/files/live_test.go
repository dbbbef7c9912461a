package files_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cmd/safelight/files"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/server/hotswap"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// stage is a server without HTTP: whoever holds value makes a request.
type stage struct {
	*gallerytest.Stage
	*files.Live
	dir     string
	value   *hotswap.Value[*files.Files]
	working atomic.Int64 // works in the background
	refuse  atomic.Bool  // the server takes no other files
	full    atomic.Bool  // storages that are opened from now on refuse writes
	ready   atomic.Value // the code that Ready returned when requests began to use other files
}

// fullStore is a storage whose disk is full.
type fullStore struct{ storage.Store }

func (fullStore) Create(context.Context, storage.Key, io.Reader, storage.CreateOptions) (storage.Stat, error) {
	return storage.Stat{}, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
}

func newStage(t *testing.T, pool *sql.DB, name string) *stage {
	t.Helper()
	s := &stage{Stage: gallerytest.New(t, pool, name, gallerytest.Config{}), dir: t.TempDir()}
	folder := filepath.Join(s.dir, "first")
	c := files.Config{Now: time.Now, DefaultKind: "file", DefaultPlace: folder,
		Policy:  storageconfig.Policy{Default: folder, Roots: []string{s.dir}},
		Default: func(context.Context) (storage.Store, error) { return storage.OpenLocal(folder) },
		Mount: func(_ context.Context, main storage.Store, _ storageconfig.Config) (storage.Store, error) {
			if s.full.Load() {
				return fullStore{main}, nil
			}
			return main, nil
		},
		Uploads:  uploads.Config{TTL: time.Hour},
		Archives: archive.Config{MaxFiles: 1000, MaxBytes: 1 << 30}}
	live, err := files.OpenLive(t.Context(), c, files.Deps{DB: database.New(pool, name), Audit: s.Audit,
		Accounts: s.Accounts, Signing: s.Signer, Keys: s.Keys, Engine: s.Engine, Log: slog.New(slog.DiscardHandler)})
	s.Must(err)
	s.Live, s.value = live, hotswap.New(live.Files())
	stop := s.Run(files.Work{
		Serve: func(f *files.Files) (<-chan struct{}, error) {
			if s.refuse.Load() {
				return nil, fault.New(fault.Internal, "no")
			}
			replaced := s.value.Replace(f)
			s.ready.Store(fault.CodeOf(f.Gallery.Ready(t.Context())))
			return replaced.Idle(), nil
		},
		Start: func(*files.Files) func() {
			if n := s.working.Add(1); n != 1 {
				t.Errorf("%d works in the background at once", n)
			}
			return func() { s.working.Add(-1) }
		},
	})
	t.Cleanup(func() {
		stop()
		s.Must(live.Close())
		if n := s.working.Load(); n != 0 {
			t.Errorf("%d works in the background are left", n)
		}
	})
	return s
}

// choose chooses a folder and makes the server use it.
func (s *stage) choose(ctx context.Context, folder string) error {
	b := s.Files().Backend
	if err := b.ConfigureStorage(ctx, storageconfig.Input{Folder: filepath.Join(s.dir, folder)}); err != nil {
		return err
	}
	return b.Use(ctx)
}

// TestLive replaces the storage while requests use it: none gets one that is closed. Run it with the race detector.
func TestLive(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name)
		ctx := s.Someone(auth.RoleAdmin)
		var stop atomic.Bool
		var requests sync.WaitGroup
		for n := range 4 {
			requests.Go(func() {
				for i := 0; !stop.Load(); i++ {
					h := s.value.Hold()
					_, err := h.Value.Gallery.CreateFile(ctx, storage.Key(fmt.Sprintf("%d-%d.png", n, i)),
						strings.NewReader(gallerytest.PNG), storage.CreateOptions{})
					if code := fault.CodeOf(err); err != nil && code != fault.Unavailable {
						t.Errorf("a file meanwhile: %v", err)
					}
					if _, err := h.Value.Gallery.Files(ctx, gallery.BrowseOptions{}); err != nil &&
						fault.CodeOf(err) != fault.Unavailable {
						t.Errorf("a listing meanwhile: %v", err)
					}
					h.Release()
				}
			})
		}
		for i := range 8 {
			s.Must(s.choose(ctx, fmt.Sprintf("s%d", i%3)))
			if got := s.value.Hold(); got.Value != s.Files() {
				t.Error("new requests use other files than the server")
			} else {
				got.Release()
			}
		}
		stop.Store(true)
		requests.Wait()
		if _, err := os.Stat(filepath.Join(s.dir, "s1")); err != nil || s.Problem() != nil {
			t.Errorf("%v, %v", err, s.Problem())
		}
	})
}

// TestLiveFull replaces the storage with one that refuses writes, and checks that the server is not ready from the first
// request on. Ready waits at most 3 s for the first write test, so the test tries again if a write takes longer.
func TestLiveFull(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name)
		ctx := s.Someone(auth.RoleAdmin)
		s.full.Store(true)
		for n := 0; s.ready.Load() != fault.Unavailable; n++ {
			began := time.Now()
			s.Must(s.choose(ctx, fmt.Sprint("full", n)))
			if code := s.ready.Load(); code != fault.Unavailable && time.Since(began) < 3*time.Second {
				t.Fatalf("the code of readiness at the first request is %q, expected UNAVAILABLE", code)
			}
		}
	})
}

// TestLiveRefused checks that files which the server cannot take, or whose storage does not open, replace nothing, and
// are tried again.
func TestLiveRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name)
		ctx := s.Someone(auth.RoleAdmin)
		s.Must(s.choose(ctx, "first")) // it is in use already
		before := s.Files()
		s.refuse.Store(true)
		gallerytest.Want(t, s.choose(ctx, "other"), fault.Unavailable, "files that the server cannot take")
		if s.Files() != before || s.Problem() == nil {
			t.Errorf("it is half replaced: %v", s.Problem())
		}
		s.refuse.Store(false)
		s.Must(os.RemoveAll(filepath.Join(s.dir, "other")))
		gallerytest.Want(t, s.Use(ctx), fault.Unavailable, "a folder that this server does not see")
		if _, err := os.Stat(filepath.Join(s.dir, "other")); err == nil || s.Files() != before {
			t.Error("the folder was made")
		}
		gallerytest.Want(t, before.Gallery.Ready(ctx), fault.Unavailable, "whether the server is ready")
		s.Must(os.Mkdir(filepath.Join(s.dir, "other"), 0o755))
		s.Wake()
		for s.Files() == before {
			time.Sleep(time.Millisecond)
		}
		s.Must(s.Use(ctx))
		if s.Problem() != nil {
			t.Errorf("the problem stays: %v", s.Problem())
		}
		s.Must(s.Files().Gallery.Ready(ctx))
	})
}
