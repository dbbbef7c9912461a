// Package notices sends messages between the servers that use a PostgreSQL database. There are short messages
// to servers that are currently listening, and a log that every server reads completely. The package owns the
// table of notices.
package notices

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/lib/pq"

	"github.com/safelight/safelight/database"
)

// MaxBytes is the maximum length of a text in bytes. PostgreSQL requires less than 8000 bytes.
const MaxBytes = 7900

// The channels of PostgreSQL.
const (
	texts     = "safelight"
	additions = "safelight_log" // the log has grown
)

const (
	minReconnect = 100 * time.Millisecond
	maxReconnect = 10 * time.Second
	pingInterval = time.Minute // detects a connection that was lost without an error
)

// Bus sends texts to the servers that use a database, and receives theirs. All methods are safe for
// concurrent use. Create it with New.
type Bus struct {
	address   string
	db        *sql.DB
	mu        sync.Mutex
	all       map[*listener]struct{}
	connected bool
}

// listener receives texts. Its functions are called with mu held, one call at a time.
type listener struct {
	channel string
	receive func(text string)
	missed  func()
}

// New returns the bus of a PostgreSQL database. address is used for the connection that listens, and db for
// everything else. Nothing is received before Run is called.
func New(address string, db *sql.DB) *Bus {
	return &Bus{address: address, db: db, all: map[*listener]struct{}{}}
}

// Send sends a text to all listeners, including the sender. The text has at most MaxBytes bytes and no NUL.
// It returns the errors of database.Translate. After an error, the text may have been sent.
func (b *Bus) Send(ctx context.Context, text string) error {
	_, err := b.db.ExecContext(ctx, "SELECT pg_notify($1, $2)", texts, text)
	return database.Translate(err)
}

// Listen calls receive for each text, one at a time, until ctx ends. It calls missed whenever the bus
// connects, and immediately if it is connected, because earlier texts were not received. Neither function may
// call Listen.
func (b *Bus) Listen(ctx context.Context, receive func(text string), missed func()) {
	b.listen(ctx, &listener{texts, receive, missed})
}

func (b *Bus) listen(ctx context.Context, l *listener) {
	b.mu.Lock()
	b.all[l] = struct{}{}
	if b.connected {
		l.missed()
	}
	b.mu.Unlock()
	<-ctx.Done()
	b.mu.Lock()
	delete(b.all, l)
	b.mu.Unlock()
}

// Run maintains the connection that all listeners share, until ctx ends. Call it once.
func (b *Bus) Run(ctx context.Context) {
	l := pq.NewListener(b.address, minReconnect, maxReconnect, func(e pq.ListenerEventType, _ error) {
		if e == pq.ListenerEventDisconnected {
			b.mu.Lock()
			b.connected = false
			b.mu.Unlock()
		}
	})
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer func() {
		if stop() {
			l.Close()
		}
	}()
	for _, channel := range []string{texts, additions} {
		if l.Listen(channel) != nil { // it waits for a connection, and only fails once it is closed
			return
		}
	}
	b.missed()
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			go l.Ping() // the ping makes it reconnect after a failure
		case n, open := <-l.Notify:
			switch {
			case !open:
				return
			case n == nil:
				b.missed()
			default:
				b.deliver(n)
			}
		}
	}
}

func (b *Bus) missed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.connected = true
	for l := range b.all {
		l.missed()
	}
}

func (b *Bus) deliver(n *pq.Notification) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.all {
		if l.channel == n.Channel {
			l.receive(n.Extra)
		}
	}
}
