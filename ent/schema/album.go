package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Album is an ordered collection of files from any folders. The files of a smart album are the results of a
// search.
type Album struct{ ent.Schema }

// Fields of Album.
func (Album) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable().Comment("The account that it belongs to."),
		field.String("title"),
		field.String("title_key").Comment("The folded title, by which albums are sorted."),
		field.String("description").Default(""),
		field.Enum("visibility").Values("private", "everyone").Default("private"),
		field.String("sort").Default("MANUAL"),
		field.Bool("descending").Default(false),
		field.Int("cover_id").Optional().Nillable().Comment("The entry; null: the first file."),
		field.Bool("smart").Default(false).Comment("It has no items, but the files that a search finds."),
		field.String("folder").Default(""),
		field.Bool("recursive").Default(true),
		field.String("search").Default(""),
		field.String("filter").Default("").Comment("A JSON object in the form of the API; empty for none."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("updated_at").Default(time.Now),
	}
}

// Edges of Album.
func (Album) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("albums").Field("user_id").Unique().Required().Immutable(),
		edge.To("items", AlbumItem.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Indexes of Album.
func (Album) Indexes() []ent.Index {
	return []ent.Index{index.Fields("title_key", "id"), index.Fields("user_id")}
}

// AlbumItem is a file in an album. A trigger removes it with its entry.
type AlbumItem struct{ ent.Schema }

// Fields of AlbumItem.
func (AlbumItem) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("album_id", uuid.UUID{}).Immutable(),
		field.Int("entry_id").Immutable(),
		field.Int64("position").Comment("Ascending, with gaps: a move changes one row."),
	}
}

// Edges of AlbumItem.
func (AlbumItem) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("album", Album.Type).Ref("items").Field("album_id").Unique().Required().Immutable(),
	}
}

// Indexes of AlbumItem.
func (AlbumItem) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("album_id", "entry_id").Unique(), index.Fields("album_id", "position"), index.Fields("entry_id"),
	}
}
