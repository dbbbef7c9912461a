// Package notices passes short texts between the servers on one PostgreSQL database.
package notices

import (
	"context"
	"database/sql"
	"time"

	"github.com/lib/pq"

	"github.com/safelight/safelight/database"
)

// MaxBytes is how long a text may be: PostgreSQL takes less than 8000 bytes.
const MaxBytes = 7900

const (
	channel      = "safelight"
	minReconnect = 100 * time.Millisecond
	maxReconnect = 10 * time.Second
	pingInterval = time.Minute // finds a connection that ended without a word
)

// Bus sends texts to the servers on a database, and receives them. Its methods are safe for concurrent use. Make it with New.
type Bus struct {
	address string
	db      *sql.DB
}

// New returns the bus of a PostgreSQL database: its address, for a connection that listens, and the pool, for sending.
func New(address string, db *sql.DB) *Bus { return &Bus{address, db} }

// Send passes a text of at most MaxBytes bytes without NUL to everyone who listens, the sender too. Errors are those of
// database.Translate; the text may have been sent then.
func (b *Bus) Send(ctx context.Context, text string) error {
	_, err := b.db.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, text)
	return database.Translate(err)
}

// Listen calls receive with each text, one after the other, until ctx ends. It connects again after a failure, and calls missed
// whenever it is connected: what was sent before is lost.
func (b *Bus) Listen(ctx context.Context, receive func(text string), missed func()) {
	l := pq.NewListener(b.address, minReconnect, maxReconnect, nil)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer func() {
		if stop() {
			l.Close()
		}
	}()
	if l.Listen(channel) != nil { // it waits for a connection, and fails only when it is closed
		return
	}
	missed()
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			go l.Ping() // it connects again after a failure
		case n, open := <-l.Notify:
			switch {
			case !open:
				return
			case n == nil:
				missed()
			default:
				receive(n.Extra)
			}
		}
	}
}
