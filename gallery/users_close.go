package gallery

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// lockRows makes other transactions wait for these rows. SQLite locks the database for a writer anyway.
func lockRows(s *entsql.Selector) {
	if s.Dialect() == dialect.Postgres {
		s.ForUpdate()
	}
}

func lockUser(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.User, error) {
	// every active admin is locked first and in one order, so that two changes of admins cannot pass
	// each other, nor wait for each other
	query := tx.User.Query().Where(user.RoleEQ(user.RoleAdmin), user.IsActive(true)).Order(user.ByID())
	query.Modify(lockRows)
	if _, err := query.All(ctx); err != nil {
		return nil, err
	}
	one := tx.User.Query().Where(user.ID(id))
	one.Modify(lockRows)
	return one.Only(ctx)
}

// anotherAdmin returns fault.Conflict when u is the last active admin.
func anotherAdmin(ctx context.Context, tx *ent.Tx, u *ent.User) error {
	if u.Role != user.RoleAdmin || !u.IsActive {
		return nil
	}
	other, err := tx.User.Query().Where(user.RoleEQ(user.RoleAdmin), user.IsActive(true), user.IDNEQ(u.ID)).Exist(ctx)
	if err != nil {
		return err
	}
	if !other {
		return fault.New(fault.Conflict, "%s is the last active admin, make another one first", u.Username)
	}
	return nil
}

// DeactivateAccount closes the caller's account, or with admin scope that of userID, ends its sessions and
// revokes its API tokens; fault.Conflict for the last active admin. A closed account stays as it is.
func (g *Gallery) DeactivateAccount(ctx context.Context, userID *uuid.UUID) error {
	id, _, err := target(ctx, userID)
	if err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := anotherAdmin(ctx, tx, u); err != nil {
			return err
		}
		before := userFacts(u)
		if u, err = tx.User.UpdateOne(u).SetIsActive(false).AddTokenVersion(1).SetUpdatedAt(g.config.Now()).Save(ctx); err != nil {
			return err
		}
		if err := g.revokeTokens(ctx, tx, id); err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionUserDeactivate, target: userTarget(id), before: before, after: userFacts(u)})
	})
}

// ReactivateAccount opens an account again; its old sessions and API tokens stay refused.
func (g *Gallery) ReactivateAccount(ctx context.Context, userID uuid.UUID) error {
	if err := loggedIn(ctx); err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, userID)
		if err != nil {
			return err
		}
		before := userFacts(u)
		if u, err = tx.User.UpdateOne(u).SetIsActive(true).SetUpdatedAt(g.config.Now()).Save(ctx); err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionUserReactivate, target: userTarget(userID), before: before, after: userFacts(u)})
	})
}

// DeleteUser removes an account with its sessions and API tokens for good; its files and what the audit log
// says of it stay. It needs admin scope, else fault.Forbidden; fault.Conflict for the last active admin.
func (g *Gallery) DeleteUser(ctx context.Context, userID uuid.UUID) error {
	if _, _, err := target(ctx, &userID); err != nil {
		return err
	}
	if !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return fault.New(fault.Forbidden, "deleting an account needs admin scope")
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		u, err := lockUser(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := anotherAdmin(ctx, tx, u); err != nil {
			return err
		}
		if err := tx.User.DeleteOne(u).Exec(ctx); err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionUserDelete, target: userTarget(userID), before: userFacts(u)})
	})
}

// LogoutEverywhere ends all sessions of the caller, the present one too, or with admin scope those of
// userID; with apiTokens it revokes the account's API tokens as well.
func (g *Gallery) LogoutEverywhere(ctx context.Context, userID *uuid.UUID, apiTokens bool) error {
	id, _, err := target(ctx, userID)
	if err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		if err := tx.User.UpdateOneID(id).AddTokenVersion(1).SetUpdatedAt(g.config.Now()).Exec(ctx); err != nil {
			return err
		}
		if apiTokens {
			if err := g.revokeTokens(ctx, tx, id); err != nil {
				return err
			}
		}
		return g.record(ctx, tx, event{action: ActionLogoutEverywhere, target: userTarget(id), after: facts{"apiTokens": apiTokens}})
	})
}

// revokeTokens revokes what API tokens an account has.
func (g *Gallery) revokeTokens(ctx context.Context, tx *ent.Tx, userID uuid.UUID) error {
	return tx.APIToken.Update().Where(apitoken.UserID(userID), apitoken.RevokedAtIsNil()).SetRevokedAt(g.config.Now()).Exec(ctx)
}
