package auth

import (
	"errors"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Claims is what a token says. Only the user's id, role, scopes and version are ours; the rest is RFC 7519.
type Claims struct {
	jwt.RegisteredClaims
	Role    Role    `json:"role"`
	Scopes  []Scope `json:"scopes"`
	Version int     `json:"ver"`
}

// Validate returns an error for a token that lacks what every token of ours has. The JWT library
// calls it after the signature and the times were checked.
func (c Claims) Validate() error {
	switch {
	case c.ExpiresAt == nil:
		return errors.New("the token never expires")
	case c.IssuedAt == nil:
		return errors.New("the token does not say when it was issued")
	case c.ID == "":
		return errors.New("the token has no id")
	case c.Role.Scopes() == nil:
		return errors.New("the token's role is unknown")
	}
	if _, err := uuid.Parse(c.Subject); err != nil {
		return errors.New("the token's subject is no user id")
	}
	return nil
}

// UserID returns the subject; the zero id when Validate would fail.
func (c Claims) UserID() uuid.UUID {
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// Identity returns who the token speaks for. Scopes are the role's: a token cannot carry more than that.
func (c Claims) Identity() Identity {
	i := Identity{UserID: c.UserID(), Role: c.Role, TokenID: c.ID}
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
