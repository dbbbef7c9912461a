package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// AuditEvent is an entry of the audit log. Triggers reject updates, and deletions that are not covered by an
// entry about pruning.
type AuditEvent struct{ ent.Schema }

// Fields of AuditEvent.
func (AuditEvent) Fields() []ent.Field {
	return []ent.Field{
		field.Int("id").Immutable().Comment("In the order of writing."),
		field.Time("at").Immutable(),
		field.UUID("actor_id", uuid.UUID{}).
			Optional().
			Nillable().
			Immutable().
			Comment("Null: nobody who is known. All zeroes: the operator, on the command line."),
		field.String("actor_name").Default("").Immutable().Comment("The username at that time."),
		field.String("token_id").Default("").Immutable().Comment("The session's jti or the API token's id."),
		field.String("action").NotEmpty().Immutable(),
		field.String("target").Default("").Immutable().Comment("Kind, colon, name: user:<id>, file:<path>."),
		field.JSON("before", map[string]any{}).Optional().Immutable(),
		field.JSON("after", map[string]any{}).Optional().Immutable(),
		field.String("address").Default("").Immutable(),
		field.String("request_id").Default("").Immutable(),
		field.Int("prunes_before").Optional().Nillable().Immutable().Comment("Entries of smaller ids may be deleted."),
	}
}

// Indexes of AuditEvent.
func (AuditEvent) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields(
			"at",
		), index.Fields("actor_id", "id"), index.Fields("action", "id"), index.Fields("target", "id"),
		index.Fields("prunes_before"),
	}
}
