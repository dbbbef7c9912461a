package intents_test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stage is a database and a clock that tests control.
type stage struct {
	*testing.T
	db   *database.DB
	time time.Time
	pool *sql.DB
}

func (s *stage) now() time.Time { return s.time }

// server returns the table of another server.
func (s *stage) server(name string) *intents.Table { return intents.New(s.db, name, s.now) }

// onPostgres runs a test that needs several servers.
func onPostgres(t *testing.T, test func(*stage)) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		if name != dialect.Postgres {
			t.Skip("on SQLite there is one server")
		}
		test(&stage{t, database.New(pool, name), time.Now(), pool})
	})
}

func move(from, to storage.Key) intents.Change {
	return intents.Change{What: intent.ChangeMove, Source: from, Target: to}
}

// soon returns a context that ends before Begin gives up waiting for another server's lock.
func (s *stage) soon() context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), 200*time.Millisecond)
	s.Cleanup(cancel)
	return ctx
}

// TestAdopt completes a change of a server that stopped. Only one of two other servers may do so.
func TestAdopt(t *testing.T) {
	onPostgres(t, func(s *stage) {
		dead, one, two := s.server("dead"), s.server("one"), s.server("two")
		id, err := dead.Begin(t.Context(), move("a", "b"))
		must(t, err)
		rows, err := one.Abandoned(t.Context(), s.time.Add(-intents.Timeout))
		must(t, err)
		if len(rows) != 0 {
			t.Errorf("a change under way is abandoned: %v", rows)
		}
		s.time = s.time.Add(intents.Timeout + time.Second)
		rows, err = one.Abandoned(t.Context(), s.time.Add(-intents.Timeout))
		must(t, err)
		if len(rows) != 1 || rows[0].ID != id {
			t.Fatalf("abandoned: %v", rows)
		}
		for _, c := range []struct {
			by   *intents.Table
			want bool
		}{{one, true}, {two, false}, {one, false}} {
			if taken, err := c.by.Adopt(t.Context(), rows[0]); err != nil || taken != c.want {
				t.Errorf("adopted: %v, %v", taken, err)
			}
		}
		if !one.IsLive(id) || two.IsLive(id) {
			t.Error("the wrong server is at it")
		}
		// The change locks its paths while it is being completed.
		if _, err := two.Begin(s.soon(), move("b/x", "c")); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("a change that meets it: %v", err)
		}
		// And until it is completed.
		must(t, one.Abandon(t.Context(), rows[0]))
		if _, err := two.Begin(s.soon(), move("b/x", "c")); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("a change that meets one to be completed: %v", err)
		}
		// But not forever.
		s.time = s.time.Add(time.Hour)
		if _, err := two.Begin(t.Context(), move("b/x", "c")); err != nil {
			t.Errorf("a change that meets one that cannot be completed: %v", err)
		}
		if taken, err := one.Adopt(t.Context(), rows[0]); err != nil || taken {
			t.Errorf("adopted beside a change that meets it: %v, %v", taken, err)
		}
	})
}

// guard is a guard that a test can end.
type guard struct{ ended bool }

func (g *guard) Lock(context.Context, *ent.Client) error {
	if g.ended {
		return g.Refused()
	}
	return nil
}

func (g *guard) Check(ctx context.Context, db *ent.Client) error { return g.Lock(ctx, db) }

func (g *guard) Row() string { return "SELECT 1 WHERE " + strconv.FormatBool(!g.ended) }

func (*guard) Refused() error { return fault.New(fault.Unavailable, "the guard has ended") }

// TestEndedGuard checks that no change starts or is adopted after the guard ends, and that a change in
// progress is still renewed.
func TestEndedGuard(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		g, db := &guard{}, database.New(pool, name)
		s := &stage{t, db.Guarded(g), time.Now(), pool}
		table := s.server("server")
		id, err := table.Begin(t.Context(), move("a", "b"))
		must(t, err)
		g.ended = true
		s.time = s.time.Add(intents.Timeout / 2)
		must(t, table.Renew(t.Context()))
		if n, err := db.Intent.Query().Where(intent.ID(id), intent.Seen(s.time.UnixNano())).
			Count(t.Context()); n != 1 ||
			err != nil {
			t.Errorf("the change that has begun is not renewed: %v", err)
		}
		if _, err := table.Begin(t.Context(), move("c", "d")); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a change begins: %v", err)
		}
		rows, err := s.server("another").Abandoned(t.Context(), s.time.Add(time.Second))
		must(t, err)
		if taken, err := s.server("another").Adopt(t.Context(), rows[0]); taken ||
			fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a change is taken over: %v, %v", taken, err)
		}
	})
}

// TestAdoptOnSQLite completes the changes that the only server was making when it was killed, immediately at
// its next start.
func TestAdoptOnSQLite(t *testing.T) {
	pool := databasetest.SQLite(t)
	s := &stage{t, database.New(pool, dialect.SQLite), time.Now(), pool}
	killed, next := s.server("killed"), s.server("next")
	for _, c := range []intents.Change{move("a", "b"), move("c", "d")} {
		_, err := killed.Begin(t.Context(), c)
		must(t, err)
	}
	rows, err := next.Abandoned(t.Context(), s.time.Add(time.Second))
	must(t, err)
	for _, r := range rows {
		if taken, err := next.Adopt(t.Context(), r); err != nil || !taken {
			t.Errorf("%s: adopted: %v, %v", r.Source, taken, err)
		}
	}
	if len(rows) != 2 {
		t.Errorf("%d were abandoned", len(rows))
	}
}

// TestFence writes through a server that was frozen during a change.
func TestFence(t *testing.T) {
	onPostgres(t, func(s *stage) {
		store := storage.NewMemory()
		for name, c := range map[string]struct {
			frozen time.Duration
			code   fault.Code
		}{"not": {0, ""}, "shortly": {intents.Timeout - time.Second, ""},
			"long": {intents.Timeout + time.Second, fault.Unavailable}} {
			one := s.server(name)
			id, err := one.Begin(t.Context(), move(storage.Key(name), "to-"+storage.Key(name)))
			must(t, err)
			s.time = s.time.Add(c.frozen)
			one.Freeze(id, c.frozen)
			ctx := one.Fence(t.Context(), id)
			if _, err := store.Create(ctx, storage.Key(name), strings.NewReader("x"),
				storage.CreateOptions{}); fault.CodeOf(err) != c.code {
				t.Errorf("%s frozen: %v, expected %q", name, err, c.code)
			}
			must(t, one.Renew(t.Context())) // this must not make it valid again
			rows, err := s.server("other").Abandoned(t.Context(), s.time.Add(-intents.Timeout))
			must(t, err)
			if len(rows) > 0 != (c.code != "") {
				t.Errorf("%s frozen: abandoned: %v", name, rows)
			}
			one.End(id)
			if _, err := intents.Delete(t.Context(), s.db.Client, id); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestFenceOnSQLite writes after the only server has slept for a long time. No other server can have
// completed the change.
func TestFenceOnSQLite(t *testing.T) {
	pool := databasetest.SQLite(t)
	s := &stage{t, database.New(pool, dialect.SQLite), time.Now(), pool}
	one := s.server("one")
	id, err := one.Begin(t.Context(), move("a", "b"))
	must(t, err)
	s.time = s.time.Add(time.Hour)
	one.Freeze(id, time.Hour)
	_, err = storage.NewMemory().
		Create(one.Fence(t.Context(), id), "a", strings.NewReader("x"), storage.CreateOptions{})
	must(t, err)
	must(t, one.Renew(t.Context()))
}

// TestForsake checks that any server, including this one, can complete a change that failed halfway.
func TestForsake(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := &stage{t, database.New(pool, name), time.Now(), pool}
		one := s.server("one")
		id, err := one.Begin(t.Context(), move("a", "b"))
		must(t, err)
		must(t, one.Expire(t.Context(), s.db.Client, id))
		one.End(id)
		if _, err := one.Begin(s.soon(), move("a/x", "c")); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("a change that meets it: %v", err)
		}
		rows, err := one.Abandoned(t.Context(), s.time.Add(-intents.Timeout))
		must(t, err)
		if len(rows) != 1 {
			t.Fatalf("abandoned: %v", rows)
		}
		if taken, err := one.Adopt(t.Context(), rows[0]); err != nil || !taken {
			t.Errorf("adopted: %v, %v", taken, err)
		}
	})
}

// TestRefusedIntent checks that a change that Admit rejects is not sent to the database, and that a change
// whose response is lost leaves no row.
func TestRefusedIntent(t *testing.T) {
	onPostgres(t, func(s *stage) {
		var sent atomic.Int32
		canceled := func() {}
		s.db.Client = ent.NewClient(
			ent.Driver(dialect.DebugWithContext(entsql.OpenDB(dialect.Postgres, s.pool), func(context.Context, ...any) {
				sent.Add(1)
				canceled()
			})),
		)
		refused := fault.New(fault.Unavailable, "no database")
		s.db.SetPresenceCheck(func() error { return refused })
		if _, err := s.server("one").Begin(t.Context(), move("a", "b")); !errors.Is(err, refused) || sent.Load() != 0 {
			t.Errorf("refused: %v after %d statements", err, sent.Load())
		}
		s.db.SetPresenceCheck(func() error { return nil })
		ctx, cancel := context.WithCancel(t.Context())
		canceled = cancel
		if _, err := s.server("one").Begin(ctx, move("a", "b")); err == nil || sent.Load() != 2 {
			t.Errorf("canceled: %v after %d statements, expected one that removes the row", err, sent.Load())
		}
	})
}

// TestUnderWay checks that the error says when to retry, and names no field. A path in the field would mean
// that the name is taken, for which clients do not retry.
func TestUnderWay(t *testing.T) {
	if f := fault.Of(intents.UnderWay("a/b.jpg")); f.Code != fault.Conflict || f.Field != "" || f.RetryAfter <= 0 {
		t.Errorf("%+v, expected CONFLICT without a field, with RetryAfter", f)
	}
}
