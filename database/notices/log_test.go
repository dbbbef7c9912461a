package notices_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/notices"
)

// follower collects what a server applies.
type follower struct {
	notices.Follower
	applied chan string
	missed  chan bool
	reached chan int64
}

func newFollower(poll time.Duration) *follower {
	f := &follower{applied: make(chan string, 1000), missed: make(chan bool, 1000), reached: make(chan int64, 1000)}
	f.Follower = notices.Follower{Poll: poll, Log: slog.New(slog.DiscardHandler),
		Apply:   func(_ context.Context, n notices.Notice) error { f.applied <- n.Topic + " " + n.Body; return nil },
		Missed:  func(context.Context) error { f.missed <- true; return nil },
		Reached: func(position int64) { f.reached <- position },
	}
	return f
}

// followed returns a follower of the notices that are appended from now on.
func followed(t *testing.T, bus *notices.Bus, start func(func(context.Context))) *follower {
	t.Helper()
	f := newFollower(time.Millisecond)
	position, err := bus.End(t.Context())
	must(t, err)
	start(func(ctx context.Context) { bus.Follow(ctx, position, f.Follower) })
	return f
}

func (f *follower) want(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got := <-f.applied; got != text {
			t.Errorf("applied %q, expected %q", got, text)
		}
	}
}

// eachLog runs a test on a migrated database. start runs a function until the end of the test.
func eachLog(t *testing.T, test func(db *sql.DB, bus *notices.Bus, start func(func(context.Context)))) {
	eachPostgres(t, func(t *testing.T, db *sql.DB, address string) {
		must(t, database.Migrate(t.Context(), db, dialect.Postgres))
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan bool)
		running := 0
		defer func() {
			cancel()
			for range running {
				<-ended
			}
		}()
		test(db, notices.New(address, db), func(run func(context.Context)) {
			running++
			go func() {
				run(ctx)
				ended <- true
			}()
		})
	})
}

// TestFollow appends notices while a server listens, after the database has closed its connection, and while
// a server only polls.
func TestFollow(t *testing.T) {
	eachLog(t, func(db *sql.DB, bus *notices.Bus, start func(func(context.Context))) {
		listens, looks := newFollower(time.Hour), newFollower(time.Millisecond)
		position, err := bus.End(t.Context())
		must(t, err)
		alone := notices.New("postgres://safelight@127.0.0.1:1/none?sslmode=disable", db) // never connected
		start(func(ctx context.Context) { bus.Follow(ctx, position, listens.Follower) })
		start(func(ctx context.Context) { alone.Follow(ctx, position, looks.Follower) })
		start(bus.Run)
		connected := make(chan bool, 100)
		start(func(ctx context.Context) { bus.Listen(ctx, func(string) {}, func() { connected <- true }) })
		for i := range 3 {
			<-connected
			var want []string
			for j := range 150 { // more than are read at a time
				body := fmt.Sprint(i, j)
				want = append(want, "topic "+body)
				must(t, bus.Append(t.Context(), "topic", body))
			}
			listens.want(t, want...)
			looks.want(t, want...)
			_, err = db.Exec(
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = " +
					"current_database()",
			)
			must(t, err)
		}
		if len(listens.missed)+len(looks.missed) > 0 {
			t.Error("nothing was lost, and Missed was called")
		}
	})
}

// TestFollowFails checks that a notice whose application fails is applied again before the following ones.
func TestFollowFails(t *testing.T) {
	eachLog(t, func(_ *sql.DB, bus *notices.Bus, start func(func(context.Context))) {
		f := newFollower(time.Millisecond)
		apply, failures := f.Apply, 3
		f.Apply = func(ctx context.Context, n notices.Notice) error {
			if failures > 0 {
				failures--
				return errors.New("not now")
			}
			return apply(ctx, n)
		}
		position, err := bus.End(t.Context())
		must(t, err)
		for _, body := range []string{"1", "2"} {
			must(t, bus.Append(t.Context(), "topic", body))
		}
		start(func(ctx context.Context) { bus.Follow(ctx, position, f.Follower) })
		f.want(t, "topic 1", "topic 2")
		if first, second := <-f.reached, <-f.reached; first != position+1 || second != position+2 {
			t.Errorf("reached %d and %d after %d", first, second, position)
		}
	})
}

// TestMissed checks when a server must assume that it has missed notices.
func TestMissed(t *testing.T) {
	eachLog(t, func(db *sql.DB, bus *notices.Bus, start func(func(context.Context))) {
		old := "UPDATE notices SET created_at = now() - interval '8 days'"
		for range 5 {
			must(t, bus.Append(t.Context(), "topic", "old"))
		}
		end, err := bus.End(t.Context())
		must(t, err)
		_, err = db.Exec(old)
		must(t, err)
		must(t, bus.Append(t.Context(), "topic", "new")) // removes the old ones
		for name, c := range map[string]struct {
			position int64
			missed   bool
		}{
			"everything read":          {end, false},
			"one expired":              {end - 1, true},
			"of another database":      {end + 100, true},
			"the file has no position": {0, true},
		} {
			f := newFollower(time.Millisecond)
			start(func(ctx context.Context) { bus.Follow(ctx, c.position, f.Follower) })
			if got := <-f.reached; got != end+1 {
				t.Errorf("%s: reached %d, expected %d", name, got, end+1)
			}
			if missed := len(f.missed) == 1; missed != c.missed || missed == (len(f.applied) == 1) {
				t.Errorf("%s: missed %v, %d applied", name, missed, len(f.applied))
			}
		}
	})
}

// TestSettingsNotices checks that the database notifies the servers whoever writes settings.
func TestSettingsNotices(t *testing.T) {
	eachLog(t, func(db *sql.DB, bus *notices.Bus, start func(func(context.Context))) {
		f := followed(t, bus, start)
		_, err := db.Exec("INSERT INTO processor_settings (secret, updated_at) VALUES ('x', now())")
		must(t, err)
		_, err = db.Exec("UPDATE processor_settings SET secret = 'y'")
		must(t, err)
		_, err = db.Exec(
			"INSERT INTO signing_keys (id, secret, signer_type, signer_truncate, created_at) VALUES ('k', 'x', " +
				"'SHA1', 0, now())",
		)
		must(t, err)
		_, err = db.Exec("UPDATE signing_keys SET revoked_at = now()")
		must(t, err)
		_, err = db.Exec(
			"INSERT INTO presets (id, name, version, operations, created_at) VALUES (gen_random_uuid(), 'card', 1, " +
				"'', now())",
		)
		must(t, err)
		_, err = db.Exec("UPDATE presets SET deleted = true")
		must(t, err)
		f.want(
			t, notices.ProcessorSettings+" ", notices.ProcessorSettings+" ", notices.SigningKeys+" ",
			notices.SigningKeys+" ", notices.Presets+" ", notices.Presets+" ",
		)
	})
}

// TestOrder checks that a follower never skips a notice that is committed after a later one when servers
// append concurrently.
func TestOrder(t *testing.T) {
	eachLog(t, func(db *sql.DB, bus *notices.Bus, start func(func(context.Context))) {
		f := followed(t, bus, start)
		tx, err := db.Begin()
		must(t, err)
		defer tx.Rollback()
		_, err = tx.Exec("SELECT send_notice('topic', 'slow')")
		must(t, err)
		sent := make(chan error)
		go func() { sent <- bus.Append(context.Background(), "topic", "quick") }()
		var waiting int
		for waiting == 0 {
			must(
				t,
				db.QueryRow("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database "+
					"= (SELECT oid FROM pg_database WHERE datname = current_database())").
					Scan(&waiting),
			)
		}
		must(t, tx.Commit())
		must(t, <-sent)
		f.want(t, "topic slow", "topic quick")
	})
}

func TestPosition(t *testing.T) {
	eachLog(t, func(_ *sql.DB, bus *notices.Bus, _ func(func(context.Context))) {
		must(t, bus.Append(t.Context(), "topic", "body"))
		end, err := bus.End(t.Context())
		must(t, err)
		file := filepath.Join(t.TempDir(), "position")
		var got []int64
		position := func() {
			p, err := bus.Position(t.Context(), file)
			must(t, err)
			got = append(got, p)
		}
		position()
		must(t, notices.Keep(file, 77))
		position()
		must(t, os.WriteFile(file, []byte("?"), 0o600))
		position()
		if !slices.Equal(got, []int64{end, 77, 0}) {
			t.Errorf("no file, 77 kept, a damaged file: %d, expected %d, 77, 0", got, end)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
