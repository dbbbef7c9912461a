package accounts

import (
	"context"
	"slices"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// maxPins is the maximum number of pinned folders of an account.
const maxPins = 50

// PinnedFolders returns the ids of the caller's pinned folders, oldest pin first. Guests have none.
func (a *Accounts) PinnedFolders(ctx context.Context) ([]string, error) {
	u, err := a.db.User.Query().Where(user.ID(auth.FromContext(ctx).UserID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, missingUser(err)
	}
	return u.PinnedFolders, nil
}

// PinFolder adds the id of a folder to the caller's pinned folders, or removes it. It also removes the pinned
// folders in gone, which no longer exist. It returns fault.Invalid for too many pins, fault.Forbidden for
// guests, and fault.NotFound if the account was deleted in the meantime.
func (a *Accounts) PinFolder(ctx context.Context, folder string, pinned bool, gone []string) error {
	caller := auth.FromContext(ctx)
	if caller.IsAnonymous() || caller.Role == auth.RoleGuest {
		return fault.New(fault.Forbidden, "a guest cannot pin folders")
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, caller.UserID)
		if err != nil {
			return err
		}
		was := slices.Contains(u.PinnedFolders, folder)
		if was == pinned {
			return nil
		}
		pins := slices.DeleteFunc(slices.Clone(u.PinnedFolders), func(id string) bool {
			return id == folder || slices.Contains(gone, id)
		})
		if pinned {
			pins = append(pins, folder)
		}
		if len(pins) > maxPins {
			return fault.OnField(
				fault.Invalid, "path", "the account has %d pinned folders, expected at most %d: unpin one first",
				len(pins)-1, maxPins,
			)
		}
		return tx.User.UpdateOne(u).SetPinnedFolders(pins).Exec(ctx)
	})
}
