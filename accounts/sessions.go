package accounts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// Session is the response of login, refresh, guest and register, in the JSON of the API.
type Session struct {
	Token     string      `json:"token"`
	ExpiresIn int64       `json:"expiresIn"` // seconds
	User      SessionUser `json:"user"`
}

// SessionUser is the owner of a session.
type SessionUser struct {
	ID          uuid.UUID `json:"id"`
	DisplayName string    `json:"displayName"`
	Username    string    `json:"username"`
	Role        auth.Role `json:"role"`
}

// Login returns a session for a name and its password. address is the caller's, for the limit of failures:
// fault.RateLimited with RetryAfter. An unknown name, a wrong password and a deactivated account all return the same
// fault.LoginFailed after the same work.
func (a *Accounts) Login(ctx context.Context, username, password, address string) (*Session, error) {
	if auth.AddressFrom(ctx) == "" {
		ctx = auth.WithAddress(ctx, address)
	}
	ctx = database.Essential(ctx)
	var u *ent.User
	ok, err := a.logins.Attempt(ctx, address, usernameKey(username), func() (ok bool, err error) {
		u, ok, err = a.verify(ctx, username, password)
		return ok, err
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, a.loginFailed(ctx, u)
	}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := tx.User.UpdateOne(u).SetLastLoginAt(a.config.Now()).SetUpdatedAt(u.UpdatedAt).Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionLogin, Target: userTarget(u.ID), Actor: u})
	})
	if err != nil {
		return nil, err
	}
	return a.session(u, "")
}

// verify returns the account of a name, nil if there is none, and whether the account is active and the password
// correct.
func (a *Accounts) verify(ctx context.Context, username, password string) (*ent.User, bool, error) {
	u, err := a.db.User.Query().Where(user.UsernameKey(usernameKey(username))).Only(ctx)
	if err != nil && !ent.IsNotFound(err) && !database.IsInvalidText(err) {
		return nil, false, database.Translate(err)
	}
	hash := ""
	if u != nil {
		hash = u.PasswordHash
	}
	ok, err := a.passwords.Verify(ctx, hash, password)
	return u, ok && u.IsActive, err
}

// loginFailed records an attempt and returns fault.LoginFailed. An unknown name is not recorded: people type passwords
// into that field.
func (a *Accounts) loginFailed(ctx context.Context, u *ent.User) error {
	e := audit.Event{Action: audit.ActionLoginFailed}
	if u != nil {
		e.Target = userTarget(u.ID)
		e.After = audit.Facts{"isActive": u.IsActive}
	}
	err := a.db.Transact(ctx, func(tx *ent.Tx) error { return a.audit.Record(ctx, tx, e) })
	if err != nil {
		return err
	}
	return fault.New(fault.LoginFailed, "Invalid credentials")
}

// session returns a new token for a session; an empty id begins one.
func (a *Accounts) session(u *ent.User, id string) (*Session, error) {
	token, _, err := a.keys.Issue(
		auth.Subject{UserID: u.ID, Role: auth.Role(u.Role), Version: u.TokenVersion, Session: id},
	)
	if err != nil {
		return nil, err
	}
	return &Session{Token: token, ExpiresIn: int64(a.keys.Lifetime().Seconds()), User: *sessionUser(u)}, nil
}

func sessionUser(u *ent.User) *SessionUser {
	return &SessionUser{ID: u.ID, DisplayName: u.DisplayName, Username: u.Username, Role: auth.Role(u.Role)}
}

// Refresh returns a new token of the same session for a valid token, which stays valid until it expires or the session
// ends; fault.Unauthenticated for any other.
func (a *Accounts) Refresh(ctx context.Context, token string) (*Session, error) {
	claims, err := a.keys.Parse(token)
	if err != nil {
		return nil, err
	}
	// the new token gets the version that was checked: a version read later could be that of a LogoutEverywhere in
	// between
	u, err := a.tokenOwner(ctx, claims)
	if err != nil {
		return nil, err
	}
	return a.session(u, claims.SessionID())
}

// guest returns an account that is not in the database.
func (a *Accounts) guest(id uuid.UUID) *ent.User {
	now := a.config.Now()
	return &ent.User{
		ID:          id,
		DisplayName: "Guest",
		Username:    "guest",
		Role:        user.Role(auth.RoleGuest),
		IsActive:    true,
		CreatedAt:   now,
		UpdatedAt:   now,
	}
}

// GuestSession returns a session of role guest; fault.GuestDisabled if guest mode is off.
func (a *Accounts) GuestSession(context.Context) (*Session, error) {
	if !a.config.Guest {
		return nil, fault.New(fault.GuestDisabled, "guest mode is off")
	}
	return a.session(a.guest(uuid.New()), "")
}

// refreshTime is the max duration of a refresh. A refresh that checks its session just before a logout may issue a
// token just after it, so a session is kept as revoked for longer than the lifetime of a token.
const refreshTime = time.Hour

const insertRevokedToken = "INSERT INTO revoked_tokens (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"

// Logout ends the session that authenticated ctx: all its tokens are refused from now on. It revokes an API token.
func (a *Accounts) Logout(ctx context.Context) error {
	i := auth.FromContext(ctx)
	if i.TokenID == "" {
		return fault.New(fault.Unauthenticated, "no token was sent")
	}
	if i.APIToken {
		return a.revokeOwn(ctx, i)
	}
	now := a.config.Now()
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		// No token of the session expires later than this. The session may have logged out before, with another token.
		until := now.Add(a.keys.Lifetime() + refreshTime)
		_, err := tx.ExecContext(ctx, a.db.Numbered(insertRevokedToken), i.Session, until)
		if err != nil {
			return err
		}
		if _, err := tx.RevokedToken.Delete().Where(revokedtoken.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionLogout, Target: userTarget(i.UserID)})
	})
}

// SessionUser returns the caller and its scopes; fault.Unauthenticated if there is no identity in ctx.
func (a *Accounts) SessionUser(ctx context.Context) (*SessionUser, []auth.Scope, error) {
	u, err := a.Me(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sessionUser(u), auth.FromContext(ctx).Scopes, nil
}

// LogoutEverywhere ends all sessions of the caller, the current one too, or with admin scope those of
// userID; with apiTokens it revokes the account's API tokens as well.
func (a *Accounts) LogoutEverywhere(ctx context.Context, userID *uuid.UUID, apiTokens bool) error {
	id, _, err := owner(ctx, userID)
	if err != nil {
		return err
	}
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		if err := tx.User.UpdateOneID(id).AddTokenVersion(1).SetUpdatedAt(a.config.Now()).Exec(ctx); err != nil {
			return missingUser(err)
		}
		if apiTokens {
			if err := a.revokeTokens(ctx, tx, id); err != nil {
				return err
			}
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionLogoutEverywhere,
			Target: userTarget(id),
			After:  audit.Facts{"apiTokens": apiTokens},
		})
	})
}
