package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// TrashItem is a file or folder in the trash. The storage contains the same data next to the file, so that
// the index can be rebuilt.
type TrashItem struct{ ent.Schema }

// Fields of TrashItem.
func (TrashItem) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").
			MaxLen(64).
			Immutable().
			Comment("Later ones sort later; the folder of the trash that holds it."),
		field.String("path").
			Immutable().
			Comment("Where it lay; a double slash follows the folder whose rights decide who sees it."),
		field.Bool("is_folder").Immutable(),
		field.Int64("size").Immutable().Comment("Bytes, of a folder those of all files in it that the index knew."),
		field.Int("files").Immutable().Comment("1, or how many files the index knew in the folder."),
		field.Int64("trashed_at").Immutable().Comment("Nanoseconds since 1970."),
		field.String("trashed_by").Default("").Immutable().Comment("The username at that time."),
		field.String("trashed_by_id").
			Default("").
			Immutable().
			Comment("The id of that account: a name can pass to another one. Empty where it is not known."),
	}
}

// Indexes of TrashItem.
func (TrashItem) Indexes() []ent.Index { return []ent.Index{index.Fields("trashed_at")} }
