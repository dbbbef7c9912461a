package server_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage"
)

// slowLists holds the listings of folders named held… until release is closed.
type slowLists struct {
	storage.Store
	release chan struct{}
	held    *atomic.Int64
}

func (s slowLists) List(ctx context.Context, k storage.Key, o storage.ListOptions) iter.Seq2[storage.Stat, error] {
	if strings.HasPrefix(string(k), "held") {
		s.held.Add(1)
		<-s.release
	}
	return s.Store.List(ctx, k, o)
}

// TestQueriesTakeTurns checks that a client with many connections has only a few queries running, that the others wait
// and are answered, and that another client does not wait for them.
func TestQueriesTakeTurns(t *testing.T) {
	t.Parallel()
	slow := slowLists{release: make(chan struct{}), held: &atomic.Int64{}}
	s := newStageOver(t,
		func(st storage.Store) storage.Store {
			slow.Store = st
			return slow
		},
		func(*server.Config, *gallerytest.Config) {}, func(*server.Deps) {})
	const sent = 60
	most := int64(max(8, 2*runtime.GOMAXPROCS(0)))
	if most >= sent {
		t.Skipf("%d queries of a client may run on this machine", most)
	}
	for i := range sent {
		s.must(os.Mkdir(filepath.Join(s.files, fmt.Sprintf("held%02d", i)), 0o755))
	}
	var all sync.WaitGroup
	for i := range sent {
		all.Go(func() {
			a := s.graphQL("admin", fmt.Sprintf(`{ files(folder: "held%02d") { nodes { path } } }`, i), nil)
			if a.status != 200 || strings.Contains(a.body, "errors") {
				t.Errorf("a query got %d %s", a.status, a.body)
			}
		})
	}
	for slow.held.Load() < most {
		time.Sleep(time.Millisecond)
	}
	if a := s.graphQL("user", "{ me { username } }", nil); a.status != 200 {
		t.Errorf("another client got %d %s", a.status, a.body)
	}
	if n := slow.held.Load(); n > most {
		t.Errorf("%d queries of one client ran at once, expected %d", n, most)
	}
	close(slow.release)
	all.Wait()
}
