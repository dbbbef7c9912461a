package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Mail is an e-mail in the outbox. The row is written in the same transaction as the change that the e-mail
// is about.
type Mail struct{ ent.Schema }

// Fields of Mail.
func (Mail) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.Enum("kind").Values("reset", "address", "changed", "password", "invitation", "share").Immutable(),
		field.String("recipient").MaxLen(254).Immutable(),
		field.UUID("sender_id", uuid.UUID{}).
			Optional().
			Nillable().
			Immutable().
			Comment("Account that caused it, maybe deleted since; null: somebody who is not logged in."),
		field.String("network").Default("").MaxLen(64).Immutable().Comment("From which a reset was requested."),
		field.String("content").Sensitive().Comment("Sealed JSON. Empty once it is sent or dropped."),
		field.Enum("state").Values("pending", "sent", "failed", "dropped").Default("pending"),
		field.Int("attempts").Default(0),
		field.Time("created_at").Immutable(),
		field.Time("next_at").Comment("Not before that time."),
		field.Time("ends_at").Comment("Until when it is attempted."),
		field.Time("attempted_at").Optional().Nillable(),
		field.String("problem").Default("").Comment("Why the last attempt failed."),
		field.String("answer").Default("").MaxRuneLen(300).Comment("What the mail server said then."),
	}
}

// Indexes of Mail.
func (Mail) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("state", "next_at"),
		index.Fields("created_at", "id"),
		index.Fields("recipient", "created_at"),
		index.Fields("sender_id", "created_at"),
		index.Fields("network", "created_at"),
	}
}

// MailToken is a secret in an e-mail that resets a password or confirms an address, once.
type MailToken struct{ ent.Schema }

// Fields of MailToken.
func (MailToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("SHA-256 of the token, in hex."),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.Enum("purpose").Values("reset", "address").Immutable(),
		field.String("address").MaxLen(254).Immutable().Comment("To which it was sent."),
		field.Int("version").Immutable().Comment("Token version of the account: its end ends the token."),
		field.Time("ends_at").Immutable(),
	}
}

// Edges of MailToken.
func (MailToken) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("mail_tokens").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of MailToken.
func (MailToken) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id"), index.Fields("ends_at")}
}
