package auth

import (
	"errors"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Claims are the content of a token. The session, role and scopes are our own; the rest is RFC 7519.
type Claims struct {
	jwt.RegisteredClaims
	Session string  `json:"sid"` // the same for all tokens refreshed after one login
	Role    Role    `json:"role"`
	Scopes  []Scope `json:"scopes"`
}

// Validate returns an error for a token without a required claim. The JWT library calls it after it has
// verified the signature and the validity period.
func (c Claims) Validate() error {
	switch {
	case c.ExpiresAt == nil:
		return errors.New("the token never expires")
	case c.IssuedAt == nil:
		return errors.New("the token has no time of issue")
	case c.ID == "":
		return errors.New("the token has no id")
	case c.Role.Scopes() == nil:
		return errors.New("the token's role is unknown")
	}
	if _, err := uuid.Parse(c.Subject); err != nil {
		return errors.New("the token's subject is not a user id")
	}
	if _, err := uuid.Parse(c.Session); err != nil {
		return errors.New("the token's session is not a session id")
	}
	return nil
}

// UserID returns the subject, or the zero id if Validate would fail.
func (c Claims) UserID() uuid.UUID {
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// Identity returns the identity of the token's owner, with those of the token's scopes that the role allows.
func (c Claims) Identity() Identity {
	i := Identity{UserID: c.UserID(), Role: c.Role, TokenID: c.ID, Session: c.Session}
	for _, s := range c.Role.Scopes() {
		for _, own := range c.Scopes {
			if s == own {
				i.Scopes = append(i.Scopes, s)
				break
			}
		}
	}
	return i
}
