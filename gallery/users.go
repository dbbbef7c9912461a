package gallery

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// maxUsers is the most accounts that one listing returns.
const maxUsers = 1000

// RegisterInput asks for an account. SetupToken is needed while no user exists.
type RegisterInput struct{ DisplayName, Username, Password, SetupToken string }

// CreateUserInput asks an admin's new account.
type CreateUserInput struct {
	DisplayName, Username, Password string
	Role                            auth.Role // admin or user
}

// UpdateProfileInput changes the fields that are not nil.
type UpdateProfileInput struct {
	DisplayName, Username *string
	Role                  *auth.Role // admin scope needed
}

// usernameKey is what makes two spellings of a name one account.
func usernameKey(name string) string {
	return cases.Fold().String(norm.NFKC.String(strings.TrimSpace(name)))
}

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// checkUsername returns the name as it is kept; fault.Invalid on field username otherwise.
func checkUsername(name string) (string, error) {
	bad := func(format string, a ...any) (string, error) {
		return "", fault.OnField(fault.Invalid, "username", format, a...)
	}
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 {
		return bad("the username has %d characters, expected 1 to 64", n)
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._-@+", r) {
			return bad("the username holds %q, expected letters, digits and . _ - @ +", r)
		}
	}
	return name, nil
}

// checkDisplayName returns the name as it is kept; fault.Invalid on field displayName otherwise.
func checkDisplayName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 || !utf8.ValidString(name) {
		return "", fault.OnField(fault.Invalid, "displayName", "the display name has %d characters, expected 1 to 100", n)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.OnField(fault.Invalid, "displayName", "the display name holds a control character")
	}
	return name, nil
}

func checkRole(r auth.Role) error {
	if r != auth.RoleAdmin && r != auth.RoleUser {
		return fault.OnField(fault.Invalid, "role", "role %q is unknown, expected admin or user", string(r))
	}
	return nil
}

// Me returns the account of the identity in ctx. A guest gets a made-up one of role guest.
func (g *Gallery) Me(ctx context.Context) (*ent.User, error) {
	i := auth.FromContext(ctx)
	switch {
	case i.IsAnonymous():
		return nil, fault.New(fault.Unauthenticated, "no token was sent")
	case i.Role == auth.RoleGuest:
		return g.guest(i.UserID), nil
	}
	return g.User(ctx, i.UserID)
}

// User returns an account; fault.NotFound when there is none of that id.
func (g *Gallery) User(ctx context.Context, id uuid.UUID) (*ent.User, error) {
	u, err := g.db.User.Get(ctx, id)
	return u, translate(err)
}

// Users returns accounts in the order of their making, and how many match in all. search looks into
// usernames and display names, without case. A limit of 0 is no limit but 1000.
func (g *Gallery) Users(ctx context.Context, offset, limit int, search string) ([]*ent.User, int, error) {
	if err := errors.Join(notNegative("offset", offset), notNegative("limit", limit), lookup("search", search)); err != nil {
		return nil, 0, err
	}
	if limit == 0 || limit > maxUsers {
		limit = maxUsers
	}
	var where []predicate.User
	if search = strings.TrimSpace(search); search != "" {
		where = append(where, user.Or(user.UsernameKeyContains(usernameKey(search)), user.DisplayNameContainsFold(search)))
	}
	total, err := g.db.User.Query().Where(where...).Count(ctx)
	if err != nil {
		return nil, 0, translate(err)
	}
	list, err := g.db.User.Query().Where(where...).Order(user.ByCreatedAt(), user.ByID()).Offset(offset).Limit(limit).All(ctx)
	return list, total, translate(err)
}

// CreateUser makes an account; fault.UsernameExists when the name is taken. An API token may not.
func (g *Gallery) CreateUser(ctx context.Context, in CreateUserInput) (*ent.User, error) {
	if err := loggedIn(ctx); err != nil {
		return nil, err
	}
	u, err := g.insertUser(ctx, in, ActionUserCreate)
	if err == nil {
		g.setup.mu.Lock()
		g.setup.token = ""
		g.setup.mu.Unlock()
	}
	return u, err
}

func (g *Gallery) insertUser(ctx context.Context, in CreateUserInput, action Action) (*ent.User, error) {
	username, err := checkUsername(in.Username)
	if err != nil {
		return nil, err
	}
	display, err := checkDisplayName(in.DisplayName)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkRole(in.Role), auth.CheckPassword(in.Password, username)); err != nil {
		return nil, err
	}
	hash, err := g.passwords.Hash(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	now := g.config.Now()
	var u *ent.User
	err = g.tx(ctx, func(tx *ent.Tx) error {
		u, err = tx.User.Create().SetUsername(username).SetUsernameKey(usernameKey(username)).SetDisplayName(display).
			SetPasswordHash(hash).SetRole(user.Role(in.Role)).SetCreatedAt(now).SetUpdatedAt(now).Save(ctx)
		if err != nil {
			return nameTaken(err, username)
		}
		e := event{action: action, target: userTarget(u.ID), after: userFacts(u)}
		if action == ActionUserRegister {
			e.actor = u
		}
		return g.record(ctx, tx, e)
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// userFacts are what the audit log says of an account.
func userFacts(u *ent.User) facts {
	return facts{"username": u.Username, "displayName": u.DisplayName, "role": u.Role, "isActive": u.IsActive}
}

func nameTaken(err error, username string) error {
	if ent.IsConstraintError(err) {
		f := fault.Wrap(err, fault.UsernameExists, "the username %s is taken", username)
		f.Field = "username"
		return f
	}
	return translate(err)
}

// loggedIn returns fault.Forbidden when an API token proved the identity in ctx: who may come in, and with
// what, is changed by people who logged in, so that a token that leaked cannot outlive its revocation.
func loggedIn(ctx context.Context) error {
	if auth.FromContext(ctx).APIToken {
		return fault.New(fault.Forbidden, "an API token cannot change accounts, passwords or tokens, log in for that")
	}
	return nil
}

// target returns the account that a change is meant for: the caller's own, or with admin scope another one.
// An API token may change none.
func target(ctx context.Context, userID *uuid.UUID) (id uuid.UUID, own bool, err error) {
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
		return id, false, fault.New(fault.Forbidden, "changing somebody else's account needs admin scope")
	}
	return *userID, false, nil
}

// UpdateProfile changes the caller's account, or with admin scope that of userID. A new role needs
// admin scope, ends the account's tokens, and is fault.Conflict for the last active admin.
func (g *Gallery) UpdateProfile(ctx context.Context, userID *uuid.UUID, in UpdateProfileInput) (*ent.User, error) {
	id, _, err := target(ctx, userID)
	if err != nil {
		return nil, err
	}
	if in.Role != nil && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return nil, fault.OnField(fault.Forbidden, "role", "changing a role needs admin scope")
	}
	var changed *ent.User
	err = g.tx(ctx, func(tx *ent.Tx) error {
		changed, err = g.updateProfile(ctx, tx, id, in)
		return err
	})
	return changed, err
}

func (g *Gallery) updateProfile(ctx context.Context, tx *ent.Tx, id uuid.UUID, in UpdateProfileInput) (*ent.User, error) {
	u, err := lockUser(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	update := tx.User.UpdateOne(u).SetUpdatedAt(g.config.Now())
	if in.DisplayName != nil {
		name, err := checkDisplayName(*in.DisplayName)
		if err != nil {
			return nil, err
		}
		update.SetDisplayName(name)
	}
	username := u.Username
	if in.Username != nil {
		if username, err = checkUsername(*in.Username); err != nil {
			return nil, err
		}
		update.SetUsername(username).SetUsernameKey(usernameKey(username))
	}
	if in.Role != nil && user.Role(*in.Role) != u.Role {
		if err := checkRole(*in.Role); err != nil {
			return nil, err
		}
		if err := anotherAdmin(ctx, tx, u); err != nil {
			return nil, err
		}
		update.SetRole(user.Role(*in.Role)).AddTokenVersion(1)
	}
	before := userFacts(u)
	u, err = update.Save(ctx)
	if err != nil {
		return nil, nameTaken(err, username)
	}
	return u, g.record(ctx, tx, event{action: ActionUserUpdate, target: userTarget(id), before: before, after: userFacts(u)})
}
