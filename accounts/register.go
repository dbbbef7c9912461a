package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"sync/atomic"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// RegisterInput describes a new account. SetupToken is required while no account exists.
type RegisterInput struct{ DisplayName, Username, Password, SetupToken string }

// setupToken allows one caller to register the first admin. The zero value is used up.
type setupToken struct{ token atomic.Pointer[string] }

// get returns the token; empty once it is used up.
func (t *setupToken) get() string {
	if token := t.token.Load(); token != nil {
		return *token
	}
	return ""
}

func (t *setupToken) set(token string) { t.token.Store(&token) }

func (t *setupToken) spend() { t.token.Store(nil) }

func (a *Accounts) loadSetupToken(ctx context.Context) error {
	any, err := a.db.User.Query().Exist(ctx)
	if err == nil && !any {
		a.setup.set(rand.Text())
	}
	return err
}

// SetupToken returns the token for registering the first admin; empty once there is an account.
func (a *Accounts) SetupToken() string { return a.setup.get() }

// Register creates an account and logs it in. While there is no account it creates the first admin and requires the
// setup token, else fault.Forbidden; later it creates a user if registration is on, else fault.RegistrationDisabled.
func (a *Accounts) Register(ctx context.Context, in RegisterInput) (*Session, error) {
	u, err := a.register(ctx, in)
	if errors.Is(err, errNotFirst) { // another request or server created the first account meanwhile
		u, err = a.register(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	return a.begin(ctx, &login{user: u, unrecorded: true})
}

// register creates an account: the first admin, or a user. errNotFirst if it was to be the first admin and another
// account was created meanwhile. It holds no lock while it computes the hash of the password, which is slow.
func (a *Accounts) register(ctx context.Context, in RegisterInput) (*ent.User, error) {
	role, err := a.roleToRegister(ctx, in.SetupToken)
	if err != nil {
		return nil, err
	}
	first := role == auth.RoleAdmin
	if !first {
		if err := a.checkOwnAddress(in.Username); err != nil {
			return nil, err
		}
	}
	u, err := a.insertUser(
		ctx,
		CreateUserInput{
			DisplayName: in.DisplayName,
			Username:    in.Username,
			Password:    in.Password,
			Role:        role,
			first:       first,
		},
		audit.ActionUserRegister,
	)
	if first && (err == nil || errors.Is(err, errNotFirst)) {
		a.setup.spend()
	}
	return u, err
}

// roleToRegister returns the role of the next account that registers: admin for the first one, with the setup token.
func (a *Accounts) roleToRegister(ctx context.Context, given string) (auth.Role, error) {
	if err := a.spendSetupToken(ctx); err != nil {
		return "", err
	}
	token := a.setup.get()
	switch {
	case token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1:
		return auth.RoleAdmin, nil
	case token != "":
		return "", fault.OnField(
			fault.Forbidden, "setupToken",
			"the first account needs the setup token that the server printed when it started",
		)
	case !a.config.Registration || a.config.NoPasswords:
		return "", fault.New(fault.RegistrationDisabled, "registration is off")
	}
	return auth.RoleUser, nil
}

// spendSetupToken drops the setup token if there is an account by now, which another process may have created.
func (a *Accounts) spendSetupToken(ctx context.Context) error {
	if a.setup.get() == "" {
		return nil
	}
	any, err := a.db.User.Query().Exist(ctx)
	if err == nil && any {
		a.setup.spend()
	}
	return database.Translate(err)
}

// EnsureAdmin creates an admin if there is no account at all. An empty password is replaced by a generated one, which
// it returns. created is false if there is an account already.
func (a *Accounts) EnsureAdmin(
	ctx context.Context,
	username, password string,
) (created bool, generated string, err error) {
	if any, err := a.db.User.Query().Exist(ctx); err != nil || any {
		return false, "", database.Translate(err)
	}
	if password == "" {
		generated = auth.GeneratePassword(username)
		password = generated
	}
	_, err = a.insertUser(
		ctx,
		CreateUserInput{
			DisplayName: username,
			Username:    username,
			Password:    password,
			Role:        auth.RoleAdmin,
			first:       true,
		},
		audit.ActionUserCreate,
	)
	if err != nil && !errors.Is(err, errNotFirst) {
		return false, "", err
	}
	a.setup.spend()
	if err != nil {
		return false, "", nil // another server was first
	}
	return true, generated, nil
}
