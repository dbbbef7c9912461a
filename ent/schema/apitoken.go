package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// APIToken is a long-lived bearer token of an account, for programs. Only the hash of the token is stored.
type APIToken struct{ ent.Schema }

// Fields of APIToken.
func (APIToken) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.String("hash").
			Unique().
			Sensitive().
			Immutable().
			Comment("SHA-256 of the token, hexadecimal: it has 256 random bits, so that nothing slower is needed."),
		field.String("prefix").Immutable().Comment("How the token starts, to tell it from others."),
		field.Strings("scopes").Immutable().Comment("What was asked; the role of the account bounds it each time."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("expires_at").Optional().Nillable().Immutable().Comment("Null: never."),
		field.Time("last_used_at").Optional().Nillable().Comment("To the minute."),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

// Edges of APIToken.
func (APIToken) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("api_tokens").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of APIToken.
func (APIToken) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "created_at")}
}
