package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"sync"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// RegisterInput describes a new account. SetupToken is required while no account exists.
type RegisterInput struct{ DisplayName, Username, Password, SetupToken string }

// setupToken lets one caller register the first admin. The zero value is used up.
type setupToken struct {
	mu    sync.Mutex
	token string
}

func (a *Accounts) loadSetupToken(ctx context.Context) error {
	any, err := a.db.User.Query().Exist(ctx)
	if err == nil && !any {
		a.setup.token = rand.Text()
	}
	return err
}

// SetupToken returns the token for registering the first admin; empty once there is an account.
func (a *Accounts) SetupToken() string {
	a.setup.mu.Lock()
	defer a.setup.mu.Unlock()
	return a.setup.token
}

// Register creates an account and logs it in. While there is no account it creates the first admin and requires the setup
// token, else fault.Forbidden; later it creates a user if registration is on, else fault.RegistrationDisabled.
func (a *Accounts) Register(ctx context.Context, in RegisterInput) (*Session, error) {
	// held to the end: concurrent requests with the token create one admin only
	a.setup.mu.Lock()
	defer a.setup.mu.Unlock()
	if err := a.spendSetupToken(ctx); err != nil {
		return nil, err
	}
	role := auth.RoleUser
	switch {
	case a.setup.token != "":
		if subtle.ConstantTimeCompare([]byte(in.SetupToken), []byte(a.setup.token)) != 1 {
			return nil, fault.OnField(fault.Forbidden, "setupToken", "the first account needs the setup token that the server printed when it started")
		}
		role = auth.RoleAdmin
	case !a.config.Registration:
		return nil, fault.New(fault.RegistrationDisabled, "registration is off")
	}
	u, err := a.insertUser(ctx, CreateUserInput{DisplayName: in.DisplayName, Username: in.Username, Password: in.Password, Role: role, first: role == auth.RoleAdmin}, audit.ActionUserRegister)
	if err != nil {
		return nil, err
	}
	a.setup.token = ""
	return a.session(u)
}

// spendSetupToken drops the setup token if there is an account by now, which another process may have created. The caller
// holds setup.mu.
func (a *Accounts) spendSetupToken(ctx context.Context) error {
	if a.setup.token == "" {
		return nil
	}
	any, err := a.db.User.Query().Exist(ctx)
	if err == nil && any {
		a.setup.token = ""
	}
	return database.Translate(err)
}

// EnsureAdmin creates an admin if there is no account at all. An empty password is replaced by a generated one, which it
// returns. created is false if there is an account already.
func (a *Accounts) EnsureAdmin(ctx context.Context, username, password string) (created bool, generated string, err error) {
	a.setup.mu.Lock()
	defer a.setup.mu.Unlock()
	if any, err := a.db.User.Query().Exist(ctx); err != nil || any {
		return false, "", database.Translate(err)
	}
	if password == "" {
		generated = auth.GeneratePassword(username)
		password = generated
	}
	if _, err := a.insertUser(ctx, CreateUserInput{DisplayName: username, Username: username, Password: password, Role: auth.RoleAdmin, first: true}, audit.ActionUserCreate); fault.CodeOf(err) == fault.Forbidden {
		a.setup.token = ""
		return false, "", nil // another server was first
	} else if err != nil {
		return false, "", err
	}
	a.setup.token = ""
	return true, generated, nil
}
