package leases

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"
)

const costly = time.Hour // what is worth a turn, however slow the database of a busy machine is

// newTurns returns the turns of servers that share something, and know each other.
func newTurns(t *testing.T, pool *sql.DB, shared ...string) []*Turns {
	t.Helper()
	var all []*Turns
	announce := func(context.Context) error { return nil }
	for _, s := range shared {
		all = append(
			all,
			NewTurns(
				TurnsConfig{Shared: s, Timeout: time.Minute, Announce: announce, Log: slog.New(slog.DiscardHandler)},
				pool, dialect.Postgres,
			),
		)
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
				end, there := server.Turn(t.Context(), "x", costly, func() bool { return made.Load() > 0 })
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

// TestTurnLooksAgain holds the order in which the thing is not there when a server first asks for its turn, and another
// one has made it when it gets it.
func TestTurnLooksAgain(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		end, found := both[0].Turn(t.Context(), "x", costly, never)
		if found {
			t.Fatal("a server has found what none has made")
		}
		var made atomic.Bool
		both[1].asked.Store(0)
		var wg sync.WaitGroup
		wg.Go(func() {
			again, found := both[1].Turn(t.Context(), "x", costly, made.Load)
			if !found {
				t.Error("a server makes what another one made while it waited for its turn")
			}
			again()
		})
		for both[1].asked.Load() == 0 { // the question is answered: it is not its turn
			time.Sleep(time.Millisecond)
		}
		made.Store(true)
		end()
		wg.Wait()
	})
}

// TestTurnsOfASlowDatabase holds that a server whose last question took long asks only for what costs several times as
// much, and makes the rest too.
func TestTurnsOfASlowDatabase(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		for cost, asks := range map[time.Duration]int{4*time.Minute - 1: 0, 4 * time.Minute: 1} {
			both[0].asked.Store(int64(time.Minute))
			before := rows(t, pool)
			end, found := both[0].Turn(t.Context(), cost.String(), cost, never)
			if asked := rows(t, pool) - before; found || asked != asks {
				t.Errorf("%v: found %v, %d questions, expected %d", cost, found, asked, asks)
			}
			end()
		}
	})
}

// TestTurnsAlone holds that nothing is asked for by a server without others, for cheap results, and by one whose store
// others do not share.
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
			end, found := c.turns.Turn(t.Context(), name, c.cost, never)
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
		_, err = pool.Exec(
			"UPDATE leases SET expires_at = clock_timestamp() + interval '100 ms' WHERE name = $1",
			killed.name,
		)
		must(t, err)
		end, found := both[1].Turn(t.Context(), "x", costly, never)
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

// TestTurnsGivenBack takes turns that a server gave back, at once and not when they expire, and not those of others.
func TestTurnsGivenBack(t *testing.T) {
	onPostgres(t, 0, func(t *testing.T, pool *sql.DB, _ func() *Leases) {
		both := newTurns(t, pool, "s", "s")
		names := []string{"turn/a", "turn/b", "turn/c"}
		for i, name := range names {
			if held, err := both[i/2].ask(t.Context(), name); err != nil || held == nil {
				t.Fatalf("%s: %v %v", name, held, err)
			}
		}
		for _, name := range slices.Backward(names) {
			both[0].giveBack(name)
		}
		for _, name := range names[:2] {
			until(func() bool {
				held, err := both[1].ask(t.Context(), name)
				must(t, err)
				return held != nil
			})
		}
		if held, err := both[1].ask(t.Context(), names[2]); err != nil || held != nil {
			t.Errorf("the turn of another server is given back: %v %v", held, err)
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
		_, err = pool.Exec(
			"UPDATE leases SET expires_at = clock_timestamp() - interval '2 minutes' WHERE owner = $1 OR name = 'scan'",
			both[0].leases.owner,
		)
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
			end, found := server.Turn(t.Context(), "x", costly, never)
			end()
			if found {
				t.Error("found")
			}
		}
		first := questions.Load()
		time.Sleep(turnPause)
		server.Turn(t.Context(), "x", costly, never)
		if again := questions.Load(); first == 0 || again != 2*first {
			t.Errorf("asked %d times at first, %d times after a while", first, again)
		}
	})
}

// TestTurnOfACanceledQuestion holds that a server gives back a turn that it may have got although the request that
// asked for it was canceled.
func TestTurnOfACanceledQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := &silentConn{asked: make(chan struct{}), given: make(chan []driver.NamedValue)}
		db := sql.OpenDB(conn)
		defer db.Close()
		server := NewTurns(TurnsConfig{Shared: "s", Log: slog.New(slog.DiscardHandler)}, db, dialect.Postgres)
		server.others.Store(1)
		go func() {
			<-conn.asked
			cancel()
		}()
		end, found := server.Turn(ctx, "x", costly, never)
		end()
		if found {
			t.Error("found")
		}
		args := <-conn.given
		if len(args) != 2 || args[0].Value != "turn/"+server.prefix+"x" || args[1].Value != server.leases.owner {
			t.Errorf("it gives back %v", args)
		}
	})
}

// silentConn is a connection to a database that answers no query; given gets the arguments of statements.
type silentConn struct {
	driver.Conn
	asked chan struct{}
	given chan []driver.NamedValue
}

func (c *silentConn) Connect(context.Context) (driver.Conn, error) { return c, nil }

func (*silentConn) Driver() driver.Driver { return nil }

func (*silentConn) Close() error { return nil }

func (c *silentConn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	close(c.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *silentConn) ExecContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Result, error) {
	c.given <- args
	return driver.RowsAffected(1), nil
}

// countedConnector counts the connections that fail.
type countedConnector struct{ n *atomic.Int32 }

func (c countedConnector) Connect(context.Context) (driver.Conn, error) {
	c.n.Add(1)
	return nil, errors.New("no connection")
}

func (countedConnector) Driver() driver.Driver { return nil }
