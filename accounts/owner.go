package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// loggedIn returns fault.Forbidden if ctx was authenticated by an API token. Changes of accounts and
// credentials require a login, so that a leaked token cannot create access that outlives its revocation.
func loggedIn(ctx context.Context) error {
	if auth.FromContext(ctx).APIToken {
		return fault.New(fault.Forbidden, "an API token cannot change accounts, passwords or tokens, log in for that")
	}
	return nil
}

// owner returns the account that a change applies to: the caller's own, or with admin scope that of userID.
// It returns fault.Forbidden for API tokens and guests.
func owner(ctx context.Context, userID *uuid.UUID) (id uuid.UUID, own bool, err error) {
	i := auth.FromContext(ctx)
	switch {
	case i.IsAnonymous():
		return id, false, fault.New(fault.Unauthenticated, "no token was sent")
	case i.Role == auth.RoleGuest:
		return id, false, fault.New(fault.Forbidden, "a guest has no account to change")
	case i.APIToken:
		return id, false, loggedIn(ctx)
	case userID == nil || *userID == i.UserID:
		return i.UserID, true, nil
	case !i.Has(auth.ScopeAdmin):
		return id, false, fault.New(fault.Forbidden, "changing another account needs admin scope")
	}
	return *userID, false, nil
}
