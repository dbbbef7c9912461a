package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// Authenticate returns the identity of a token whose signature is verified: fault.Unauthenticated if it was revoked, its
// account is deactivated or deleted, its version is old, or guest mode is off. It queries the database each time, so that
// a change by any process takes effect at once.
func (a *Accounts) Authenticate(ctx context.Context, c *auth.Claims) (auth.Identity, error) {
	u, err := a.holder(ctx, c)
	if err != nil {
		return auth.Identity{}, err
	}
	identity := c.Identity()
	identity.Name = u.Username
	return identity, nil
}

// holder returns the account of a token as it was when the token was checked, for a guest one that is not in the
// database; errors are those of Authenticate.
func (a *Accounts) holder(ctx context.Context, c *auth.Claims) (*ent.User, error) {
	if err := a.keys.Check(c); err != nil {
		return nil, err
	}
	refused := func() (*ent.User, error) {
		return nil, fault.New(fault.Unauthenticated, "the token is no longer accepted")
	}
	revoked, err := a.db.RevokedToken.Query().Where(revokedtoken.ID(c.ID)).Exist(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	if revoked {
		return refused()
	}
	if c.Role == auth.RoleGuest {
		if !a.config.Guest {
			return refused()
		}
		return a.guest(c.UserID()), nil
	}
	u, err := a.db.User.Get(ctx, c.UserID())
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err != nil || !u.IsActive || u.TokenVersion != c.Version || auth.Role(u.Role) != c.Role {
		return refused()
	}
	return u, nil
}

// MayRead returns nil if an account exists and is active; for a guest, if guest mode is on. fault.Unauthenticated otherwise.
func (a *Accounts) MayRead(ctx context.Context, id uuid.UUID, guest bool) error {
	active := a.config.Guest
	if !guest {
		var err error
		if active, err = a.db.User.Query().Where(user.ID(id), user.IsActive(true)).Exist(ctx); err != nil {
			return database.Translate(err)
		}
	}
	if !active {
		return fault.New(fault.Unauthenticated, "the account is not active")
	}
	return nil
}
