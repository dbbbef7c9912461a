// Package outbox writes events for webhooks into the database, in the transaction of the change that they are about:
// an event exists if and only if its change was made. Package webhooks sends them.
package outbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhook"
)

// maxData is how many bytes the data of an event has at most.
const maxData = 16 << 10

// Outbox is the table of events to send. It is safe for concurrent use.
type Outbox struct {
	db  *database.DB
	now func() time.Time
}

// New returns the outbox of a migrated database. now is nil for time.Now.
func New(db *database.DB, now func() time.Time) *Outbox {
	if now == nil {
		now = time.Now
	}
	return &Outbox{db, now}
}

// Event is an event of any type.
type Event struct {
	Type Type
	// Source and Target are what changed: kind, colon, name, such as "file:a/b.jpg"; Target is empty unless there are
	// two. Events with a common path, or with one above the other, are sent one after another. Two transactions that
	// add events of the same path at once get an order only with Locks.
	Source, Target string
	Locks          bool
	Paths          []string // of files, by which webhooks select events; empty for an event that is not about files
	Data           map[string]any
}

// Webhooks are the active webhooks.
type Webhooks []*ent.Webhook

// Webhooks returns the active webhooks, as the transaction of tx sees them.
func (o *Outbox) Webhooks(ctx context.Context, tx *ent.Client) (Webhooks, error) {
	return tx.Webhook.Query().
		Where(webhook.IsActive(true)).
		Select(webhook.FieldID, webhook.FieldEvents, webhook.FieldFolder).
		All(ctx)
}

// Add writes an event for those of the webhooks that want it. tx is the client of the transaction of the change.
func (o *Outbox) Add(ctx context.Context, tx *ent.Client, to Webhooks, e Event) error {
	to = slices.DeleteFunc(slices.Clone(to), func(w *ent.Webhook) bool { return !wants(w, e) })
	if len(to) == 0 {
		return nil
	}
	if e.Locks {
		if err := o.db.LockNames(ctx, tx, "event "+e.Source); err != nil {
			return err
		}
	}
	data, err := encode(e.Data)
	if err != nil {
		return err
	}
	now, message := o.now().UTC(), NewMessage()
	rows := make([]*ent.WebhookDeliveryCreate, len(to))
	for i, w := range to {
		rows[i] = tx.WebhookDelivery.Create().
			SetWebhookID(w.ID).
			SetMessage(message).
			SetEvent(string(e.Type)).
			SetSource(e.Source).
			SetTarget(e.Target).
			SetData(data).
			SetCreatedAt(now).
			SetQueuedAt(now).
			SetNextAt(now)
	}
	return tx.WebhookDelivery.CreateBulk(rows...).Exec(ctx)
}

// NewMessage returns the id of a new message.
func NewMessage() string { return "msg_" + rand.Text() }

// Emit writes an event for those of the active webhooks that want it. tx is the client of the transaction of the
// change. Without an outbox (nil) it does nothing.
func (o *Outbox) Emit(ctx context.Context, tx *ent.Client, e Event) error {
	if o == nil {
		return nil
	}
	to, err := o.Webhooks(ctx, tx)
	if err != nil || len(to) == 0 {
		return err
	}
	return o.Add(ctx, tx, to, e)
}

// encode returns data as JSON. Data that is too large, which no change of ours makes, is left out.
func encode(data map[string]any) (string, error) {
	b, err := json.Marshal(data)
	if err == nil && len(b) > maxData {
		b, err = json.Marshal(map[string]any{"isTruncated": true})
	}
	return string(b), err
}

// wants reports whether a webhook selects an event.
func wants(w *ent.Webhook, e Event) bool {
	if len(w.Events) > 0 && !slices.Contains(w.Events, string(e.Type)) {
		return false
	}
	return w.Folder == "" || slices.ContainsFunc(e.Paths, func(p string) bool {
		return p == w.Folder || strings.HasPrefix(p, w.Folder+"/")
	})
}

// Recorded writes the event about what the audit log records in the same transaction, if there is one for it. It
// implements audit.Outbox.
func (o *Outbox) Recorded(ctx context.Context, tx *ent.Client, e audit.Event) error {
	t, ok := audited[e.Action]
	if !ok {
		return nil
	}
	kind, name, _ := strings.Cut(e.Target, ":")
	event := Event{Type: t, Source: e.Target, Locks: true, Data: map[string]any{"actor": actor(ctx, e.Actor)}}
	if kind == "file" {
		event.Paths, event.Data["path"] = []string{name}, name
	} else {
		event.Data["id"] = name
	}
	if e.Before != nil {
		event.Data["before"] = e.Before
	}
	if e.After != nil {
		event.Data["after"] = e.After
	}
	return o.Emit(ctx, tx, event)
}

// Actor describes who made a change, from the identity in ctx; nil if nobody is known.
func Actor(ctx context.Context) any { return actor(ctx, nil) }

func actor(ctx context.Context, u *ent.User) any {
	i := auth.FromContext(ctx)
	switch {
	case u != nil:
		return map[string]any{"id": u.ID.String(), "username": u.Username}
	case i.IsAnonymous():
		return nil
	}
	return map[string]any{"id": i.UserID.String(), "username": i.Name}
}
