package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// RevokedToken is a token that was logged out before its expiry; the row is obsolete after that.
type RevokedToken struct{ ent.Schema }

// Fields of RevokedToken.
func (RevokedToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("The token's jti."),
		field.Time("expires_at"),
	}
}

// Indexes of RevokedToken.
func (RevokedToken) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }
