package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// PendingUpload is a file that is uploaded in parts. Its bytes are in hidden objects of the storage until the upload is
// finished; the row remains until it expires, so that finishing is idempotent.
type PendingUpload struct{ ent.Schema }

// Fields of PendingUpload.
func (PendingUpload) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("Unguessable: who knows it may send bytes."),
		field.String("path").MaxLen(1024).Immutable().Comment("Where the file is to appear."),
		field.String("client_key").
			MaxLen(64).
			Optional().
			Nillable().
			Comment("Chosen by the client, so that a repeated request finds the same upload. Nil if it chose none, " +
				"or once the upload has expired."),
		field.String("content_type").MaxLen(255).Immutable(),
		field.Int64("size").Positive().Immutable().Comment("Bytes of the whole file."),
		field.Int64("received").Default(0).Comment("Bytes that have arrived, from the start on."),
		field.Enum("on_conflict").Values("error", "rename", "replace").Default("error"),
		field.UUID("owner_id", uuid.UUID{}).Immutable(),
		field.UUID("share_id", uuid.UUID{}).
			Optional().
			Nillable().
			Immutable().
			Comment("The share link through which a visitor uploads it. The owner is that of the link. Nil for " +
				"uploads of accounts."),
		field.Enum("state").Values("open", "done").Default("open"),
		field.String("target").
			MaxLen(1024).
			Default("").
			Comment("The path that the file has, or that was last tried; a crash may lie between."),
		field.Time("busy_until").Optional().Nillable().Comment("Somebody finishes it until then."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("expires_at"),
	}
}

// Indexes of PendingUpload.
func (PendingUpload) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("expires_at"),
		index.Fields("owner_id", "path"),
		index.Fields("owner_id", "client_key").Unique(),
		index.Fields("share_id"),
	}
}

// PendingPart is a range of the bytes of a pending upload. It is stored in a separate object.
type PendingPart struct{ ent.Schema }

// Fields of PendingPart.
func (PendingPart) Fields() []ent.Field {
	return []ent.Field{
		field.String("upload_id").MaxLen(64).Immutable(),
		field.Int64("start").NonNegative().Immutable().Comment("Of its first byte in the file."),
		field.Int64("size").Positive().Immutable().Comment("Bytes."),
		field.String("name").MaxLen(64).Immutable().Comment("Of the object in the upload's folder."),
	}
}

// Indexes of PendingPart.
func (PendingPart) Indexes() []ent.Index {
	return []ent.Index{index.Fields("upload_id", "start").Unique()}
}
