package schema

import (
	"slices"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Entry is a file or a folder in the index. The storage is the source of truth for what exists; rows follow it. Times
// are nanoseconds since 1970, which sort and compare the same on both databases. A file in the trash has trashed_at, a
// hidden path, and no row under its former folder.
type Entry struct{ ent.Schema }

// Fields of Entry.
func (Entry) Fields() []ent.Field {
	return slices.Concat(place(), picture(), notes(), quota())
}

// place are the fields that come from the storage.
func place() []ent.Field {
	return []ent.Field{
		field.String("path").Unique().Comment("NFC, empty for the root."),
		field.Int("parent_id").Default(0).Comment("The folder's id; 0 for the root."),
		field.String("name"),
		field.Bytes("name_key").
			Comment("Folded name, 0, name: unique in a folder, and in byte order the same on both databases."),
		field.Int8("kind").Comment("0 a folder, 1 a file: folders come first."),
		field.Bool("hidden").Default(false).Comment("A segment of the path starts with a dot."),
		field.Int64("size").Default(0),
		field.Int64("modified").Default(0),
		field.String("etag").Default(""),
		field.String("type").
			Default("").
			Comment("A picture's format, by its name until its bytes were looked at; empty for others."),
		field.String("words").Default("").Comment("What a search looks at: folded words with one space between them."),
		field.String("version").
			Default("").
			Comment("Of a folder: what the storage said of its names when they were last read."),
		field.Int64("synced").
			Default(0).
			Comment("Of a folder: when its names were last read; 0 is never. Of a file: when it was last moved."),
		field.Time("trashed_at").Optional().Nillable(),
	}
}

// picture are the fields that come from the bytes; they are computed after the row exists.
func picture() []ent.Field {
	return []ent.Field{
		field.Int8("meta_state").
			Default(0).
			Comment("0 to be computed, 1 known, 2 the bytes cannot be read, 3 no picture."),
		field.Int8("meta_tries").
			Default(0).
			Comment("Counted before a try, so that a file that kills the process is left alone."),
		field.Int("width").Default(0),
		field.Int("height").Default(0),
		field.Int64("pixels").Default(0),
		field.Int("pages").Default(0),
		field.Int8("orientation").Default(0),
		field.Int64("taken").Optional().Nillable(),
		field.Int64("taken_key").Default(0).Comment("taken, else modified: what a sort by date goes by."),
		field.String("camera").Default(""),
		field.Bool("has_gps").Default(false),
		field.String("exif").Default("").Comment("A JSON object."),
		field.Int("dominant").Optional().Nillable().Comment("0xRRGGBB."),
		field.Float("ok_l").Optional().Nillable().Comment("The dominant colour in OKLab."),
		field.Float("ok_a").Optional().Nillable(),
		field.Float("ok_b").Optional().Nillable(),
		field.String("blurhash").Default(""),
		field.String("thumbhash").Default(""),
		field.Int64("phash").Optional().Nillable(),
		field.Bytes("sha256").Optional().Comment("Of the bytes; 32 of them."),
	}
}

// notes are the fields that users edit; their source of truth is a sidecar next to the file (docs/decisions).
func notes() []ent.Field {
	return []ent.Field{
		field.Bool("has_notes").Default(false).Comment("A sidecar lies in storage."),
		field.Strings("tags").Optional(),
		field.String("description").Default(""),
		field.Float("focal_x").Optional().Nillable().Comment("0..1 from the left."),
		field.Float("focal_y").Optional().Nillable().Comment("0..1 from the top."),
		field.Int8("rating").Default(0).Comment("1..5; 0 is none."),
		field.Bool("favorite").Default(false),
	}
}

// quota are the fields that the quota of an account goes by. Only the database has them.
func quota() []ent.Field {
	return []ent.Field{
		field.UUID("owner_id", uuid.UUID{}).Optional().Nillable().
			Comment("The account that last wrote the bytes, by an upload, a copy or a template; null for what was found in the storage."),
	}
}

// Indexes of Entry: one for each order within a folder, one for each over the whole gallery, and what an account
// stores.
func (Entry) Indexes() []ent.Index {
	all := []ent.Index{
		index.Fields("parent_id", "kind", "name_key"),
		index.Fields("kind", "hidden", "name_key", "id"),
		index.Fields("meta_state", "modified"),
		index.Fields("phash").Annotations(entsql.IndexWhere("phash IS NOT NULL")),
		index.Fields("sha256", "hidden", "size").Annotations(entsql.IndexWhere("sha256 IS NOT NULL")),
		index.Fields("ok_l", "ok_a", "ok_b").Annotations(entsql.IndexWhere("ok_l IS NOT NULL")),
		index.Fields("owner_id", "kind", "size").Annotations(entsql.IndexWhere("owner_id IS NOT NULL")),
		index.Fields("favorite"),
	}
	for _, order := range []string{"size", "modified", "taken_key", "pixels", "rating"} {
		all = append(
			all, index.Fields("parent_id", "kind", order, "name_key"),
			index.Fields("kind", "hidden", order, "id"),
		)
	}
	return all
}
