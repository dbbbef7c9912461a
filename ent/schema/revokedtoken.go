package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// RevokedToken is something that is no longer accepted until it expires by itself: the session of a guest who
// logged out, a used single-use token (a sign-in, a ticket, an emergency password, a logout token of a
// provider), and ended sessions at a provider. Sessions of accounts have a row in Session until they end.
type RevokedToken struct{ ent.Schema }

// Fields of RevokedToken.
func (RevokedToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().
			Comment("The claim sid of the session of a guest; otherwise what was used, a colon, and its id or hash."),
		field.Time("expires_at"),
	}
}

// Indexes of RevokedToken.
func (RevokedToken) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }
