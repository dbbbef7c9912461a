package leases

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

const testTime = 300 * time.Millisecond

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// each runs a test on a migrated database. start returns the leases of another server.
func each(t *testing.T, held time.Duration, test func(t *testing.T, pool *sql.DB, name string, start func() *Leases)) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		test(t, pool, name, func() *Leases {
			return New(Config{Time: held, Log: slog.New(slog.DiscardHandler)}, pool, name)
		})
	})
}

// onPostgres is each without SQLite.
func onPostgres(t *testing.T, held time.Duration, test func(t *testing.T, pool *sql.DB, start func() *Leases)) {
	each(t, held, func(t *testing.T, pool *sql.DB, name string, start func() *Leases) {
		if name != dialect.Postgres {
			t.Skip("on SQLite there is one server")
		}
		test(t, pool, start)
	})
}

// until waits for a condition. The timeout of go test stops the test if it is never met.
func until(holds func() bool) {
	for !holds() {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestRun checks that only one of four servers does work at a time, until each has done it several times. On
// PostgreSQL they wait for each other. On SQLite there is a single server, which starts immediately.
func TestRun(t *testing.T) {
	each(t, 10*time.Second, func(t *testing.T, _ *sql.DB, name string, start func() *Leases) {
		servers := 3
		if name == dialect.SQLite {
			servers = 1
		}
		var active, turns atomic.Int32
		var wg sync.WaitGroup
		for range servers {
			l := start()
			wg.Go(func() {
				for range 2 {
					l.Run(t.Context(), "work", func(ctx context.Context) {
						if n := active.Add(1); n > 1 {
							t.Errorf("%d servers do the work", n)
						}
						turns.Add(1)
						time.Sleep(time.Millisecond) // a chance to overlap
						active.Add(-1)
					})
				}
			})
		}
		wg.Wait()
		if n := turns.Load(); n != int32(servers)*2 {
			t.Errorf("the work was done %d times", n)
		}
	})
}

// TestRunEnds checks that waiting and working servers stop with their context.
func TestRunEnds(t *testing.T) {
	each(t, time.Minute, func(t *testing.T, _ *sql.DB, name string, start func() *Leases) {
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		working := make(chan bool, 1)
		wg.Go(func() {
			start().Run(ctx, "work", func(ctx context.Context) {
				working <- true
				<-ctx.Done()
			})
		})
		<-working
		if name == dialect.Postgres {
			wg.Go(func() {
				start().Run(ctx, "work", func(context.Context) {
					if ctx.Err() == nil {
						t.Error("two servers do the work")
					}
				})
			})
		}
		stop()
		wg.Wait()
	})
}

// TestKeep checks that a lease is renewed until its context ends.
func TestKeep(t *testing.T) {
	onPostgres(t, time.Second, func(t *testing.T, pool *sql.DB, start func() *Leases) {
		start().Run(t.Context(), "work", func(ctx context.Context) {
			var first, now time.Time
			expires := "SELECT expires_at FROM leases WHERE name = 'work'"
			must(t, pool.QueryRow(expires).Scan(&first))
			until(func() bool { // if renewals are too slow, the lease is lost, see TestKilledOwner
				must(t, pool.QueryRow(expires).Scan(&now))
				return now.Sub(first) > time.Second || ctx.Err() != nil
			})
		})
	})
}

// TestKilledOwner interrupts the connections of an owner, so that it can neither renew nor release its lease.
// Its work must end, and another server must take over.
func TestKilledOwner(t *testing.T) {
	onPostgres(t, testTime, func(t *testing.T, pool *sql.DB, start func() *Leases) {
		owner := start()
		owner.db = sql.OpenDB(brokenConnector{})
		h, _, err := start().take(t.Context(), "work")
		must(t, err)
		h.of = owner
		ended := make(chan bool)
		go func() {
			h.do(t.Context(), func(ctx context.Context) { <-ctx.Done() })
			close(ended)
		}()
		took := make(chan bool)
		go start().Run(t.Context(), "work", func(ctx context.Context) {
			if h.left() > 0 {
				t.Error("the owner believes that it holds the lease of another")
			}
			if err := h.check(t.Context()); err == nil {
				t.Error("a write of the owner is allowed")
			}
			close(took)
		})
		<-took
		<-ended
	})
}

// TestFrozenOwner lets another server take over from a frozen owner. The next write of the owner must fail in
// the database, even if the owner does not know yet.
func TestFrozenOwner(t *testing.T) {
	onPostgres(t, time.Minute, func(t *testing.T, pool *sql.DB, start func() *Leases) {
		db := database.New(pool, dialect.Postgres)
		h, _, err := start().take(t.Context(), "work")
		must(t, err)
		store := storage.NewMemory()
		write := func(name string) (inDatabase, inStorage error) {
			ctx := storage.WithFence(database.WithFence(t.Context(), h.lock), h.check)
			inDatabase = db.Transact(ctx, func(tx *ent.Tx) error { return nil })
			_, inStorage = store.Create(ctx, storage.Key(name), strings.NewReader("x"), storage.CreateOptions{})
			return inDatabase, inStorage
		}
		if one, two := write("a"); one != nil || two != nil {
			t.Fatalf("an owner writes: %v, %v", one, two)
		}
		frozen := time.Now().Add(-time.Hour)
		h.renewed.Store(&frozen)
		if one, two := write("b"); one != nil || two != nil {
			t.Errorf("an owner without a successor writes: %v, %v", one, two)
		}
		_, err = pool.Exec("UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'")
		must(t, err)
		other, _, err := start().take(t.Context(), "work")
		must(t, err)
		if other.fence != h.fence+1 {
			t.Errorf("the number is %d after %d", other.fence, h.fence)
		}
		if one, two := write("c"); fault.CodeOf(one) != fault.Unavailable || fault.CodeOf(two) != fault.Unavailable {
			t.Errorf("an owner that was replaced writes: %v, %v", one, two)
		}
		h.extend(time.Now())
		if h.renew(t.Context()) {
			t.Error("an owner that was replaced renews")
		}
		h.end(t.Context())
		if !other.renew(t.Context()) {
			t.Error("the former owner has ended the lease of the new one")
		}
	})
}

// TestTakeWaits takes a lease while its owner has a transaction. Taking it must wait for the commit. A
// renewal must not wait.
func TestTakeWaits(t *testing.T) {
	onPostgres(t, time.Minute, func(t *testing.T, pool *sql.DB, start func() *Leases) {
		db := database.New(pool, dialect.Postgres)
		h, _, err := start().take(t.Context(), "work")
		must(t, err)
		taken := make(chan error, 1)
		committed := atomic.Bool{}
		err = db.Transact(database.WithFence(t.Context(), h.lock), func(tx *ent.Tx) error {
			if !h.renew(t.Context()) {
				t.Error("no renewal beside a transaction")
			}
			if limit := databasetest.Setting(t, tx, "idle_in_transaction_session_timeout"); limit != "10s" {
				t.Errorf("a frozen owner keeps the lease for %s, expected 10s", limit)
			}
			if _,
				err := pool.Exec("UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'"); err != nil {
				return err
			}
			go func() {
				_, _, err := start().take(t.Context(), "work")
				if !committed.Load() {
					t.Error("the lease was taken during a transaction of its owner")
				}
				taken <- err
			}()
			until(func() bool {
				var waiting bool
				must(
					t,
					pool.QueryRow("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() "+
						"AND wait_event_type = 'Lock')").
						Scan(&waiting),
				)
				return waiting
			})
			committed.Store(true)
			return nil
		})
		must(t, err)
		must(t, <-taken)
	})
}
