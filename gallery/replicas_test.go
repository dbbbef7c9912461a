package gallery_test

import (
	"context"
	"database/sql"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// careless is a store whose moves, copies and creations check whether the target is free and write later, as
// on an S3 server without conditional copies. Concurrent operations can conflict in between.
type careless struct {
	storage.Store
	met chan struct{}
}

func (c careless) claim(ctx context.Context, to storage.Key) error {
	if _, err := c.Stat(ctx, to); err == nil {
		return fault.New(fault.Conflict, "taken")
	}
	select {
	case c.met <- struct{}{}:
	case <-c.met:
	case <-time.After(20 * time.Millisecond): // only limits the wait, without affecting the result
	}
	return nil
}

func (c careless) write(ctx context.Context, from, to storage.Key) error {
	o, err := c.Open(ctx, from)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := c.claim(ctx, to); err != nil {
		return err
	}
	_, err = c.Store.Create(ctx, to, o, storage.CreateOptions{Overwrite: true})
	return err
}

// Create implements storage.Store.
func (c careless) Create(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (storage.Stat, error) {
	if !o.Overwrite {
		if err := c.claim(ctx, k); err != nil {
			return storage.Stat{}, err
		}
	}
	return c.Store.Create(ctx, k, r, storage.CreateOptions{Overwrite: true})
}

// Copy implements storage.Store.
func (c careless) Copy(ctx context.Context, from, to storage.Key) error {
	return c.write(ctx, from, to)
}

// Move implements storage.Store.
func (c careless) Move(ctx context.Context, from, to storage.Key) error {
	if err := c.write(ctx, from, to); err != nil {
		return err
	}
	return c.Delete(ctx, from)
}

// TestTwoServersOnePath makes two conflicting changes at the same time through two servers that share a
// PostgreSQL database and a store. One of them must be rejected, and every file must exist exactly once.
func TestTwoServersOnePath(t *testing.T) {
	type server = *gallerytest.Rules
	upload := func(p string) func(context.Context, server) error {
		return func(ctx context.Context, s server) error {
			_, err := s.CreateFile(ctx, storage.Key(p), strings.NewReader("new "+p), storage.CreateOptions{})
			return err
		}
	}
	move := func(from, to string) func(context.Context, server) error {
		return func(ctx context.Context, s server) error { return s.MoveFile(ctx, from, to) }
	}
	copies := func(from, to string) func(context.Context, server) error {
		return func(ctx context.Context, s server) error { return s.CopyFile(ctx, from, to) }
	}
	for _, c := range []struct {
		name   string
		one    func(context.Context, server) error
		two    func(context.Context, server) error
		loser  fault.Code
		either []string // possible contents of the files afterwards, sorted and joined
	}{
		{"move x to z, move y to z", move("x", "z"), move("y", "z"), fault.Conflict, []string{"v w x y"}},
		{"upload z, move v to z", upload("z"), move("v", "z"), fault.Conflict, []string{"new z v w x y", "v w x y"}},
		{"upload z, copy x to z", upload("z"), copies("x", "z"), fault.Conflict,
			[]string{"new z v w x y", "v w x x y"}},
		{"move w to two names", move("w", "w1"), move("w", "w2"), fault.NotFound, []string{"v w x y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				if name != dialect.Postgres {
					t.Skip("several servers need PostgreSQL")
				}
				s := gallerytest.New(t, db, name, gallerytest.Config{})
				for range 5 {
					s.Store = careless{storage.NewMemory(), make(chan struct{})}
					first, second := s.Again(), s.Again()
					for _, name := range []storage.Key{"v", "w", "x", "y"} {
						_, err := s.Store.(careless).Store.Create(
							access.All(t.Context()), name, strings.NewReader(string(name)), storage.CreateOptions{},
						)
						s.Must(err)
					}
					var wg sync.WaitGroup
					var errs [2]error
					wg.Go(func() { errs[0] = c.one(access.All(t.Context()), first) })
					wg.Go(func() { errs[1] = c.two(access.All(t.Context()), second) })
					wg.Wait()
					if (errs[0] == nil) == (errs[1] == nil) || errs[0] != nil && fault.CodeOf(errs[0]) != c.loser ||
						errs[1] != nil && fault.CodeOf(errs[1]) != c.loser {
						s.Errorf("the changes return %v and %v, expected one to be %s", errs[0], errs[1], c.loser)
					}
					if got := contents(s); !slices.Contains(c.either, got) {
						s.Errorf("the files hold %q, expected one of %q", got, c.either)
					}
				}
			})
		})
	}
}

func contents(s *gallerytest.Stage) string {
	var all []string
	for e, err := range s.Store.List(s.Context(), "", storage.ListOptions{}) {
		s.Must(err)
		o, err := s.Store.Open(s.Context(), e.Key)
		s.Must(err)
		data, err := io.ReadAll(o)
		s.Must(err)
		o.Close()
		all = append(all, string(data))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
