package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Webhook is a URL to which events are sent.
type Webhook struct{ ent.Schema }

// Fields of Webhook.
func (Webhook) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.String("url").MaxLen(2000),
		field.Strings("events").Comment("Types of the events that are sent. Empty: all."),
		field.String("folder").MaxLen(1024).Default("").Comment("Only events of files in it are sent. Empty: of all."),
		field.Bool("is_active").Default(true),
		field.Bool("is_gone").Default(false).Comment("The receiver answered 410, which ended the webhook."),
		field.String("secret").Sensitive().Comment("Sealed with the key file."),
		field.String("previous_secret").Sensitive().Default("").
			Comment("Sealed; signs as well until previous_secret_until."),
		field.Time("previous_secret_until").Optional().Nillable(),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("updated_at").Default(time.Now),
	}
}

// Edges of Webhook.
func (Webhook) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("deliveries", WebhookDelivery.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// WebhookDelivery is an event for one webhook in the outbox. The row is written in the transaction of the
// change.
type WebhookDelivery struct{ ent.Schema }

// Fields of WebhookDelivery.
func (WebhookDelivery) Fields() []ent.Field {
	return []ent.Field{
		field.Int("id").Immutable().Comment("Of two events of the same file, the later one has the larger id."),
		field.UUID("webhook_id", uuid.UUID{}).Immutable(),
		field.String("message").Immutable().Comment("The header webhook-id, the same for all webhooks and attempts."),
		field.String("event").Immutable().Comment("Type of the event."),
		field.String("source").Immutable().Comment(
			"What changed: kind, colon, name. An event waits for those before it."),
		field.String("target").Default("").Immutable().Comment("The second path of a change that has two."),
		field.String("data").Immutable().Comment("JSON."),
		field.Enum("state").Values("pending", "delivered", "failed").Default("pending"),
		field.Int("attempts").Default(0),
		field.Time("created_at").Immutable(),
		field.Time("queued_at").Comment("Since when it is attempted: created_at, or the last manual retry."),
		field.Time("next_at").Comment("Not before that time."),
		field.Time("attempted_at").Optional().Nillable(),
		field.Int("status_code").Default(0).Comment("HTTP status of the last response; 0: there was none."),
		field.String("problem").Default("").Comment("Why the last attempt failed."),
		field.Int("duration_ms").Default(0).Comment("Of the last attempt."),
	}
}

// Edges of WebhookDelivery.
func (WebhookDelivery) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("webhook", Webhook.Type).Ref("deliveries").Field("webhook_id").Unique().Required().Immutable(),
	}
}

// Indexes of WebhookDelivery.
func (WebhookDelivery) Indexes() []ent.Index {
	return []ent.Index{index.Fields("webhook_id", "state", "id"), index.Fields("webhook_id", "id")}
}
