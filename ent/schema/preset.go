package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Preset is a version of named operations that image URLs refer to.
type Preset struct{ ent.Schema }

// Fields of Preset.
func (Preset) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.String("name").NotEmpty().MaxLen(32).Immutable(),
		field.Int("version").Positive().Immutable(),
		field.String("operations").Immutable().Comment("As in a URL, with placeholders."),
		field.String("parameters").Default("[]").Immutable().Comment("A JSON list."),
		field.Bool("deleted").
			Default(false).
			Comment("The preset is deleted; its last version stays, so that no number is used twice."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.String("created_by").Default("").Immutable().Comment("The name of an account; empty: the operator."),
	}
}

// Indexes of Preset.
func (Preset) Indexes() []ent.Index {
	return []ent.Index{index.Fields("name", "version").Unique()}
}
