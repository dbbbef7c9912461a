package leases

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"
)

const costly = time.Second // what is worth a turn

// newTurns returns the turns of servers that share something, and know each other.
func newTurns(t *testing.T, pool *sql.DB, shared ...string) []*Turns {
	t.Helper()
	var all []*Turns
	announce := func(context.Context) error { return nil }
	for _, s := range shared {
		all = append(all, NewTurns(TurnsConfig{Shared: s, Timeout: time.Minute, Announce: announce, Log: slog.New(slog.DiscardHandler)}, pool, dialect.Postgres))
	}
	for range 2 { // the first know the others the second time
		for _, one := range all {
			one.Beat(t.Context())
		}
	}
	return all
}

func never() bool { return false }

// rows counts the leases of turns.
func rows(t *testing.T, pool *sql.DB) (n int) {
	t.Helper()
	must(t, pool.QueryRow("SELECT count(*) FROM leases WHERE starts_with(name, 'turn/')").Scan(&n))
	return n
}

// TestTurns makes one thing on three servers at once: one makes it, the others find it.
func TestTurns(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		var made, found atomic.Int32
		var wg sync.WaitGroup
		for _, server := range newTurns(t, pool, "s", "s", "s") {
			wg.Go(func() {
				end, there := server.Take(t.Context(), "x", costly, func() bool { return made.Load() > 0 })
				if there {
					found.Add(1)
				} else {
					made.Add(1)
				}
				end()
			})
		}
		wg.Wait()
		if made.Load() != 1 || found.Load() != 2 {
			t.Errorf("made %d times, found %d times", made.Load(), found.Load())
		}
	})
}

// TestTurnsAlone holds that nothing is asked for by a server without others, for cheap results, and by one whose store others do not share.
func TestTurnsAlone(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		for name, c := range map[string]struct {
			turns *Turns
			cost  time.Duration
			asks  int
		}{
			"alone":         {newTurns(t, pool, "alone")[0], costly, 0},
			"another store": {newTurns(t, pool, "another")[0], costly, 0},
			"nothing":       {NewTurns(TurnsConfig{}, pool, dialect.Postgres), costly, 0},
			"on SQLite":     {NewTurns(TurnsConfig{Shared: "s"}, pool, dialect.SQLite), costly, 0},
			"cheap":         {both[0], time.Millisecond, 0},
			"costly":        {both[0], costly, 1},
		} {
			before := rows(t, pool)
			end, found := c.turns.Take(t.Context(), name, c.cost, never)
			if asked := rows(t, pool) - before; found || asked != c.asks {
				t.Errorf("%s: found %v, %d questions, expected %d", name, found, asked, c.asks)
			}
			end()
		}
	})
}

// TestTurnOfAKilledServer takes the turn of a server that does not renew it, once it has expired.
func TestTurnOfAKilledServer(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		killed, err := both[0].ask(t.Context(), "turn/"+both[0].prefix+"x")
		must(t, err)
		_, err = pool.Exec("UPDATE leases SET expires_at = clock_timestamp() + interval '100 ms' WHERE name = $1", killed.name)
		must(t, err)
		end, found := both[1].Take(t.Context(), "x", costly, never)
		end()
		if found {
			t.Error("a server has found what none has made")
		}
		var fence int64
		must(t, pool.QueryRow("SELECT fence FROM leases WHERE name = $1", killed.name).Scan(&fence))
		if fence != killed.fence+1 {
			t.Errorf("the number is %d after %d", fence, killed.fence)
		}
	})
}

// TestTurnsEnd removes the rows of turns that ended and of servers that went, and keeps the others.
func TestTurnsEnd(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, start func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		_, err := both[0].ask(t.Context(), "turn/"+both[0].prefix+"x")
		must(t, err)
		if _, _, err := start().take(t.Context(), "scan"); err != nil {
			t.Fatal(err)
		}
		_, err = pool.Exec("UPDATE leases SET expires_at = clock_timestamp() - interval '2 minutes' WHERE owner = $1 OR name = 'scan'", both[0].leases.owner)
		must(t, err)
		both[1].Beat(t.Context())
		if n := both[1].others.Load(); n != 0 {
			t.Errorf("%d others", n)
		}
		var left int
		must(t, pool.QueryRow("SELECT count(*) FROM leases").Scan(&left))
		if left != 2 { // of the second server, and of the scan
			t.Errorf("%d rows are left", left)
		}
	})
}

// TestTurnsWithoutDatabase makes everything while the database does not answer, and asks it once in a while.
func TestTurnsWithoutDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var questions atomic.Int32
		db := sql.OpenDB(countedConnector{&questions})
		defer db.Close()
		server := NewTurns(TurnsConfig{Shared: "s", Log: slog.New(slog.DiscardHandler)}, db, dialect.Postgres)
		server.others.Store(1)
		for range 5 {
			end, found := server.Take(t.Context(), "x", costly, never)
			end()
			if found {
				t.Error("found")
			}
		}
		first := questions.Load()
		time.Sleep(turnPause)
		server.Take(t.Context(), "x", costly, never)
		if again := questions.Load(); first == 0 || again != 2*first {
			t.Errorf("asked %d times at first, %d times after a while", first, again)
		}
	})
}

// countedConnector counts the connections that fail.
type countedConnector struct{ n *atomic.Int32 }

func (c countedConnector) Connect(context.Context) (driver.Conn, error) {
	c.n.Add(1)
	return nil, errors.New("no connection")
}

func (countedConnector) Driver() driver.Driver { return nil }
