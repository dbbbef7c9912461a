package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Font is a font that an admin has uploaded, for texts in pictures.
type Font struct{ ent.Schema }

// Fields of Font.
func (Font) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("Made of the SHA-256 of the file: other bytes have another."),
		field.String("family").NotEmpty().MaxRuneLen(100).Immutable(),
		field.String("style").NotEmpty().MaxRuneLen(100).Immutable().Comment("Bold Italic, for instance."),
		field.Int32("weight").
			SchemaType(map[string]string{dialect.Postgres: "bigint"}). // as for all integers
			Range(1, 1000).
			Immutable().
			Comment("As in CSS."),
		field.Bool("is_italic").Immutable(),
		field.Enum("format").Values("TTF", "OTF").Immutable(),
		field.Int64("size_bytes").Positive().Immutable(),
		field.Time("added_at").Default(time.Now).Immutable(),
		field.String("added_by").Default("").Immutable().Comment("The name of an account; empty: the operator."),
	}
}

// Indexes of Font.
func (Font) Indexes() []ent.Index {
	return []ent.Index{index.Fields("family", "style").Unique()}
}

// FontFile is the file of a Font. It is in a separate table, because lists of fonts do not need it.
type FontFile struct{ ent.Schema }

// Fields of FontFile.
func (FontFile) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("That of the font."),
		field.Bytes("data").NotEmpty().MaxLen(10 << 20).Immutable(),
	}
}
