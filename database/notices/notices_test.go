package notices_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/database/notices"
)

// eachPostgres runs a test on an empty database and its address.
func eachPostgres(t *testing.T, test func(t *testing.T, db *sql.DB, address string)) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name != dialect.Postgres {
			t.Skip("SQLite has no notices")
		}
		u, err := url.Parse(os.Getenv(databasetest.PostgresVariable))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		u.Path = "/" + name
		test(t, db, u.String())
	})
}

// TestBus sends to two listeners, before and after the database closes their connections.
func TestBus(t *testing.T) {
	eachPostgres(t, func(t *testing.T, db *sql.DB, address string) {
		ctx, cancel := context.WithCancel(t.Context())
		bus := notices.New(address, db)
		received, missed, ended := make(chan string, 100), make(chan bool, 100), make(chan bool, 3)
		go func() {
			bus.Run(ctx)
			ended <- true
		}()
		for range 2 {
			go func() {
				bus.Listen(ctx, func(text string) { received <- text }, func() { missed <- true })
				ended <- true
			}()
		}
		for _, text := range []string{"first", "second"} {
			<-missed
			<-missed
			if err := bus.Send(ctx, text); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got := <-received; got != text {
					t.Errorf("received %q, expected %q", got, text)
				}
			}
			if _,
				err := db.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' " +
				"AND datname = current_database()"); err != nil {
				t.Fatal(err)
			}
		}
		<-missed
		<-missed
		late := make(chan bool)
		go bus.Listen(ctx, func(string) {}, func() { close(late) })
		<-late // it is connected already
		cancel()
		<-ended
		<-ended
		<-ended
	})
}

// TestMaxBytes sends a text of the maximum length.
func TestMaxBytes(t *testing.T) {
	eachPostgres(t, func(t *testing.T, db *sql.DB, address string) {
		if err := notices.New(address, db).Send(t.Context(), strings.Repeat("x", notices.MaxBytes)); err != nil {
			t.Error(err)
		}
	})
}

// TestNoServer stops a listener that has never connected.
func TestNoServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	bus := notices.New("postgres://safelight@127.0.0.1:1/none?sslmode=disable", nil)
	go func() {
		bus.Listen(ctx, func(string) {}, func() { t.Error("connected") })
		ended <- true
	}()
	go func() {
		bus.Run(ctx)
		ended <- true
	}()
	cancel()
	<-ended
	<-ended
}
