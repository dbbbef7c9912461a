package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// ProcessorSettings is a single row that describes how image URLs are signed. Its id is always 1.
type ProcessorSettings struct{ ent.Schema }

// Fields of ProcessorSettings.
func (ProcessorSettings) Fields() []ent.Field {
	return []ent.Field{
		field.Int("id").Immutable(),
		field.String("secret").Sensitive().Comment("Sealed with the key file, never plain."),
		field.String("previous_secret").Sensitive().Default("").Comment("Sealed; accepted until previous_until."),
		field.Enum("signer_type").Values("SHA1", "SHA256", "SHA512").Default("SHA1"),
		field.Int("signer_truncate").Default(0).NonNegative(),
		field.Enum("previous_signer_type").Values("SHA1", "SHA256", "SHA512").Default("SHA1"),
		field.Int("previous_signer_truncate").Default(0).NonNegative(),
		field.Time("previous_until").Optional().Nillable(),
		field.Time("updated_at").Default(time.Now).UpdateDefault(time.Now),
	}
}
