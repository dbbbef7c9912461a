package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Intent is a storage change in progress. It is written before the change and removed once the index was
// updated. If its server stops, another server completes the change after a minute, or the same server at its
// next start.
type Intent struct{ ent.Schema }

// Fields of Intent.
func (Intent) Fields() []ent.Field {
	return []ent.Field{
		field.String("owner").Comment("The process that is at it."),
		field.Enum("change").Values("write", "move", "copy", "delete", "describe"),
		field.String("source").Default(""),
		field.String("target").Default(""),
		field.Int64("seen").Comment("When the owner last said that it lives, in nanoseconds since 1970."),
	}
}

// Indexes of Intent.
func (Intent) Indexes() []ent.Index { return []ent.Index{index.Fields("owner"), index.Fields("seen")} }
