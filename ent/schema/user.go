// Package schema holds the ent schemas: the source of truth for the database.
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

// User is an account.
type User struct{ ent.Schema }

// Fields of User.
func (User) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable(),
		field.String("display_name").NotEmpty().MaxRuneLen(100),
		field.String("username").NotEmpty().MaxRuneLen(64).Comment("NFC, as the user wrote it."),
		field.String("username_key").
			Unique().
			Comment("Case-folded username: two names that differ in case only are the same account."),
		field.String("password_hash").Sensitive().
			Comment("argon2id in PHC string form. Empty: the account has no password."),
		field.Enum("role").Values("admin", "user").Default("user"),
		field.Bool("is_active").Default(true),
		field.Int("token_version").Default(1).Comment("Sessions of another version have ended."),
		field.Time("created_at").Default(time.Now).Immutable(),
		field.Time("updated_at").Default(time.Now).
			Comment("When the profile, role, password or state changed; logins, pins and factors do not count."),
		field.Time("last_login_at").Optional().Nillable(),
		field.Strings("pinned_folders").Optional().Comment("Ids of folders, as the API writes them."),
		field.Bool("second_factor").Default(false).Comment("There is an authenticator app or a passkey."),
		field.String("totp_secret").Sensitive().Default("").Comment("Sealed with the key file. Empty: no app."),
		field.Int64("totp_step").Default(0).Comment("Step of the last accepted code; those up to it are refused."),
		field.Time("totp_added_at").Optional().Nillable(),
		field.Int("code_failures").Default(0).Comment("Wrong codes since the last accepted one."),
		field.Time("code_failed_at").Optional().Nillable(),
		field.String("email").Default("").MaxLen(254).
			Comment("Confirmed by its owner, or set by an admin. Empty: none."),
		field.String("email_key").Unique().Optional().Nillable().Comment("In lower case; null: none."),
		field.Strings("recovery_codes").Optional().Sensitive().Comment("SHA-256 of the unused ones."),
	}
}

// Edges of User.
func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("albums", Album.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("api_tokens", APIToken.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("grants", Grant.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("identities", Identity.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("mail_tokens", MailToken.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("memberships", Membership.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("passkeys", Passkey.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("sessions", Session.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("shares", Share.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Indexes of User.
func (User) Indexes() []ent.Index {
	return []ent.Index{index.Fields("role", "is_active"), index.Fields("created_at", "id")}
}
