package webhooks

import (
	"context"
	"encoding/json"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/webhooks/outbox"
)

// Problem is why an attempt failed.
type Problem string

// The problems.
const (
	ProblemStatus      Problem = "status"      // the receiver answered, but not with 200 to 299
	ProblemTimeout     Problem = "timeout"     // no answer within the timeout
	ProblemUnreachable Problem = "unreachable" // no connection, or one that broke
	ProblemCertificate Problem = "certificate" // TLS failed
	ProblemNotPublic   Problem = "not-public"  // the address belongs to a private network
	ProblemSecret      Problem = "secret"      // the secret was sealed with another key file
	ProblemExpired     Problem = "expired"     // it waited too long, or too many others did
)

// Delivery returns a delivery. It returns fault.NotFound if the delivery does not exist.
func (h *Hooks) Delivery(ctx context.Context, id int) (*ent.WebhookDelivery, error) {
	d, err := h.db.WebhookDelivery.Get(ctx, id)
	return d, database.Missing(err, "the delivery", "id")
}

// newestDeliveries is the order of deliveries. The ids ascend.
var newestDeliveries = database.Order[ent.WebhookDelivery]{
	Columns: []string{webhookdelivery.FieldID}, Descending: true,
	Values: func(d *ent.WebhookDelivery) []any { return []any{&d.ID} },
}

// Deliveries returns a page of 1 to 100 deliveries of a webhook, newest first, after a cursor. An empty state
// selects all.
func (h *Hooks) Deliveries(
	ctx context.Context, id uuid.UUID, state webhookdelivery.State, first int, after string,
) (*database.Page[*ent.WebhookDelivery], error) {
	query := h.db.WebhookDelivery.Query().Where(webhookdelivery.WebhookID(id))
	if state != "" {
		query.Where(webhookdelivery.StateEQ(state))
	}
	return database.ReadPage(ctx, query, newestDeliveries, first, after)
}

// Retry sends an event again that was delivered or failed. It keeps its id and its position: after older
// waiting events of the same file, and before newer ones. It returns fault.NotFound if the delivery does not
// exist, and fault.Conflict if it is still waiting.
func (h *Hooks) Retry(ctx context.Context, id int) (d *ent.WebhookDelivery, err error) {
	err = h.db.Transact(ctx, func(tx *ent.Tx) error {
		if d, err = tx.WebhookDelivery.Get(ctx, id); err != nil {
			return database.Missing(err, "the delivery", "id")
		}
		now := h.config.Now().UTC()
		n, err := tx.WebhookDelivery.Update().
			Where(webhookdelivery.ID(id), webhookdelivery.StateNEQ(webhookdelivery.StatePending)).
			SetState(webhookdelivery.StatePending).
			SetAttempts(0).
			SetQueuedAt(now).
			SetNextAt(now).
			Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.OnField(fault.Conflict, "id",
				"the event waits to be sent, expected one that was sent or failed")
		}
		if d, err = tx.WebhookDelivery.Get(ctx, id); err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookRetry, Target: target(d.WebhookID),
			After: audit.Facts{"message": d.Message, "event": d.Event},
		})
	})
	return d, err
}

// Test sends a single event of the type outbox.Test to a webhook, active or not, and returns the result. It
// returns fault.NotFound if the webhook does not exist.
func (h *Hooks) Test(ctx context.Context, id uuid.UUID) (d *ent.WebhookDelivery, err error) {
	w, err := h.Webhook(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"actor": outbox.Actor(ctx), "webhook": w.Name})
	if err != nil {
		return nil, err
	}
	now := h.config.Now().UTC()
	// Marked as failed until it is sent, so that Run does not send it.
	err = h.db.Transact(ctx, func(tx *ent.Tx) error {
		d, err = tx.WebhookDelivery.Create().
			SetWebhookID(id).
			SetMessage(outbox.NewMessage()).
			SetEvent(string(outbox.Test)).
			SetSource(target(id)).
			SetData(string(data)).
			SetState(webhookdelivery.StateFailed).
			SetProblem(string(ProblemTimeout)).
			SetCreatedAt(now).
			SetQueuedAt(now).
			SetNextAt(now).
			Save(ctx)
		if err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookTest, Target: target(id), After: audit.Facts{"message": d.Message},
		})
	})
	if err != nil {
		return nil, err
	}
	r := h.send(ctx, w, d)
	if ctx.Err() != nil {
		return nil, database.Translate(ctx.Err())
	}
	if r.problem == "" {
		r.state = webhookdelivery.StateDelivered
	} else {
		r.state = webhookdelivery.StateFailed
	}
	if err := h.keep(ctx, d, r, webhookdelivery.StateFailed); err != nil {
		return nil, err
	}
	return h.Delivery(ctx, d.ID)
}

const (
	maxPending  = 100_000             // events that wait for one webhook
	maxFinished = 10_000              // per webhook and state
	keepSent    = 7 * 24 * time.Hour  // of delivered events
	keepFailed  = 30 * 24 * time.Hour // of failed events
	pruneEvery  = 10 * time.Minute
)

// prune deletes old deliveries, and marks those as failed that waited too long or are too many.
func (h *Hooks) prune(ctx context.Context) error {
	ids, err := h.db.Webhook.Query().IDs(ctx)
	if err != nil {
		return database.Translate(err)
	}
	now := h.config.Now().UTC()
	for _, id := range ids {
		of := webhookdelivery.WebhookID(id)
		err := h.db.Transact(ctx, func(tx *ent.Tx) error {
			late := []predicate.WebhookDelivery{webhookdelivery.QueuedAtLT(now.Add(-h.config.RetryFor - time.Hour))}
			if last, err := nth(ctx, tx, id, webhookdelivery.StatePending, maxPending); err != nil {
				return err
			} else if last != 0 {
				late = append(late, webhookdelivery.IDLTE(last))
			}
			err := tx.WebhookDelivery.Update().
				Where(of, webhookdelivery.StateEQ(webhookdelivery.StatePending), webhookdelivery.Or(late...)).
				SetState(webhookdelivery.StateFailed).
				SetProblem(string(ProblemExpired)).
				Exec(ctx)
			if err != nil {
				return err
			}
			for state, keep := range map[webhookdelivery.State]time.Duration{
				webhookdelivery.StateDelivered: keepSent, webhookdelivery.StateFailed: keepFailed,
			} {
				old := []predicate.WebhookDelivery{webhookdelivery.QueuedAtLT(now.Add(-keep))}
				if last, err := nth(ctx, tx, id, state, maxFinished); err != nil {
					return err
				} else if last != 0 {
					old = append(old, webhookdelivery.IDLTE(last))
				}
				_, err := tx.WebhookDelivery.Delete().
					Where(of, webhookdelivery.StateEQ(state), webhookdelivery.Or(old...)).
					Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nth returns the id of the delivery in a state with exactly n newer ones, or 0 if there are fewer.
func nth(ctx context.Context, tx *ent.Tx, hook uuid.UUID, state webhookdelivery.State, n int) (int, error) {
	id, err := tx.WebhookDelivery.Query().
		Where(webhookdelivery.WebhookID(hook), webhookdelivery.StateEQ(state)).
		Order(webhookdelivery.ByID(entsql.OrderDesc())).
		Offset(n).
		FirstID(ctx)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	return id, err
}
