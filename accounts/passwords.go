package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// ChangePassword changes the caller's password, which requires the current one, or with admin scope that of userID. It
// ends the account's sessions; API tokens stay valid. A wrong current password is fault.Invalid on field
// currentPassword; after too many attempts fault.RateLimited.
func (a *Accounts) ChangePassword(ctx context.Context, userID *uuid.UUID, current, password string) error {
	id, own, err := owner(ctx, userID)
	if err != nil {
		return err
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return err
	}
	if own {
		if err := a.checkCurrent(ctx, u, current); err != nil {
			return err
		}
	}
	if err := auth.CheckPassword(password, u.Username); err != nil {
		f := *fault.Of(err)
		f.Field = "newPassword"
		return &f
	}
	hash, err := a.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		// only if it is still the one that was verified
		n, err := tx.User.Update().
			Where(user.ID(id), user.PasswordHash(u.PasswordHash)).
			SetPasswordHash(hash).
			SetCodeFailures(0).
			AddTokenVersion(1).
			SetUpdatedAt(a.config.Now()).
			Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "another request changed the password, try again")
		}
		if err := deleteSessions(ctx, tx, id); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionUserPassword, Target: userTarget(id)})
	})
}

func (a *Accounts) checkCurrent(ctx context.Context, u *ent.User, current string) error {
	ok, err := a.logins.Attempt(ctx, "password of "+u.ID.String(), "", func() (bool, error) {
		return a.passwords.Verify(ctx, u.PasswordHash, current)
	})
	if err == nil && !ok {
		return fault.OnField(fault.Invalid, "currentPassword", "the current password is wrong")
	}
	return err
}
