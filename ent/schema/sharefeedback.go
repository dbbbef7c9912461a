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

// ShareReviewer is a visitor of a share who has given a name.
type ShareReviewer struct{ ent.Schema }

// Fields of ShareReviewer.
func (ShareReviewer) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("share_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(50),
		field.String("token_hash").MaxLen(64).Immutable().
			Comment("SHA-256 of the token in the cookie of the browser, in hexadecimal."),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges of ShareReviewer.
func (ShareReviewer) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("share", Share.Type).Ref("reviewers").Field("share_id").Unique().Required().Immutable(),
		edge.To("comments", ShareComment.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("picks", SharePick.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Indexes of ShareReviewer.
func (ShareReviewer) Indexes() []ent.Index {
	return []ent.Index{index.Fields("share_id", "token_hash").Unique()}
}

// ShareComment is a comment of a reviewer on a picture. A trigger removes it with its entry.
type ShareComment struct{ ent.Schema }

// Fields of ShareComment.
func (ShareComment) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.UUID("share_id", uuid.UUID{}).Immutable().Comment("That of the reviewer."),
		field.UUID("reviewer_id", uuid.UUID{}).Immutable(),
		field.Int("entry_id").Immutable(),
		field.String("text").NotEmpty().Immutable().Comment("Plain text."),
		field.Float("x").Optional().Nillable().Immutable().Comment("A point in the picture, 0 to 1 from the left."),
		field.Float("y").Optional().Nillable().Immutable().Comment("0 to 1 from the top."),
		field.Bool("is_hidden").Default(false).Comment("Other visitors do not see it."),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges of ShareComment.
func (ShareComment) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("reviewer", ShareReviewer.Type).Ref("comments").Field("reviewer_id").Unique().Required().Immutable(),
	}
}

// Indexes of ShareComment.
func (ShareComment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("share_id", "created_at", "id"), index.Fields("share_id", "entry_id"), index.Fields("reviewer_id"),
		index.Fields("entry_id"),
	}
}

// SharePick is a reviewer's choice and rating for a picture. A trigger removes it with its entry.
type SharePick struct{ ent.Schema }

// Fields of SharePick.
func (SharePick) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("share_id", uuid.UUID{}).Immutable().Comment("That of the reviewer."),
		field.UUID("reviewer_id", uuid.UUID{}).Immutable(),
		field.Int("entry_id").Immutable(),
		field.Enum("choice").Values("none", "picked", "rejected").Default("none"),
		field.Int("rating").Default(0).Comment("1 to 5; 0: none."),
		field.Time("updated_at"),
	}
}

// Edges of SharePick.
func (SharePick) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("reviewer", ShareReviewer.Type).Ref("picks").Field("reviewer_id").Unique().Required().Immutable(),
	}
}

// Indexes of SharePick.
func (SharePick) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("reviewer_id", "entry_id").Unique(), index.Fields("share_id", "entry_id"),
		index.Fields("share_id", "updated_at"), index.Fields("entry_id"),
	}
}
