package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/fault"
)

// Authenticate returns the identity of a token whose signature is verified: fault.Unauthenticated if its session has
// ended, its account is deactivated or deleted, its version is old, or guest mode is off. It queries the database each
// time, so that a change by any process takes effect at once.
func (a *Accounts) Authenticate(ctx context.Context, c *auth.Claims) (auth.Identity, error) {
	u, err := a.tokenOwner(ctx, c)
	if err != nil {
		return auth.Identity{}, err
	}
	identity := c.Identity()
	identity.Name = u.Username
	return identity, nil
}

// errEnded returns the error for a session or an API token that is not accepted anymore.
func errEnded() error { return fault.New(fault.Unauthenticated, "the token is no longer accepted") }

// tokenOwner returns the account of a token, as read together with the check of the token. Errors are those of
// Authenticate.
func (a *Accounts) tokenOwner(ctx context.Context, c *auth.Claims) (*ent.User, error) {
	if err := a.keys.Check(c); err != nil {
		return nil, err
	}
	u, err := a.sessionOwner(ctx, c.Identity())
	if err == nil && auth.Role(u.Role) != c.Role {
		return nil, errEnded()
	}
	return u, err
}

// sessionOwner returns the account of a session that has not ended; for a guest, an account that is not in the
// database.
func (a *Accounts) sessionOwner(ctx context.Context, i auth.Identity) (*ent.User, error) {
	ended, err := a.db.RevokedToken.Query().Where(revokedtoken.ID(i.Session)).Exist(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	if ended {
		return nil, errEnded()
	}
	if i.Role == auth.RoleGuest {
		if !a.config.Guest {
			return nil, errEnded()
		}
		return a.guest(i.UserID), nil
	}
	u, err := a.db.User.Get(ctx, i.UserID)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err != nil || !u.IsActive || u.TokenVersion != i.Version {
		return nil, errEnded()
	}
	return u, nil
}

// MayRead returns nil while the session or API token of a caller who was authenticated before is valid;
// fault.Unauthenticated after that.
func (a *Accounts) MayRead(ctx context.Context, caller auth.Identity) error {
	if !caller.APIToken {
		_, err := a.sessionOwner(ctx, caller)
		return err
	}
	id, err := uuid.Parse(caller.TokenID)
	if err != nil {
		return errEnded()
	}
	t, err := a.db.APIToken.Query().Where(apitoken.ID(id)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return database.Translate(err)
	}
	if err != nil || !a.accepts(t) {
		return errEnded()
	}
	return nil
}
