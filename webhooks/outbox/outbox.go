// Package outbox writes events for webhooks into the database, in the transaction of the change that they
// describe. So an event exists if and only if its change was made. Package webhooks sends the events.
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

// maxData is the maximum size of an event's data in bytes.
const maxData = 16 << 10

// Outbox is the table of events to send. It is safe for concurrent use.
type Outbox struct {
	db  *database.DB
	now func() time.Time
}

// New returns the outbox of a migrated database. A nil now is time.Now.
func New(db *database.DB, now func() time.Time) *Outbox {
	if now == nil {
		now = time.Now
	}
	return &Outbox{db, now}
}

// Event is an event of any type.
type Event struct {
	Type Type
	// Source and Target identify what changed, as kind, colon, name, such as "file:a/b.jpg". Target is empty
	// unless there are two paths. Events are sent one after another if they have a path in common, or if a
	// path of one is above a path of the other. Concurrent transactions that add events with the same path
	// must set Locks to get an order.
	Source, Target string
	Locks          bool
	Paths          []string // of files, by which webhooks select events; empty for an event that is not about files
	Data           map[string]any
}

// Webhooks are the active webhooks.
type Webhooks []*ent.Webhook

// Webhooks returns the active webhooks. It reads them in the transaction of tx.
func (o *Outbox) Webhooks(ctx context.Context, tx *ent.Client) (Webhooks, error) {
	return tx.Webhook.Query().
		Where(webhook.IsActive(true)).
		Select(webhook.FieldID, webhook.FieldEvents, webhook.FieldFolder).
		All(ctx)
}

// Add writes an event for those of the webhooks that select it. tx is the client of the transaction of the
// change.
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

// Emit writes an event for those of the active webhooks that select it. tx is the client of the transaction
// of the change. A nil outbox does nothing.
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

// encode returns data as JSON. It leaves out data that is too large, which our own changes never are.
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

// Recorded writes the event for an entry of the audit log in the same transaction, if there is an event for
// its action. It implements audit.Outbox.
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

// Actor describes who made a change, according to the identity in ctx. It returns nil if nobody is known.
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
