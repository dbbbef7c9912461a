package clock_test

import (
	"database/sql"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database/clock"
	"github.com/safelight/safelight/database/databasetest"
)

// TestNow compares clocks on computers with wrong local clocks with the clock of the database.
func TestNow(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name != dialect.Postgres {
			t.Skip("the only server has its own time")
		}
		for _, off := range []time.Duration{0, time.Minute, -time.Hour} {
			c := clock.New(func() time.Time { return time.Now().Add(off) })
			if got := time.Until(c.Now()); got > off {
				t.Errorf("%v: before the first answer it is %v ahead", off, got)
			}
			ask := func() (now time.Time) {
				t.Helper()
				if err := db.QueryRow("SELECT clock_timestamp()").Scan(&now); err != nil {
					t.Fatal(err)
				}
				return now
			}
			began := ask()
			if err := c.Sync(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			// The error is at most half of the round trip.
			now, ended := c.Now(), ask()
			if slack := ended.Sub(began); now.Before(began.Add(-slack)) || now.After(ended.Add(slack)) {
				t.Errorf("%v: it is %v, expected between %v and %v", off, now, began, ended)
			} else if d := c.Off() - off; d.Abs() > slack+time.Since(began) {
				t.Errorf("%v: the local clock is said to be off by %v", off, c.Off())
			}
		}
	})
}

// TestLost checks that the clock continues when the database does not respond.
func TestLost(t *testing.T) {
	db, err := sql.Open("postgres", "postgres://safelight@127.0.0.1:1/none?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fixed := time.Unix(1e9, 0)
	c := clock.New(func() time.Time { return fixed })
	if err := c.Sync(t.Context(), db); err == nil {
		t.Error("a database answers that there is not")
	}
	if got := c.Now(); !got.Equal(fixed) {
		t.Errorf("it is %v", got)
	}
}
