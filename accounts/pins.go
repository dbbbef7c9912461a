package accounts

import (
	"context"
	"slices"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// maxPins is how many folders an account can pin.
const maxPins = 50

// PinnedFolders returns the ids of the folders that the caller pinned, oldest pin first. A guest has none.
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

// PinFolder adds the id of a folder to those that the caller pinned, or removes it. gone are pinned folders that do not
// exist any more, which are removed too. fault.Invalid for too many, fault.Forbidden for guests, fault.NotFound if the
// account was deleted meanwhile.
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
		return tx.User.UpdateOne(u).SetPinnedFolders(pins).SetUpdatedAt(u.UpdatedAt).Exec(ctx)
	})
}
