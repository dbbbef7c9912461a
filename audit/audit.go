// Package audit is the log of who changed what, when and from where. All packages record their changes here,
// if possible in the transaction of the change. It is the only writer of the table of audit events, which the
// database keeps append-only.
package audit

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// Config is the configuration of the audit log.
type Config struct {
	Now    func() time.Time // nil is time.Now
	Outbox Outbox           // nil: no outbox
}

// Outbox receives each event in the transaction that records it.
type Outbox interface {
	Recorded(ctx context.Context, tx *ent.Client, e Event) error
}

// Log is the audit log. Create it with New. It is safe for concurrent use.
type Log struct {
	now    func() time.Time
	outbox Outbox
	db     *database.DB
	log    *slog.Logger
}

// New returns the log of a migrated database.
func New(c Config, db *database.DB, log *slog.Logger) (*Log, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Log{now: c.Now, outbox: c.Outbox, db: db, log: log}, nil
}

// Facts describe something before or after a change. They never contain secrets.
type Facts = map[string]any

// Event is a change to record. The context provides who made it, when and from where.
type Event struct {
	Action        Action
	Target        string    // kind, colon, name: "user:1b4e..."; see FileTarget
	Before, After Facts     // nil: no facts
	Actor         *ent.User // nil: the identity in the context
	prunesBefore  *int
}

// FileTarget returns the target of events about a file or folder.
func FileTarget[T ~string](path T) string { return "file:" + string(path) }

// Record writes an event in the transaction of the change.
func (l *Log) Record(ctx context.Context, tx *ent.Tx, e Event) error {
	return l.record(ctx, tx.Client(), e)
}

func (l *Log) record(ctx context.Context, tx *ent.Client, e Event) error {
	if err := l.event(ctx, tx.AuditEvent.Create(), e).Exec(ctx); err != nil || l.outbox == nil {
		return err
	}
	return l.outbox.Recorded(ctx, tx, e)
}

// RecordDone writes an event about a change outside of the database that has already happened. It cannot fail the
// change: an error is logged together with the content of the event.
func (l *Log) RecordDone(ctx context.Context, e Event) {
	ctx = context.WithoutCancel(ctx) // the change was made, even if the client has disconnected
	if err := l.record(ctx, l.db.Client, e); err != nil {
		l.log.ErrorContext(
			ctx, "an audit event could not be written", "requestId", fault.RequestID(ctx),
			"action", string(e.Action), "target", e.Target, "user", auth.FromContext(ctx).UserID.String(),
			"address", auth.AddressFrom(ctx), "error", err,
		)
	}
}

func (l *Log) event(ctx context.Context, c *ent.AuditEventCreate, e Event) *ent.AuditEventCreate {
	i := auth.FromContext(ctx)
	switch {
	case e.Actor != nil:
		c.SetActorID(e.Actor.ID).SetActorName(e.Actor.Username)
	case !i.IsAnonymous():
		c.SetActorID(i.UserID).SetActorName(i.Name)
	}
	c.SetAt(l.now().UTC()).SetTokenID(i.TokenID).SetAction(string(e.Action)).SetTarget(e.Target).
		SetAddress(auth.AddressFrom(ctx)).SetRequestID(fault.RequestID(ctx)).SetNillablePrunesBefore(e.prunesBefore)
	if e.Before != nil {
		c.SetBefore(withoutNUL(e.Before))
	}
	if e.After != nil {
		c.SetAfter(withoutNUL(e.After))
	}
	return c
}

// withoutNUL replaces NULs in facts. PostgreSQL does not accept them in texts, and they must not prevent a
// change from being recorded.
func withoutNUL(f Facts) Facts {
	f = maps.Clone(f)
	for name, fact := range f {
		if text, ok := fact.(string); ok {
			f[name] = strings.ReplaceAll(text, "\x00", "\uFFFD")
		}
	}
	return f
}
