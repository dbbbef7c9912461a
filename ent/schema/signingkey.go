package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// SigningKey signs families of image URLs, in addition to the processor secret. A revoked key stays, so that
// its id is not reused.
type SigningKey struct{ ent.Schema }

// Fields of SigningKey.
func (SigningKey) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").NotEmpty().MaxLen(32).Immutable().Comment("Stands in the URLs that it signs."),
		field.String("secret").Sensitive().Immutable().Comment("Sealed with the key file, never plain."),
		field.Enum("signer_type").Values("SHA1", "SHA256", "SHA512").Immutable(),
		field.Int("signer_truncate").NonNegative().Immutable(),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("revoked_at").Optional().Nillable(),
	}
}
