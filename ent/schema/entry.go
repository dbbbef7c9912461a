package schema

import (
	"slices"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Entry is a file or a folder in the index. The storage is the source of truth for what exists; rows are
// updated to match it. Times are nanoseconds since 1970, which sort and compare the same on both databases. A
// file in the trash has trashed_at, a hidden path, and no row in its former folder.
type Entry struct{ ent.Schema }

// Fields of Entry.
func (Entry) Fields() []ent.Field {
	return slices.Concat(location(), picture(), notes(), quota())
}

// location returns the fields that come from the storage.
func location() []ent.Field {
	return []ent.Field{
		field.String("path").Unique().Comment("NFC, empty for the root."),
		field.Int("parent_id").Default(0).Comment("The folder's id; 0 for the root."),
		field.String("name"),
		field.Bytes("name_key").
			Comment("The name in lower case, a zero byte, the name: unique in a folder, and sorted alike by both " +
				"databases."),
		field.Int8("kind").Comment("0 is a folder, 1 a file. Folders sort first."),
		field.Bool("hidden").Default(false).
			Comment("A segment of the path starts with a dot, or it is the preview of a template."),
		field.Int64("size").Default(0),
		field.Int64("modified").Default(0),
		field.String("etag").Default(""),
		field.String("type").
			Default("").
			Comment("The format of a picture: by its name until its bytes have been analyzed. Empty for other files."),
		field.String("words").Default("").Comment("What a search reads: folded words, separated by one space each."),
		field.String("version").
			Default("").
			Comment("Of a folder: the version that the storage gave it when its names were last read."),
		field.Int64("synced").
			Default(0).
			Comment("Of a folder: when its names were last read; 0 is never. Of a file: when it was last moved."),
		field.Time("trashed_at").Optional().Nillable(),
	}
}

// picture returns the fields that are computed from the content after the row was inserted.
func picture() []ent.Field {
	return []ent.Field{
		field.Int8("meta_state").
			Default(0).
			Comment("0 to be analyzed, 1 analyzed, 2 over a limit or of a format that this build cannot read, " +
				"3 not a picture by its name, 4 the bytes are no picture."),
		field.Int8("meta_tries").
			Default(0).
			Comment("Tries of the analysis, counted before each: a file that kills the process is not tried for ever."),
		field.Bool("truncated").Default(false).
			Comment("The file ends before its picture does, of which a part is to be seen."),
		field.Int("width").Default(0),
		field.Int("height").Default(0),
		field.Int64("pixels").Default(0),
		field.Int("pages").Default(0),
		field.Int8("orientation").Default(0),
		field.Int64("taken").Optional().Nillable(),
		field.Int64("taken_key").Default(0).
			Comment("taken if it is known, otherwise modified: the key of the order by date."),
		field.String("camera").Default(""),
		field.String("lens").Default(""),
		field.Bool("has_gps").Default(false).Comment(
			"EXIF has a position on earth. Until map_x is set, only a text for it."),
		field.Int("map_x").Optional().Nillable().Comment("Where it was taken, as gallery/places.PointOf counts."),
		field.Int("map_y").Optional().Nillable(),
		field.String("place").
			Default("").
			Comment("The city that is nearest, as gallery/places.Place writes it; empty if none is near."),
		field.String("exif").Default("").Comment("A JSON object."),
		field.Int("dominant").Optional().Nillable().Comment("0xRRGGBB."),
		field.Float("ok_l").Optional().Nillable().
			Comment("The dominant colour in OKLab, which servers of the version before compare."),
		field.Float("ok_a").Optional().Nillable(),
		field.Float("ok_b").Optional().Nillable(),
		field.String("colors").
			Default("").
			Comment("The cells of gallery/colors that are noticed, separated by one space each; - is none."),
		field.String("blurhash").Default(""),
		field.String("thumbhash").Default(""),
		field.Int64("phash").Optional().Nillable(),
		field.Bytes("sha256").Optional().Comment("SHA-256 of the file, 32 bytes."),
	}
}

// notes returns the fields that people edit. Their source of truth is the file's sidecar.
func notes() []ent.Field {
	return []ent.Field{
		field.Bool("has_notes").Default(false).Comment("The file has a sidecar."),
		field.Strings("tags").Optional(),
		field.String("description").Default(""),
		field.Float("focal_x").Optional().Nillable().Comment("0..1 from the left."),
		field.Float("focal_y").Optional().Nillable().Comment("0..1 from the top."),
		field.Int8("rating").Default(0).Comment("1..5; 0 is none."),
		field.Bool("favorite").Default(false),
	}
}

// quota returns the fields from which the quotas of accounts are computed. Only the database contains them.
func quota() []ent.Field {
	return []ent.Field{
		field.UUID("owner_id", uuid.UUID{}).Optional().Nillable().
			Comment("The account that last wrote the bytes. Null for files that were found in the storage."),
	}
}

// withID makes PostgreSQL include the id in the index of an order within a folder, as SQLite does in every
// index. A page of the files in many folders then only reads rows that are on the page.
var withID = entsql.IncludeColumns("id")

// Indexes of Entry. Each order has an index within a folder and one over the whole gallery. Some conditions
// have their own. Migrations add further indexes by hand that ent cannot express.
func (Entry) Indexes() []ent.Index {
	all := []ent.Index{
		index.Fields("parent_id", "kind", "name_key").Annotations(withID),
		index.Fields("kind", "hidden", "name_key", "id"),
		index.Fields("meta_state", "modified"),
		index.Fields("phash").Annotations(entsql.IndexWhere("phash IS NOT NULL")),
		index.Fields("sha256", "hidden", "size").Annotations(entsql.IndexWhere("sha256 IS NOT NULL")),
		index.Fields("owner_id", "kind", "size").Annotations(entsql.IndexWhere("owner_id IS NOT NULL")),
		index.Fields("favorite"),
	}
	for _, order := range []string{"size", "modified", "taken_key", "pixels", "rating"} {
		all = append(
			all, index.Fields("parent_id", "kind", order, "name_key").Annotations(withID),
			index.Fields("kind", "hidden", order, "id"),
		)
	}
	return all
}
