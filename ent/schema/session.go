package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Session is a login of an account. Its tokens are accepted while the row exists and its version matches that
// of the account.
type Session struct{ ent.Schema }

// Fields of Session.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable().Comment("The claim sid of its tokens."),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.Int("version").Comment("The token_version of the account when it logged in."),
		field.String("user_agent").Default("").Comment("Of the login or the last refresh, at most 256 bytes."),
		field.String("address").Default("").MaxLen(64).Comment("Of the client, as of last_used_at."),
		field.String("provider").Default("").MaxLen(32).Comment("Through which somebody signed in; empty: a password."),
		field.String("provider_session").Default("").MaxLen(255).Comment("The claim sid of the provider, if any."),
		field.UUID("passkey_id", uuid.UUID{}).
			Optional().
			Nillable().
			Immutable().
			Comment("With which somebody logged in, maybe removed since; null: without one."),
		field.Time("confirmed_at").
			Optional().
			Nillable().
			Comment("When the second factor was last confirmed; of an account without one, when it logged in."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("last_used_at").Comment("To the minute."),
		field.Time("expires_at").Comment("When the last of its tokens expires."),
	}
}

// Edges of Session.
func (Session) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("sessions").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of Session.
func (Session) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "last_used_at"), index.Fields("expires_at"),
		index.Fields("provider", "provider_session")}
}
