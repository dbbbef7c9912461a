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
	NoPasswords  bool             // people can only sign in through providers; see EmergencyPassword
	PublicURL    string           // public URL of the application, for passkeys; empty: the host of the request
	LinkIssuers  []string         // issuers that link accounts by e-mail; if any, people cannot choose a username with an @
	HashMemory   uint32           // KiB of memory for a new password hash; 0 is auth.DefaultHashMemory
	Mail         *mail.Mailer     // nil: the server sends no e-mail
	Now          func() time.Time // nil is time.Now
}

// Accounts manages the users in one database. Create it with New. All methods are safe for concurrent use and
// return fault errors.
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

// New returns the accounts of a migrated database. If there are no accounts yet, SetupToken returns the token
// for registering the first admin.
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

// RotateKeys creates a new key for signing tokens. Tokens of the previous key are accepted until they expire.
// It returns fault.Conflict if the settings contain the token secret.
func (a *Accounts) RotateKeys(ctx context.Context) error {
	if err := a.keys.Rotate(); err != nil {
		return err
	}
	a.audit.RecordDone(ctx, audit.Event{Action: audit.ActionKeysRotate, Target: "keys"})
	return nil
}
