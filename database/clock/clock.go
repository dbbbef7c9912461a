// Package clock provides the time of the database, which all servers that use it agree on. Servers store
// times, such as when a lock expires or a token was issued, and other servers compare these with the current
// time.
package clock

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"time"

	"github.com/safelight/safelight/database"
)

const (
	syncEvery = 30 * time.Second
	maxOff    = 2 * time.Second // the log warns if the clock of a server is off by more
)

// Clock starts from the last time that the database reported, and advances it by the monotonic clock of this
// computer. So neither a wrong system clock nor its correction has an effect. It is safe for concurrent use.
type Clock struct {
	local func() time.Time
	mu    sync.Mutex
	asked time.Time     // when the database was last asked, with a monotonic reading; zero: never
	said  time.Time     // time of the database at that moment
	off   time.Duration // deviation of the local clock at that moment
}

// New returns a clock that shows the local time until Sync. A nil local is time.Now.
func New(local func() time.Time) *Clock {
	if local == nil {
		local = time.Now
	}
	return &Clock{local: local}
}

// Now returns the time of the database. Before the first Sync, it returns the time of this computer.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() {
		return c.local()
	}
	return c.said.Add(time.Since(c.asked))
}

// Off returns how far the local clock was ahead of the database at the last Sync.
func (c *Clock) Off() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off
}

// Sync asks a PostgreSQL database for its time. It returns the errors of database.Translate. After an error,
// the clock continues as before.
func (c *Clock) Sync(ctx context.Context, db *sql.DB) error {
	began := time.Now()
	var said time.Time
	if err := db.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&said); err != nil {
		return database.Translate(err)
	}
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.said = began.Add(took/2), said
	c.off = c.local().Sub(said.Add(took / 2))
	return nil
}

// Run repeats Sync until ctx ends, and logs when the local clock is off.
func (c *Clock) Run(ctx context.Context, db *sql.DB, log *slog.Logger) {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for warned := false; ; {
		off := c.Off().Abs() > maxOff
		if off && !warned {
			log.WarnContext(
				ctx, "the clock of this server differs from that of the database, which is used instead",
				"seconds", c.Off().Seconds(),
			)
		}
		warned = off
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = c.Sync(ctx, db) // the next Sync may succeed
	}
}
