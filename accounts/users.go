package accounts

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// maxUsers is the maximum number of accounts in one listing.
const maxUsers = 1000

// CreateUserInput describes an account that an admin creates.
type CreateUserInput struct {
	DisplayName, Username, Password string
	Email                           string    // empty: no address
	Role                            auth.Role // admin or user

	first bool // fail if there is an account already
}

// Me returns the account of the identity in ctx. The account of a guest is not in the database.
func (a *Accounts) Me(ctx context.Context) (*ent.User, error) {
	i := auth.FromContext(ctx)
	switch {
	case i.IsAnonymous():
		return nil, fault.New(fault.Unauthenticated, "no token was sent")
	case i.Role == auth.RoleGuest:
		return a.guest(i.UserID), nil
	}
	return a.User(ctx, i.UserID)
}

// User returns an account. It returns fault.NotFound if the account does not exist.
func (a *Accounts) User(ctx context.Context, id uuid.UUID) (*ent.User, error) {
	u, err := a.db.User.Get(ctx, id)
	return u, missingUser(err)
}

// missingUser is database.Missing for a user.
func missingUser(err error) error { return database.Missing(err, "the user", "") }

// userTarget returns the target of audit events about a user.
func userTarget(id uuid.UUID) string { return "user:" + id.String() }

// Users returns accounts, oldest first, and the total number of matches. search matches usernames and display
// names, ignoring case. A limit of 0 means 1000.
func (a *Accounts) Users(ctx context.Context, offset, limit int, search string) ([]*ent.User, int, error) {
	err := errors.Join(
		database.CheckNotNegative("offset", offset),
		database.CheckNotNegative("limit", limit),
		database.CheckSearchText("search", search),
	)
	if err != nil {
		return nil, 0, err
	}
	if limit == 0 || limit > maxUsers {
		limit = maxUsers
	}
	var where []predicate.User
	if search = strings.TrimSpace(search); search != "" {
		where = append(
			where,
			user.Or(user.UsernameKeyContains(usernameKey(search)), user.DisplayNameContainsFold(search)),
		)
	}
	total, err := a.db.User.Query().Where(where...).Count(ctx)
	if err != nil {
		return nil, 0, database.Translate(err)
	}
	list, err := a.db.User.Query().
		Where(where...).
		Order(user.ByCreatedAt(), user.ByID()).
		Offset(offset).
		Limit(limit).
		All(ctx)
	return list, total, database.Translate(err)
}

// CreateUser creates an account. It returns fault.UsernameExists if the name is taken, and fault.Forbidden
// for API tokens.
func (a *Accounts) CreateUser(ctx context.Context, in CreateUserInput) (*ent.User, error) {
	if err := loggedIn(ctx); err != nil {
		return nil, err
	}
	u, err := a.insertUser(ctx, in, audit.ActionUserCreate)
	if err == nil {
		a.setup.spend()
	}
	return u, err
}

// lockNames prevents other transactions, on all servers, from creating or renaming accounts until this
// transaction ends. Otherwise two concurrent ones could both create the first account, or names that look
// alike.
func (a *Accounts) lockNames(ctx context.Context, tx *ent.Tx) error {
	return a.db.LockNames(ctx, tx.Client(), "accounts")
}

// errNotFirst is the error for an account that was meant to be the first, but is not.
var errNotFirst = fault.OnField(fault.Forbidden, "setupToken", "the first account exists already")

// checkFirst returns errNotFirst if there is an account. The caller must hold lockNames.
func checkFirst(ctx context.Context, tx *ent.Tx) error {
	any, err := tx.User.Query().Exist(ctx)
	if err == nil && any {
		return errNotFirst
	}
	return err
}

func (a *Accounts) insertUser(ctx context.Context, in CreateUserInput, action audit.Action) (*ent.User, error) {
	username, err := checkNewUsername(in.Username)
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
	if in.Email != "" {
		if in.Email, err = mail.CheckAddress(in.Email, "email"); err != nil {
			return nil, err
		}
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	now := a.config.Now()
	var u *ent.User
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := a.lockNames(ctx, tx); err != nil {
			return err
		}
		if in.first {
			if err := checkFirst(ctx, tx); err != nil {
				return err
			}
		}
		if err := checkLookalikes(ctx, tx, username, uuid.Nil); err != nil {
			return err
		}
		create := tx.User.Create().SetUsername(username).SetUsernameKey(usernameKey(username)).SetDisplayName(display).
			SetPasswordHash(hash).SetRole(user.Role(in.Role)).SetCreatedAt(now).SetUpdatedAt(now)
		if in.Email != "" {
			if err := a.applyEmail(ctx, tx, create.Mutation(), uuid.Nil, in.Email); err != nil {
				return err
			}
		}
		u, err = create.Save(ctx)
		if err != nil {
			return nameTaken(err, username)
		}
		e := audit.Event{Action: action, Target: userTarget(u.ID), After: userFacts(u)}
		if action == audit.ActionUserRegister {
			e.Actor = u
		}
		return a.audit.Record(ctx, tx, e)
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// userFacts describes an account for the audit log.
func userFacts(u *ent.User) audit.Facts {
	facts := audit.Facts{
		"username": u.Username, "displayName": u.DisplayName, "role": u.Role, "isActive": u.IsActive,
	}
	if u.Email != "" {
		facts["email"] = u.Email
	}
	return facts
}

// checkLookalikes returns fault.UsernameExists if a new name could be mistaken for that of an account other
// than self. The database itself checks for equal names. The caller must hold lockNames.
func checkLookalikes(ctx context.Context, tx *ent.Tx, username string, self uuid.UUID) error {
	var names []struct {
		ID       uuid.UUID
		Username string
	}
	if err := tx.User.Query().Select(user.FieldID, user.FieldUsername).Scan(ctx, &names); err != nil {
		return err
	}
	skeleton := auth.Skeleton(username)
	for _, n := range names {
		if n.ID != self && auth.Skeleton(n.Username) == skeleton && usernameKey(n.Username) != usernameKey(username) {
			return fault.OnField(
				fault.UsernameExists, "username", "the username %s looks like that of another account",
				username,
			)
		}
	}
	return nil
}

// takenNames returns a function that reports whether an account has a name, or one that could be mistaken for
// it. The caller must hold lockNames.
func takenNames(ctx context.Context, tx *ent.Tx) (func(name string) bool, error) {
	names, err := tx.User.Query().Select(user.FieldUsername).Strings(ctx)
	if err != nil {
		return nil, err
	}
	taken := make(map[string]bool, 2*len(names))
	for _, name := range names {
		taken["key "+usernameKey(name)], taken["skeleton "+auth.Skeleton(name)] = true, true
	}
	return func(name string) bool {
		return taken["key "+usernameKey(name)] || taken["skeleton "+auth.Skeleton(name)]
	}, nil
}

func nameTaken(err error, username string) error {
	if ent.IsConstraintError(err) {
		f := fault.Wrap(err, fault.UsernameExists, "the username %s is taken", username)
		f.Field = "username"
		return f
	}
	return database.Translate(err)
}
