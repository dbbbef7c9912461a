package accounts

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/savedsearch"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// lockUser returns an account and locks it until the transaction ends. It returns fault.NotFound if the
// account does not exist.
func lockUser(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.User, error) {
	// Lock all active admins in a fixed order, so that concurrent changes of admins neither race nor
	// deadlock.
	_, err := tx.User.Query().
		Where(user.RoleEQ(user.RoleAdmin), user.IsActive(true), database.LockRows).
		Order(user.ByID()).
		All(ctx)
	if err != nil {
		return nil, err
	}
	return lockOne(ctx, tx, id)
}

// lockOne is lockUser for changes that do not depend on other admins.
func lockOne(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.User, error) {
	u, err := tx.User.Query().Where(user.ID(id), database.LockRows).Only(ctx)
	return u, missingUser(err)
}

// checkOtherAdmin returns fault.Conflict if u is the last active admin.
func checkOtherAdmin(ctx context.Context, tx *ent.Tx, u *ent.User) error {
	if u.Role != user.RoleAdmin || !u.IsActive {
		return nil
	}
	other, err := tx.User.Query().Where(user.RoleEQ(user.RoleAdmin), user.IsActive(true), user.IDNEQ(u.ID)).Exist(ctx)
	if err != nil {
		return err
	}
	if !other {
		return fault.New(fault.Conflict, "%s is the last active admin, promote another user first", u.Username)
	}
	return nil
}

// DeactivateAccount deactivates the caller's account, or with admin scope that of userID. It ends the
// account's sessions and revokes its API tokens. It returns fault.Conflict for the last active admin.
func (a *Accounts) DeactivateAccount(ctx context.Context, userID *uuid.UUID) error {
	id, _, err := owner(ctx, userID)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := checkOtherAdmin(ctx, tx, u); err != nil {
			return err
		}
		before := userFacts(u)
		u, err = tx.User.UpdateOne(u).
			SetIsActive(false).AddTokenVersion(1).SetUpdatedAt(a.config.Now()).
			Save(ctx)
		if err != nil {
			return err
		}
		if err := deleteSessions(ctx, tx, id); err != nil {
			return err
		}
		if err := a.revokeTokens(ctx, tx, id); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserDeactivate,
			Target: userTarget(id),
			Before: before,
			After:  userFacts(u),
		})
	})
}

// ReactivateAccount activates an account again. Its old sessions and API tokens stay invalid.
func (a *Accounts) ReactivateAccount(ctx context.Context, userID uuid.UUID) error {
	if err := loggedIn(ctx); err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, userID)
		if err != nil {
			return err
		}
		before := userFacts(u)
		if u, err = tx.User.UpdateOne(u).SetIsActive(true).SetUpdatedAt(a.config.Now()).Save(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserReactivate,
			Target: userTarget(userID),
			Before: before,
			After:  userFacts(u),
		})
	})
}

// DeleteUser deletes an account with its sessions, API tokens, saved searches and albums. It keeps the
// account's files and audit events. It returns fault.Forbidden without admin scope, and fault.Conflict for
// the last active admin.
func (a *Accounts) DeleteUser(ctx context.Context, userID uuid.UUID) error {
	if _, _, err := owner(ctx, &userID); err != nil {
		return err
	}
	if !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return fault.New(fault.Forbidden, "deleting an account needs admin scope")
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := checkOtherAdmin(ctx, tx, u); err != nil {
			return err
		}
		if _, err := tx.SavedSearch.Delete().Where(savedsearch.UserID(userID)).Exec(ctx); err != nil {
			return err
		}
		if err := tx.User.DeleteOne(u).Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(
			ctx, tx,
			audit.Event{Action: audit.ActionUserDelete, Target: userTarget(userID), Before: userFacts(u)},
		)
	})
}
