package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Intent is a change of the storage in progress: written before it and removed once the index has followed. The next
// start completes the intents that a crash has left.
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
