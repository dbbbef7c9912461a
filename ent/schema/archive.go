package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Archive is a selection of files that can be downloaded as a ZIP until it expires.
type Archive struct{ ent.Schema }

// Fields of Archive.
func (Archive) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("SHA-256 of the token in the URL, in hexadecimal."),
		field.UUID("account_id", uuid.UUID{}).Immutable(),
		field.Bool("guest").Default(false).Immutable(),
		field.String("token_id").
			MaxLen(64).
			Default("").
			Immutable().
			Comment("Of the session or the API token that created it: when that ends, so does the URL."),
		field.Bool("api_token").Default(false).Immutable(),
		field.String("name").Immutable().Comment("Of the downloaded file."),
		field.Strings("paths").Immutable(),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("expires_at").Immutable(),
	}
}

// Indexes of Archive.
func (Archive) Indexes() []ent.Index {
	return []ent.Index{index.Fields("expires_at"), index.Fields("account_id", "created_at")}
}
