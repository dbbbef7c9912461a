package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// SavedSearch is a search that an account has saved.
type SavedSearch struct{ ent.Schema }

// Fields of SavedSearch.
func (SavedSearch) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("name"),
		field.String("name_key").Comment("The folded name, unique per account."),
		field.String("folder").Default("").Immutable(),
		field.Bool("recursive").Default(true).Immutable(),
		field.String("search").Default("").Immutable(),
		field.String("filter").Default("").Immutable().Comment("A JSON object in the form of the API; empty for none."),
		field.String("sort").Default("NAME").Immutable(),
		field.Bool("descending").Default(false).Immutable(),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Indexes of SavedSearch.
func (SavedSearch) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "name_key").Unique()}
}
