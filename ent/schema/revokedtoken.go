package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// RevokedToken is what is not accepted anymore until it expires by itself: a guest's session that was logged out, or the
// state of a sign-in, an emergency password or a logout token of a provider that was used. Sessions of accounts have a
// row in Session until they end.
type RevokedToken struct{ ent.Schema }

// Fields of RevokedToken.
func (RevokedToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("Of a session: the claim sid of its tokens. Of a sign-in: signin: and its state."),
		field.Time("expires_at"),
	}
}

// Indexes of RevokedToken.
func (RevokedToken) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }
