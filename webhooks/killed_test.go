package webhooks_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/database/leases"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

const (
	// eventsVariable is the environment variable with the number of events for the long form of TestKilled.
	eventsVariable = "SAFELIGHT_TEST_WEBHOOKS"
	childVariable  = "SAFELIGHT_TEST_WEBHOOKS_CHILD"
)

// child is the configuration of a process that delivers events.
type child struct{ Driver, Source, Dialect, Keys string }

// TestMain delivers events until it is killed, if the process was started as a child.
func TestMain(m *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var c child
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (c child) hooks(pool *sql.DB, log *slog.Logger) (*webhooks.Hooks, error) {
	keys, err := auth.OpenKeyring(auth.KeyringConfig{File: c.Keys, Issuer: "i", Audience: "a", Lifetime: time.Hour})
	if err != nil {
		return nil, err
	}
	config := webhooks.Config{AllowPrivate: local}
	config.RetryAfter(20 * time.Millisecond)
	db := database.New(pool, c.Dialect)
	events, err := audit.New(audit.Config{}, db, log)
	if err != nil {
		return nil, err
	}
	return webhooks.New(config, db, events, keys, log), nil
}

func (c child) run(ctx context.Context) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	pool, err := sql.Open(c.Driver, c.Source)
	if err != nil {
		return err
	}
	h, err := c.hooks(pool, log)
	if err != nil {
		return err
	}
	leases.New(leases.Config{Time: time.Second, Log: log}, pool, c.Dialect).Run(ctx, "webhooks", h.Run)
	return nil
}

// start starts a child process.
func (c child) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(c)
	must(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	return cmd
}

// checker is a receiver that checks the order of the messages of each file as they arrive, and rejects some
// of them.
type checker struct {
	mu       sync.Mutex
	last     map[string]int // sequence of the last accepted event of each file
	ids      map[string]int // how often each event was accepted
	repeated int
	wrong    []string
}

func (c *checker) answer(g got) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if mathrand.IntN(50) == 0 {
		return http.StatusServiceUnavailable
	}
	path, _ := g.data["path"].(string)
	if g.sequence < c.last[path] {
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %d after %d", path, g.sequence, c.last[path]))
	}
	if c.ids[g.id] > 0 {
		c.repeated++
	}
	c.last[path], c.ids[g.id] = g.sequence, c.ids[g.id]+1
	return http.StatusNoContent
}

func (c *checker) accepted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ids)
}

// TestKilled delivers many events through two processes while the events are being written. The delivering
// process is killed repeatedly. No event must be lost, and the events of each file must arrive in order. On
// SQLite there is a single process, which is restarted.
func TestKilled(t *testing.T) {
	events, kills := 1000, 3
	if n, err := strconv.Atoi(os.Getenv(eventsVariable)); err == nil {
		events, kills = n, 10
	}
	t.Run("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "db")
		source := "file:" + file + "?_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=NORMAL&_txlock=immediate"
		killed(t, child{Driver: "sqlite3", Source: source, Dialect: dialect.SQLite}, 1, events, kills)
	})
	t.Run("postgres", func(t *testing.T) {
		source := databasetest.EmptyPostgres(t)
		killed(t, child{Driver: "postgres", Source: source, Dialect: dialect.Postgres}, 2, events, kills)
	})
}

func killed(t *testing.T, c child, servers, events, kills int) {
	ctx := t.Context()
	c.Keys = filepath.Join(t.TempDir(), "keys.json")
	pool, err := sql.Open(c.Driver, c.Source)
	must(t, err)
	t.Cleanup(func() { pool.Close() })
	must(t, database.Migrate(ctx, pool, c.Dialect))
	h, err := c.hooks(pool, slog.New(slog.DiscardHandler))
	must(t, err)
	check := &checker{last: map[string]int{}, ids: map[string]int{}}
	r := receive(t, check.answer)
	name := "killed"
	w, _, err := h.Create(ctx, webhooks.Input{Name: &name, URL: &r.URL})
	must(t, err)

	running := make([]*exec.Cmd, servers)
	for i := range running {
		running[i] = c.start(t)
	}
	stop := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}
	t.Cleanup(func() {
		for _, cmd := range running {
			stop(cmd)
		}
	})
	db := database.New(pool, c.Dialect)
	box := outbox.New(db, nil)
	files := max(1, events/20)
	var written sync.WaitGroup
	for writer := range 4 { // each writer has its own files, because locks of paths ensure this in the server
		written.Go(func() {
			for i := writer; i < events; i += 4 {
				path := fmt.Sprintf("folder/%d/%d.png", writer, i/4%max(1, files/4))
				err := db.Transact(ctx, func(tx *ent.Tx) error {
					to, err := box.Webhooks(ctx, tx.Client())
					if err != nil {
						return err
					}
					return box.Add(ctx, tx.Client(), to, outbox.Event{
						Type: outbox.FileChanged, Source: "file:" + path, Paths: []string{path},
						Data: map[string]any{"path": path, "filler": rand.Text()},
					})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range kills {
		for check.accepted() < events*(i+1)/(kills+2) {
			time.Sleep(time.Millisecond)
		}
		n := i % servers // in turn, because then the other one delivers
		stop(running[n])
		running[n] = c.start(t)
	}
	written.Wait()
	pending := func() int {
		n, err := db.WebhookDelivery.Query().
			Where(webhookdelivery.WebhookID(w.ID), webhookdelivery.StateNEQ(webhookdelivery.StateDelivered)).
			Count(ctx)
		must(t, err)
		return n
	}
	for pending() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	check.mu.Lock()
	defer check.mu.Unlock()
	t.Logf("%d events of %d files, %d kills: %d repeated", events, files, kills, check.repeated)
	if len(check.ids) != events {
		t.Errorf("%d events arrived, expected %d", len(check.ids), events)
	}
	if len(check.wrong) > 0 {
		t.Errorf("%d in the wrong order, such as %s", len(check.wrong), check.wrong[0])
	}
	if n, err := db.WebhookDelivery.Query().Count(ctx); err != nil || n != events {
		t.Errorf("%d rows, %v, expected %d", n, err, events)
	}
}
