package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Tagging is one tag of one file, for filters. The entry contains the list for display.
type Tagging struct{ ent.Schema }

// Fields of Tagging.
func (Tagging) Fields() []ent.Field {
	return []ent.Field{
		field.Int("entry_id"),
		field.String("key").Comment("The folded name: tags that differ in case only are the same."),
		field.String("name"),
	}
}

// Indexes of Tagging.
func (Tagging) Indexes() []ent.Index {
	return []ent.Index{index.Fields("key", "entry_id").Unique(), index.Fields("entry_id")}
}
