package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/index"
	"github.com/safelight/safelight/ent/field"
)

// RevokedToken is a session that was logged out; the row is obsolete once all tokens of the session have expired.
type RevokedToken struct{ ent.Schema }

// Fields of RevokedToken, for ent.
func (s RevokedToken) Fields() []ent.Field { return field.Fields(s.Columns()) }

// Columns of RevokedToken.
func (RevokedToken) Columns() []field.Column {
	return []field.Column{
		field.String("id").MaxLen(64).Immutable().Comment("Of the session: the jti of the token of its login."),
		field.Time("expires_at"),
	}
}

// Indexes of RevokedToken.
func (RevokedToken) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }
