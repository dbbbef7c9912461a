package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// StorageSettings is a single row that describes the storage of files, once an admin has configured it. Its
// id is always 1.
type StorageSettings struct{ ent.Schema }

// Fields of StorageSettings.
func (StorageSettings) Fields() []ent.Field {
	return []ent.Field{
		field.Int("id").Immutable(),
		field.Enum("kind").Values("file", "s3"),
		field.String("folder").Default("").Comment("Of kind file: absolute."),
		field.String("bucket").Default(""),
		field.String("prefix").Default(""),
		field.String("region").Default(""),
		field.String("endpoint").Default("").Comment("Empty: Amazon's."),
		field.Bool("path_style").Default(false),
		field.String("access_key_id").Default(""),
		field.String("secret_access_key").Sensitive().Default("").Comment("Sealed with the key file, never plain."),
		field.String("session_token").Sensitive().Default("").Comment("Sealed, or empty."),
		field.Time("applied_at").Optional().Nillable().Comment("When it came into use. On SQLite, this time is its epoch."),
		field.Time("updated_at").Default(time.Now).UpdateDefault(time.Now),
	}
}
