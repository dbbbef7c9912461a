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

// Grant is a right on a folder and everything below it. The migration inserts the first grants: accounts may
// edit and guests may view the root.
type Grant struct{ ent.Schema }

// Fields of Grant.
func (Grant) Fields() []ent.Field {
	return []ent.Field{
		field.String("path").MaxLen(1024).Comment("Of the folder, empty for the root. It follows moves."),
		field.Enum("grantee").Values("everyone", "guests", "account", "group").Immutable(),
		field.UUID("user_id", uuid.UUID{}).Optional().Nillable().Immutable().Comment("Of an account."),
		field.UUID("group_id", uuid.UUID{}).Optional().Nillable().Immutable().Comment("Of a group."),
		field.Int8("level").Immutable().Comment("1 view, 2 edit, 3 manage."),
	}
}

// Edges of Grant.
func (Grant) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("grants").Field("user_id").Unique().Immutable(),
		edge.From("group", Group.Type).Ref("grants").Field("group_id").Unique().Immutable(),
	}
}

// Indexes of Grant.
func (Grant) Indexes() []ent.Index {
	return []ent.Index{index.Fields("path"), index.Fields("user_id"), index.Fields("group_id")}
}

// Group is a set of accounts that get the same rights.
type Group struct{ ent.Schema }

// Fields of Group.
func (Group) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.String("name_key").Unique().Comment("The folded name: names that differ in case only are the same."),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges of Group.
func (Group) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("memberships", Membership.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("grants", Grant.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Membership is an account in a group.
type Membership struct{ ent.Schema }

// Fields of Membership.
func (Membership) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("group_id", uuid.UUID{}).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
	}
}

// Edges of Membership.
func (Membership) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("group", Group.Type).Ref("memberships").Field("group_id").Unique().Required().Immutable(),
		edge.From("user", User.Type).Ref("memberships").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of Membership.
func (Membership) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "group_id").Unique(), index.Fields("group_id")}
}
