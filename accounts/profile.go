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

// UpdateProfileInput is a change of an account. nil fields stay unchanged.
type UpdateProfileInput struct {
	DisplayName, Username *string
	Email                 *string       // requires admin scope; empty removes it
	Role                  *auth.Role    // requires admin scope
	Language              mail.Language // of the message to the previous address
}

// UpdateProfile changes the caller's account, or with admin scope that of userID. A new role requires admin
// scope and ends the account's sessions. It returns fault.Conflict for the last active admin. If the session
// was not confirmed, only the caller's own display name can be changed; other changes return
// fault.StepUpRequired.
func (a *Accounts) UpdateProfile(ctx context.Context, userID *uuid.UUID, in UpdateProfileInput) (*ent.User, error) {
	id, own, err := owner(ctx, userID)
	if err != nil {
		return nil, err
	}
	if in.Role != nil && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return nil, fault.OnField(fault.Forbidden, "role", "changing a role needs admin scope")
	}
	if in.Email != nil {
		if !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
			return nil, fault.OnField(
				fault.Forbidden, "email", "an address without confirmation needs admin scope, expected changeEmail",
			)
		}
		if *in.Email != "" {
			address, err := mail.CheckAddress(*in.Email, "email")
			if err != nil {
				return nil, err
			}
			in.Email = &address
		}
	}
	if in.Role != nil || in.Email != nil || in.Username != nil || !own {
		if err := auth.CheckConfirmed(ctx); err != nil {
			return nil, err
		}
	}
	var changed *ent.User
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		changed, err = a.updateProfile(ctx, tx, id, in)
		return err
	})
	return changed, err
}

func (a *Accounts) updateProfile(
	ctx context.Context,
	tx *ent.Tx,
	id uuid.UUID,
	in UpdateProfileInput,
) (*ent.User, error) {
	u, err := lockUser(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	update := tx.User.UpdateOne(u).SetUpdatedAt(a.config.Now())
	if in.DisplayName != nil {
		name, err := checkDisplayName(*in.DisplayName)
		if err != nil {
			return nil, err
		}
		update.SetDisplayName(name)
	}
	username := u.Username
	if in.Username != nil {
		if username, err = checkUsername(*in.Username); err == nil && usernameKey(username) != u.UsernameKey {
			username, err = a.checkRename(ctx, tx, username, id)
		}
		if err != nil {
			return nil, err
		}
		update.SetUsername(username).SetUsernameKey(usernameKey(username))
	}
	if in.Role != nil && user.Role(*in.Role) != u.Role {
		if err := checkRole(*in.Role); err != nil {
			return nil, err
		}
		if err := checkOtherAdmin(ctx, tx, u); err != nil {
			return nil, err
		}
		update.SetRole(user.Role(*in.Role)).AddTokenVersion(1)
	}
	if in.Email != nil {
		if err := a.replaceEmail(ctx, tx, update.Mutation(), u, *in.Email, in.Language); err != nil {
			return nil, err
		}
	}
	before, version := userFacts(u), u.TokenVersion
	u, err = update.Save(ctx)
	if err != nil {
		return nil, nameTaken(err, username)
	}
	if u.TokenVersion != version {
		if err := deleteSessions(ctx, tx, id); err != nil {
			return nil, err
		}
	}
	return u, a.audit.Record(
		ctx, tx,
		audit.Event{Action: audit.ActionUserUpdate, Target: userTarget(id), Before: before, After: userFacts(u)},
	)
}

// checkRename returns the normalized name if the account id may change its name to it.
func (a *Accounts) checkRename(ctx context.Context, tx *ent.Tx, username string, id uuid.UUID) (string, error) {
	username, err := checkNewUsername(username)
	if err != nil {
		return "", err
	}
	if !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		if err := a.checkOwnAddress(username); err != nil {
			return "", err
		}
	}
	if err := a.lockNames(ctx, tx); err != nil {
		return "", err
	}
	return username, checkLookalikes(ctx, tx, username, id)
}
