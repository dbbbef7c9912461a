package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/index"
	"github.com/safelight/safelight/ent/field"
)

// Tagging is one tag of one file, for filters; the entry has the list for display.
type Tagging struct{ ent.Schema }

// Fields of Tagging, for ent.
func (s Tagging) Fields() []ent.Field { return field.Fields(s.Columns()) }

// Columns of Tagging.
func (Tagging) Columns() []field.Column {
	return []field.Column{
		field.Int("entry_id"),
		field.String("key").Comment("The folded name: tags that differ in case only are the same."),
		field.String("name"),
	}
}

// Indexes of Tagging.
func (Tagging) Indexes() []ent.Index {
	return []ent.Index{index.Fields("key", "entry_id").Unique(), index.Fields("entry_id")}
}
