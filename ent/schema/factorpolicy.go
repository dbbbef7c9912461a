package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// FactorPolicy is a single row that defines who needs a second factor. Its id is always 1.
type FactorPolicy struct{ ent.Schema }

// Fields of FactorPolicy.
func (FactorPolicy) Fields() []ent.Field {
	return []ent.Field{
		field.Int("id").Immutable(),
		field.Bool("admins").Default(false),
		field.Bool("users").Default(false),
		field.Bool("providers").Default(false).Comment("Also after a sign-in through a provider."),
		field.Time("updated_at").Default(time.Now).UpdateDefault(time.Now),
	}
}
