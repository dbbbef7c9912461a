package gallery

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// ChangePassword changes the caller's password, for which it needs the current one, or with admin
// scope that of userID. It ends the account's sessions; API tokens go on. A wrong current password is fault.Invalid on
// field currentPassword; too many of them are fault.RateLimited.
func (g *Gallery) ChangePassword(ctx context.Context, userID *uuid.UUID, current, password string) error {
	id, own, err := target(ctx, userID)
	if err != nil {
		return err
	}
	u, err := g.User(ctx, id)
	if err != nil {
		return err
	}
	if own {
		if err := g.checkCurrent(ctx, u, current); err != nil {
			return err
		}
	}
	if err := auth.CheckPassword(password, u.Username); err != nil {
		f := *fault.Of(err)
		f.Field = "newPassword"
		return &f
	}
	hash, err := g.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		// not if somebody changed it meanwhile: who proved the old password has not proved that one
		n, err := tx.User.Update().Where(user.ID(id), user.PasswordHash(u.PasswordHash)).SetPasswordHash(hash).AddTokenVersion(1).SetUpdatedAt(g.config.Now()).Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "the password was changed meanwhile")
		}
		return g.record(ctx, tx, event{action: ActionUserPassword, target: userTarget(id)})
	})
}

func (g *Gallery) checkCurrent(ctx context.Context, u *ent.User, current string) error {
	if err := g.logins.Allow("password\x00" + u.ID.String()); err != nil {
		return err
	}
	ok, err := g.passwords.Verify(ctx, u.PasswordHash, current)
	if err == nil && !ok {
		return fault.OnField(fault.Invalid, "currentPassword", "the current password is wrong")
	}
	return err
}
