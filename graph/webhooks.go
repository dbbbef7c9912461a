package graph

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

// Webhooks resolves webhooks.
func (q query) Webhooks(ctx context.Context, first *int32, after *string) (*model.WebhookConnection, error) {
	last, err := hookCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Webhooks.Webhooks(ctx, sizeOf(first, defaultPage), last)
	return connection(p, hookCursors, err)
}

// CreateWebhook resolves createWebhook.
func (m mutation) CreateWebhook(
	ctx context.Context, in model.CreateWebhookInput,
) (*model.WebhookSecretPayload, error) {
	w, secret, err := m.rules.Webhooks.Create(ctx, webhooks.Input{
		Name: &in.Name, URL: &in.URL, Events: in.Events, Folder: &in.Folder, IsActive: &in.IsActive,
	})
	p := &model.WebhookSecretPayload{Webhook: w, Secret: optional(secret)}
	return p, refuse(&p.UserErrors, err)
}

// UpdateWebhook resolves updateWebhook.
func (m mutation) UpdateWebhook(ctx context.Context, in model.UpdateWebhookInput) (*model.WebhookPayload, error) {
	p := &model.WebhookPayload{}
	id, err := parseID(in.ID, "id")
	if err == nil {
		p.Webhook, err = m.rules.Webhooks.Update(ctx, id, webhooks.Input{
			Name: in.Name.Value(), URL: in.URL.Value(), Events: in.Events.Value(), Folder: in.Folder.Value(),
			IsActive: in.IsActive.Value(),
		})
	}
	if err != nil {
		p.Webhook = nil
	}
	return p, refuse(&p.UserErrors, err)
}

// DeleteWebhook resolves deleteWebhook.
func (m mutation) DeleteWebhook(
	ctx context.Context, in model.DeleteWebhookInput,
) (*model.DeleteWebhookPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Webhooks.Delete)
	p := &model.DeleteWebhookPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// RotateWebhookSecret resolves rotateWebhookSecret.
func (m mutation) RotateWebhookSecret(
	ctx context.Context, in model.RotateWebhookSecretInput,
) (*model.WebhookSecretPayload, error) {
	p := &model.WebhookSecretPayload{}
	id, err := parseID(in.ID, "id")
	if err == nil {
		var secret string
		p.Webhook, secret, err = m.rules.Webhooks.RotateSecret(ctx, id)
		p.Secret = optional(secret)
	}
	return p, refuse(&p.UserErrors, err)
}

// TestWebhook resolves testWebhook.
func (m mutation) TestWebhook(
	ctx context.Context, in model.TestWebhookInput,
) (*model.WebhookDeliveryPayload, error) {
	id, err := parseID(in.ID, "id")
	var d *ent.WebhookDelivery
	if err == nil {
		d, err = m.rules.Webhooks.Test(ctx, id)
	}
	return deliveryPayload(d, err)
}

// RetryDelivery resolves retryDelivery.
func (m mutation) RetryDelivery(
	ctx context.Context, in model.RetryDeliveryInput,
) (*model.WebhookDeliveryPayload, error) {
	number, ok := model.ParseDeliveryID(in.ID)
	if !ok {
		return deliveryPayload(nil, fault.OnField(fault.Invalid, "id", "expected WebhookDelivery.id"))
	}
	d, err := m.rules.Webhooks.Retry(ctx, number)
	return deliveryPayload(d, err)
}

func deliveryPayload(d *ent.WebhookDelivery, err error) (*model.WebhookDeliveryPayload, error) {
	p := &model.WebhookDeliveryPayload{}
	if err == nil {
		p.Delivery = model.NewWebhookDelivery(d)
	}
	return p, refuse(&p.UserErrors, err)
}

type hooks struct{ rules Rules }

// Events resolves Webhook.events.
func (hooks) Events(_ context.Context, w *ent.Webhook) ([]outbox.Type, error) {
	list := make([]outbox.Type, len(w.Events))
	for i, name := range w.Events {
		list[i] = outbox.Type(name)
	}
	return list, nil
}

// Deliveries resolves Webhook.deliveries.
func (r hooks) Deliveries(
	ctx context.Context, w *ent.Webhook, state *webhookdelivery.State, first *int32, after *string,
) (*model.WebhookDeliveryConnection, error) {
	last, err := deliveryCursors.parse(after)
	if err != nil {
		return nil, err
	}
	rows, err := r.rules.Webhooks.Deliveries(ctx, w.ID, value(state), sizeOf(first, defaultPage), last)
	if err != nil {
		return nil, err
	}
	items := make([]*model.WebhookDelivery, len(rows.Items))
	for i, d := range rows.Items {
		items[i] = model.NewWebhookDelivery(d)
	}
	return connection(database.WithItems(rows, items), deliveryCursors, nil)
}
