package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Identity is a person at an OpenID Connect provider who owns an account.
type Identity struct{ ent.Schema }

// Fields of Identity.
func (Identity) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("issuer").MaxLen(512).Immutable(),
		field.String("subject").MaxLen(255).Immutable().
			Comment("The claim sub, which the issuer never gives away again."),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges of Identity.
func (Identity) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("identities").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of Identity.
func (Identity) Indexes() []ent.Index {
	return []ent.Index{index.Fields("issuer", "subject").Unique(), index.Fields("user_id", "issuer")}
}
