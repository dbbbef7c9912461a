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

// Share is a link that gives people without an account access to a folder, files or an album.
type Share struct{ ent.Schema }

// Fields of Share.
func (Share) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("owner_id", uuid.UUID{}).Immutable(),
		field.String("key_hash").MaxLen(64).Unique().Immutable().
			Comment("SHA-256 of the key in the link, in hexadecimal."),
		field.String("sealed_key").Sensitive().Immutable().
			Comment("The key, encrypted, so that the owner can copy the link again."),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.Enum("kind").Values("folder", "files", "album").Immutable(),
		field.UUID("album_id", uuid.UUID{}).Optional().Nillable().Immutable().
			Comment("The album of that kind. A link outlives its album, and shows nothing then."),
		field.String("password_hash").Default("").Sensitive().Comment("Empty: no password."),
		field.Time("expires_at").Optional().Nillable(),
		field.Enum("downloads").Values("none", "renditions", "originals").Default("none"),
		field.Int64("upload_quota").Default(0).Comment("Bytes that visitors may add in all; 0: they may not."),
		field.Int64("uploaded").Default(0).Comment("Bytes that visitors have added."),
		field.String("watermark").Default("").Comment("Preset that is applied to every picture; empty: none."),
		field.Bool("allow_feedback").Default(false).Comment("Visitors may comment, pick and rate."),
		field.Time("feedback_seen_at").Optional().Nillable().Comment("What is later is new for the owner."),
		field.Int64("visits").Default(0),
		field.Time("last_visit_at").Optional().Nillable(),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges of Share.
func (Share) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("owner", User.Type).Ref("shares").Field("owner_id").Unique().Required().Immutable(),
		edge.To("items", ShareItem.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("days", ShareDay.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("reviewers", ShareReviewer.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Indexes of Share.
func (Share) Indexes() []ent.Index { return []ent.Index{index.Fields("owner_id", "created_at")} }

// ShareItem is the folder or a file of a share.
type ShareItem struct{ ent.Schema }

// Fields of ShareItem.
func (ShareItem) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("share_id", uuid.UUID{}).Immutable(),
		field.String("path").MaxLen(1024).Comment("Empty for the root. It follows moves."),
		field.Int("position").Immutable(),
	}
}

// Edges of ShareItem.
func (ShareItem) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("share", Share.Type).Ref("items").Field("share_id").Unique().Required().Immutable(),
	}
}

// Indexes of ShareItem.
func (ShareItem) Indexes() []ent.Index {
	return []ent.Index{index.Fields("path"), index.Fields("share_id", "position").Unique()}
}

// ShareDay counts the visits of a share on one day.
type ShareDay struct{ ent.Schema }

// Fields of ShareDay.
func (ShareDay) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("share_id", uuid.UUID{}).Immutable(),
		field.String("day").MaxLen(10).Immutable().Comment("In UTC, as 2026-11-27."),
		field.Int("visits").Default(0),
	}
}

// Edges of ShareDay.
func (ShareDay) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("share", Share.Type).Ref("days").Field("share_id").Unique().Required().Immutable(),
	}
}

// Indexes of ShareDay.
func (ShareDay) Indexes() []ent.Index { return []ent.Index{index.Fields("share_id", "day").Unique()} }
