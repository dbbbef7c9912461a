package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Passkey is a WebAuthn credential of an account.
type Passkey struct{ ent.Schema }

// Fields of Passkey.
func (Passkey) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.String("rp_id").MaxLen(255).Immutable().Comment("The host for which the browser made it."),
		field.String("credential_id").MaxLen(1400).Unique().Immutable().Comment("In base64url."),
		field.String("credential").Comment("JSON with the public key, the sign counter and the flags."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("last_used_at").Optional().Nillable(),
	}
}

// Edges of Passkey.
func (Passkey) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("passkeys").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of Passkey.
func (Passkey) Indexes() []ent.Index { return []ent.Index{index.Fields("user_id", "created_at")} }
