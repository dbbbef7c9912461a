package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// RevokedToken is a guest's session that was logged out; the row is obsolete once all tokens of the session have
// expired. Sessions of accounts have a row in Session until they end.
type RevokedToken struct{ ent.Schema }

// Fields of RevokedToken.
func (RevokedToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("Of the session: the claim sid of its tokens."),
		field.Time("expires_at"),
	}
}

// Indexes of RevokedToken.
func (RevokedToken) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }
