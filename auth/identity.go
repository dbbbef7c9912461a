// Package auth knows who is asking: identities, scopes, tokens, passwords. It imports nothing
// of Safelight but fault, and does no I/O besides its key file.
package auth

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// Scope is one permission that a token carries.
type Scope string

// The scopes.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// Role is what an account is; it decides the scopes of its tokens.
type Role string

// The roles.
const (
	RoleAdmin Role = "admin"
	RoleUser  Role = "user"
	RoleGuest Role = "guest"
)

// Scopes returns what a role may do; nil for an unknown role.
func (r Role) Scopes() []Scope {
	switch r {
	case RoleAdmin:
		return []Scope{ScopeRead, ScopeWrite, ScopeAdmin}
	case RoleUser:
		return []Scope{ScopeRead, ScopeWrite}
	case RoleGuest:
		return []Scope{ScopeRead}
	}
	return nil
}

// Identity is who is asking. The zero value is anonymous. A guest has a UserID that stands in
// no database.
type Identity struct {
	UserID   uuid.UUID
	Name     string // the username when the token was checked; empty where nobody looked
	Role     Role
	Scopes   []Scope
	TokenID  string // of the token that proved it: a session's jti, or an API token's id
	APIToken bool   // an API token proved it: it cannot change who may come in, or with what
}

// IsAnonymous reports whether nobody has proved who they are.
func (i Identity) IsAnonymous() bool { return i.Role == "" }

// Has reports whether the identity carries that scope.
func (i Identity) Has(s Scope) bool { return slices.Contains(i.Scopes, s) }

type contextKey struct{}

// WithIdentity returns a context that carries i.
func WithIdentity(ctx context.Context, i Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, i)
}

// FromContext returns the identity that ctx carries; the anonymous one when it carries none.
func FromContext(ctx context.Context) Identity {
	i, _ := ctx.Value(contextKey{}).(Identity)
	return i
}

type addressKey struct{}

// WithAddress returns a context of a request from that address.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressFrom returns the address that ctx carries; empty when it carries none.
func AddressFrom(ctx context.Context) string {
	a, _ := ctx.Value(addressKey{}).(string)
	return a
}
