package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// NewPassword is a change of a password.
type NewPassword struct {
	UserID            *uuid.UUID // owner of the password, with admin scope; nil: the caller
	Current, Password string     // the current one of the caller's own account
	APITokens         bool       // also revoke the account's API tokens

	Language mail.Language // of the message that notifies the account
}

// ChangePassword changes a password, ends the account's sessions, and notifies its e-mail address. It returns
// fault.Invalid on field currentPassword for a wrong current password, and fault.RateLimited after too many
// attempts. It returns fault.StepUpRequired if the session was not confirmed, unless the current password
// would be enough to confirm it.
func (a *Accounts) ChangePassword(ctx context.Context, in NewPassword) error {
	id, own, err := owner(ctx, in.UserID)
	if err != nil {
		return err
	}
	if !own || auth.FromContext(ctx).HasFactor {
		if err := auth.CheckConfirmed(ctx); err != nil {
			return err
		}
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return err
	}
	if own {
		if err := a.checkCurrent(ctx, u, in.Current); err != nil {
			return err
		}
	}
	if err := auth.CheckPassword(in.Password, u.Username); err != nil {
		f := *fault.Of(err)
		f.Field = "newPassword"
		return &f
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		// Only if the password is still the one that was verified.
		verified := tx.User.Update().Where(user.PasswordHash(u.PasswordHash)).SetCodeFailures(0)
		err := a.replacePassword(ctx, tx, verified, id, hash, func() error {
			return fault.New(fault.Conflict, "another request changed the password, try again")
		})
		if err != nil {
			return err
		}
		if err := a.tellPassword(ctx, tx, u, in.Language); err != nil {
			return err
		}
		facts, err := a.revokeTokensIf(ctx, tx, in.APITokens, id)
		if err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserPassword, Target: userTarget(id), After: facts,
		})
	})
}

// replacePassword sets the hash of a new password and ends the sessions of the account. update contains the
// conditions and other changes. If the account does not meet the conditions, nothing changes and refused
// returns the error.
func (a *Accounts) replacePassword(
	ctx context.Context, tx *ent.Tx, update *ent.UserUpdate, id uuid.UUID, hash string, refused func() error,
) error {
	n, err := update.
		Where(user.ID(id)).
		SetPasswordHash(hash).
		AddTokenVersion(1).
		SetUpdatedAt(a.config.Now()).
		Save(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		return refused()
	}
	return deleteSessions(ctx, tx, id)
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
