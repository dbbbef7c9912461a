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

// setupToken allows a single caller to register the first admin. The zero value is already used.
type setupToken struct{ token atomic.Pointer[string] }

// get returns the token, or an empty text once it is used.
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

// SetupToken returns the token for registering the first admin. It is empty once there is an account.
func (a *Accounts) SetupToken() string { return a.setup.get() }

// Register creates an account and logs in. If there is no account yet, it creates the first admin and
// requires the setup token; otherwise it returns fault.Forbidden. Later, it creates a user if registration is
// on; otherwise it returns fault.RegistrationDisabled.
func (a *Accounts) Register(ctx context.Context, in RegisterInput) (*Session, error) {
	u, err := a.register(ctx, in)
	if errors.Is(err, errNotFirst) { // another request or server has created the first account
		u, err = a.register(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	return a.begin(ctx, &login{user: u, unrecorded: true})
}

// register creates an account: the first admin, or a user. It returns errNotFirst if the account would be the
// first admin and another account was created in the meantime. It holds no lock while it hashes the password,
// which is slow.
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

// roleToRegister returns the role of the next account that registers. The first one, with the setup token,
// becomes an admin.
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

// spendSetupToken invalidates the setup token if there is an account, which another process may have created.
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

// EnsureAdmin creates an admin if there is no account. If the password is empty, it generates and returns
// one. created is false if there is an account already.
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
		return false, "", nil // another server was faster
	}
	return true, generated, nil
}
