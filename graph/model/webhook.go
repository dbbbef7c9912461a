package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/webhooks"
)

// WebhookDelivery is an event for a webhook.
type WebhookDelivery struct {
	ID            string // deliveryID and the number of the row
	MessageID     string
	Type          string
	Subject       string
	Data          map[string]any
	State         webhookdelivery.State
	Attempts      int32
	CreatedAt     time.Time
	AttemptedAt   *time.Time
	NextAttemptAt *time.Time
	StatusCode    *int32
	Problem       *webhooks.Problem
	DurationMs    int32
}

// deliveryID is the prefix of ids.
const deliveryID = "delivery:"

// NewWebhookDelivery converts a delivery from the database to the format of the API. It returns nil for nil.
func NewWebhookDelivery(d *ent.WebhookDelivery) *WebhookDelivery {
	if d == nil {
		return nil
	}
	w := &WebhookDelivery{
		ID:          deliveryID + strconv.Itoa(d.ID),
		MessageID:   d.Message,
		Type:        d.Event,
		Subject:     d.Source,
		State:       d.State,
		Attempts:    int32(d.Attempts),
		CreatedAt:   d.CreatedAt,
		AttemptedAt: d.AttemptedAt,
		DurationMs:  int32(d.DurationMs),
	}
	_ = json.Unmarshal([]byte(d.Data), &w.Data) // cannot fail, because the outbox has written the JSON
	if d.State == webhookdelivery.StatePending {
		w.NextAttemptAt = &d.NextAt
	}
	if d.StatusCode != 0 {
		code := int32(d.StatusCode)
		w.StatusCode = &code
	}
	if d.Problem != "" {
		p := webhooks.Problem(d.Problem)
		w.Problem = &p
	}
	return w
}

// ParseDeliveryID returns the number of the delivery with an id. ok is false for other ids.
func ParseDeliveryID(id string) (number int, ok bool) {
	text, ok := strings.CutPrefix(id, deliveryID)
	if !ok {
		return 0, false
	}
	number, err := strconv.Atoi(text)
	return number, err == nil && number > 0
}

// IsNode implements the interface Node of the API.
func (*WebhookDelivery) IsNode() {}
