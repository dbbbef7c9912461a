package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/ent"
)

// RetryAfter sets a pause before each new attempt, instead of the backoff.
func (c *Config) RetryAfter(d time.Duration) {
	c.retry = func(int, string) time.Duration { return d }
}

// Backoff is backoff.
var Backoff = backoff

// InOrder returns the waiting events that may be sent at the same time.
func InOrder(rows []*ent.WebhookDelivery, now time.Time, n int) []*ent.WebhookDelivery {
	return inOrder(&paths{}, rows, now, n)
}

// Due is due.
func (h *Hooks) Due(ctx context.Context, id uuid.UUID) ([]*ent.WebhookDelivery, error) {
	return h.due(ctx, id)
}

// Client returns the database client.
func (h *Hooks) Client() *ent.Client { return h.db.Client }
