// Package accounts manages users, sessions, API tokens and saved searches: registration, login, logout, passwords and
// authentication. It is the only writer of their tables. Package auth signs tokens; graph enforces scopes, accounts
// enforces ownership.
package accounts

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/mail"
)

// Config is the configuration of accounts.
type Config struct {
	Guest        bool             // guest sessions are available
	Registration bool             // anyone may register
	NoPasswords  bool             // people sign in through providers only; see EmergencyPassword
	PublicURL    string           // of the application, for which passkeys are made; empty: the request's host
	LinkIssuers  []string         // that link by e-mail; with any, nobody takes a username with an @ by themselves
	HashMemory   uint32           // KiB of a new password hash; 0 is auth.DefaultHashMemory
	Mail         *mail.Mailer     // nil: the server sends no e-mail
	Now          func() time.Time // nil is time.Now
}

// Accounts are the users of one database. Make it with New. Every method is safe for concurrent use and returns fault
// errors.
type Accounts struct {
	config    Config
	db        *database.DB
	audit     *audit.Log
	keys      *auth.Keyring
	log       *slog.Logger
	passwords *auth.Passwords
	logins    *auth.Failures
	setup     setupToken
}

// New returns the accounts of a migrated database. If there are none, SetupToken returns the token for registering the
// first admin.
func New(
	ctx context.Context,
	c Config,
	db *database.DB,
	events *audit.Log,
	keys *auth.Keyring,
	log *slog.Logger,
) (*Accounts, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HashMemory == 0 {
		c.HashMemory = auth.DefaultHashMemory
	}
	a := &Accounts{config: c, db: db, audit: events, keys: keys, log: log,
		passwords: auth.NewPasswords(auth.ParallelHashes(runtime.GOMAXPROCS(0)), c.HashMemory),
		logins:    auth.NewFailures(c.Now),
	}
	if err := a.loadSetupToken(ctx); err != nil {
		return nil, fmt.Errorf("looking for accounts: %w", err)
	}
	return a, nil
}

// RotateKeys creates a new key that signs tokens from now on; tokens of the previous key are accepted until they
// expire. fault.Conflict if the settings name the secret.
func (a *Accounts) RotateKeys(ctx context.Context) error {
	if err := a.keys.Rotate(); err != nil {
		return err
	}
	a.audit.RecordDone(ctx, audit.Event{Action: audit.ActionKeysRotate, Target: "keys"})
	return nil
}
