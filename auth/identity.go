// Package auth contains identities, scopes, tokens and passwords. Of our packages, it only imports fault. Its
// only I/O is on the key file.
package auth

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/safelight/safelight/fault"
)

// Scope is a permission of a token.
type Scope string

// The scopes.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// Role is the role of an account. It determines the scopes of its tokens.
type Role string

// The roles.
const (
	RoleAdmin Role = "admin"
	RoleUser  Role = "user"
	RoleGuest Role = "guest"
)

// Scopes returns the scopes of a role, or nil for an unknown role.
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

// Identity is an authenticated caller. The zero value is anonymous. The UserID of a guest is not in the database.
type Identity struct {
	UserID   uuid.UUID
	Name     string // username when the token was verified; empty if unknown
	Role     Role
	Scopes   []Scope
	TokenID  string // id of the token: a session's jti, or an API token's id
	Session  string // id of the session; empty for API tokens
	Provider string // provider with which the session started; empty: a password
	Version  int    // token version of the account when the session was verified; 0 for guests and API tokens
	APIToken bool   // authenticated by an API token, which cannot change accounts and credentials

	HasFactor bool // the account of the session has a second factor
	Confirmed bool // the session recently confirmed the factor or, without a factor, the password, or started recently
}

// CheckConfirmed returns fault.StepUpRequired if the caller's session did not recently confirm the second
// factor of its account or, without a factor, the password. A stolen session alone must not be able to make
// sensitive changes. It returns nil for API tokens, guests and anonymous callers, because their scopes and
// ownership limit what they may do.
func CheckConfirmed(ctx context.Context) error {
	i := FromContext(ctx)
	if i.Confirmed || i.APIToken || i.Role == RoleGuest || i.IsAnonymous() {
		return nil
	}
	return ErrStepUp()
}

// ErrStepUp returns the error for a sensitive change that requires a confirmation of the session.
func ErrStepUp() error {
	return fault.New(fault.StepUpRequired,
		"confirm your second factor, or without one your password, with POST /api/auth/confirm")
}

// IsAnonymous reports whether the caller has not authenticated.
func (i Identity) IsAnonymous() bool { return i.Role == "" }

// Has reports whether the identity has a scope.
func (i Identity) Has(s Scope) bool { return slices.Contains(i.Scopes, s) }

type contextKey struct{}

// WithIdentity returns a context with i.
func WithIdentity(ctx context.Context, i Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, i)
}

// FromContext returns the identity in ctx, or the anonymous identity if there is none.
func FromContext(ctx context.Context) Identity {
	i, _ := ctx.Value(contextKey{}).(Identity)
	return i
}

type userAgentKey struct{}

// WithUserAgent returns a context with the user agent of a request.
func WithUserAgent(ctx context.Context, agent string) context.Context {
	return context.WithValue(ctx, userAgentKey{}, agent)
}

// UserAgentFrom returns the user agent in ctx, or an empty text if it is unknown.
func UserAgentFrom(ctx context.Context) string {
	agent, _ := ctx.Value(userAgentKey{}).(string)
	return agent
}

type addressKey struct{}

// WithAddress returns a context with the client address of a request.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressFrom returns the client address in ctx, or an empty text if it is unknown.
func AddressFrom(ctx context.Context) string {
	a, _ := ctx.Value(addressKey{}).(string)
	return a
}
