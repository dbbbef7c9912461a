package accounts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// Session is the response of login, refresh, guest and register, in the JSON format of the API. For a login
// that needs a second factor, only Pending is set.
type Session struct {
	Token     string        `json:"token,omitempty"`
	ExpiresIn int64         `json:"expiresIn,omitempty"` // seconds
	User      SessionUser   `json:"user,omitzero"`
	Pending   *PendingLogin `json:"secondFactor,omitempty"`
}

// SessionUser is the owner of a session.
type SessionUser struct {
	ID          uuid.UUID `json:"id"`
	DisplayName string    `json:"displayName"`
	Username    string    `json:"username"`
	Role        auth.Role `json:"role"`
}

// Login returns a session for a name and its password, or a pending login if a second factor is required.
// address is the caller's address, for the limit of failures. It returns fault.RateLimited with RetryAfter
// beyond the limit. For an unknown name, a wrong password and a deactivated account, it returns the same
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
	l := &login{user: u}
	if a.config.NoPasswords {
		l.change = func(tx *ent.Tx) error { return a.spendEmergency(ctx, tx, password) }
		l.facts = audit.Facts{"emergency": true}
	}
	session, err := a.begin(ctx, l)
	if errors.Is(err, errSpent) {
		return nil, a.loginFailed(ctx, u)
	}
	return session, err
}

// verify returns the account with a name, or nil. It also reports whether the account is active and the
// password correct.
func (a *Accounts) verify(ctx context.Context, username, password string) (*ent.User, bool, error) {
	u, err := a.db.User.Query().Where(user.UsernameKey(usernameKey(username))).Only(ctx)
	if err != nil && !ent.IsNotFound(err) && !database.IsInvalidText(err) {
		return nil, false, database.Translate(err)
	}
	if a.config.NoPasswords {
		return u, u != nil && u.IsActive && a.isEmergency(u, password), nil
	}
	hash := ""
	if u != nil {
		hash = u.PasswordHash
	}
	ok, err := a.passwords.Verify(ctx, hash, password)
	return u, ok && u.IsActive, err
}

// loginFailed records a failed attempt and returns fault.LoginFailed. It does not record unknown names,
// because people sometimes type passwords into that field.
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

// maxSessions is the maximum number of sessions of an account. A login beyond it ends the least recently used
// session.
const maxSessions = 50

// login describes how a session starts. user must be in the state in which the caller was authenticated: the
// session does not start if all sessions of the account have ended since then.
type login struct {
	user            *ent.User
	provider        string              // provider that was used; empty: a password or a passkey
	passkey         *uuid.UUID          // passkey that was used; nil: no passkey
	providerSession string              // session id at the provider
	change          func(*ent.Tx) error // executed in the same transaction; nil: nothing
	facts           audit.Facts         // for the audit event of the login
	unrecorded      bool                // another audit event describes the start of the session
	confirmed       bool                // a second factor was confirmed
}

// begin stores a new session of an account, or returns a pending login if a second factor is missing. It
// executes the change of the login in the same transaction.
func (a *Accounts) begin(ctx context.Context, l *login) (*Session, error) {
	u, id, now := l.user, uuid.New(), a.config.Now()
	var missing *PendingLogin
	err := a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		missing = nil
		stored, err := lockOne(ctx, tx, u.ID) // only one of two logins may take the last place
		if err != nil {
			return err
		}
		if l.change != nil {
			if err := l.change(tx); err != nil {
				return err
			}
		}
		if missing, err = a.missingFactor(ctx, tx, stored, l); err != nil || missing != nil {
			return err
		}
		if !l.unrecorded {
			if err := a.recordLogin(ctx, tx, u, l.facts); err != nil {
				return err
			}
		}
		var confirmedAt *time.Time
		if l.confirmed || !stored.SecondFactor {
			confirmedAt = &now
		}
		if err := a.makeRoom(ctx, tx, u.ID, now); err != nil {
			return err
		}
		return tx.Session.Create().
			SetID(id).
			SetUserID(u.ID).
			SetVersion(u.TokenVersion).
			SetUserAgent(userAgent(ctx)).
			SetAddress(auth.AddressFrom(ctx)).
			SetProvider(l.provider).
			SetProviderSession(l.providerSession).
			SetNillablePasskeyID(l.passkey).
			SetNillableConfirmedAt(confirmedAt).
			SetCreatedAt(now).
			SetLastUsedAt(now).
			SetExpiresAt(now.Add(a.keys.Lifetime())).
			Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	if missing != nil {
		return &Session{Pending: missing}, nil
	}
	return a.issue(u, id)
}

// missingFactor returns a pending login if a second factor is required. A sign-in through a provider counts
// as a second factor, unless the policy says otherwise.
func (a *Accounts) missingFactor(ctx context.Context, tx *ent.Tx, u *ent.User, l *login) (*PendingLogin, error) {
	if l.confirmed {
		return nil, nil
	}
	policy, err := a.keepPolicy(ctx, tx)
	if err != nil || l.provider != "" && !policy.Providers {
		return nil, err
	}
	if u.SecondFactor || policy.needs(u.Role) {
		return a.pend(ctx, tx, u, l, !u.SecondFactor)
	}
	return nil, nil
}

// makeRoom deletes all expired sessions, and the least recently used sessions of an account that has too
// many.
func (a *Accounts) makeRoom(ctx context.Context, tx *ent.Tx, userID uuid.UUID, now time.Time) error {
	if _, err := tx.Session.Delete().Where(session.ExpiresAtLTE(now)).Exec(ctx); err != nil {
		return err
	}
	old, err := tx.Session.Query().
		Where(session.UserID(userID)).
		Order(session.ByLastUsedAt(entsql.OrderDesc()), session.ByID()).
		Offset(maxSessions - 1).
		IDs(ctx)
	if err != nil || len(old) == 0 {
		return err
	}
	_, err = tx.Session.Delete().Where(session.IDIn(old...)).Exec(ctx)
	return err
}

// userAgent returns the first 256 bytes of the user agent in ctx.
func userAgent(ctx context.Context) string {
	agent := auth.UserAgentFrom(ctx)
	return strings.ToValidUTF8(strings.ReplaceAll(agent[:min(len(agent), 256)], "\x00", ""), "")
}

// issue returns a new token of a session.
func (a *Accounts) issue(u *ent.User, id uuid.UUID) (*Session, error) {
	token, _, err := a.keys.Issue(auth.Subject{UserID: u.ID, Role: auth.Role(u.Role), Session: id})
	if err != nil {
		return nil, err
	}
	return &Session{Token: token, ExpiresIn: int64(a.keys.Lifetime().Seconds()), User: *sessionUser(u)}, nil
}

func sessionUser(u *ent.User) *SessionUser {
	return &SessionUser{ID: u.ID, DisplayName: u.DisplayName, Username: u.Username, Role: auth.Role(u.Role)}
}

// Refresh returns a new token of the same session for a valid token. The old token stays valid until it
// expires or the session ends. It returns fault.Unauthenticated for any other token.
func (a *Accounts) Refresh(ctx context.Context, token string) (*Session, error) {
	claims, err := a.keys.Parse(token)
	if err != nil {
		return nil, err
	}
	s, err := a.sessionOf(ctx, claims)
	if err != nil {
		return nil, err
	}
	if claims.Role != auth.RoleGuest {
		now := a.config.Now()
		n, err := a.db.Session.Update().
			Where(session.ID(s.ID)).
			SetUserAgent(userAgent(ctx)).
			SetAddress(auth.AddressFrom(ctx)).
			SetLastUsedAt(now).
			SetExpiresAt(now.Add(a.keys.Lifetime())).
			Save(ctx)
		if err != nil {
			return nil, database.Translate(err)
		}
		if n == 0 {
			return nil, errEnded()
		}
	}
	return a.issue(s.Edges.User, s.ID)
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

// GuestSession returns a session with the role guest. It returns fault.GuestDisabled if guest mode is off.
func (a *Accounts) GuestSession(context.Context) (*Session, error) {
	if !a.config.Guest {
		return nil, fault.New(fault.GuestDisabled, "guest mode is off")
	}
	return a.issue(a.guest(uuid.New()), uuid.New())
}

// Logout ends the session that authenticated ctx. All its tokens become invalid. If ctx was authenticated by
// an API token, it revokes the token.
func (a *Accounts) Logout(ctx context.Context) error {
	i := auth.FromContext(ctx)
	if i.TokenID == "" {
		return fault.New(fault.Unauthenticated, "no token was sent")
	}
	if i.APIToken {
		return a.revokeOwn(ctx, i)
	}
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		end := a.endGuestSession
		if i.Role != auth.RoleGuest {
			end = endSession
		}
		if err := end(ctx, tx, i.Session); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionLogout, Target: userTarget(i.UserID)})
	})
}

// endSession deletes a session of an account. The session may have ended in the meantime.
func endSession(ctx context.Context, tx *ent.Tx, id string) error {
	sessionID, err := uuid.Parse(id)
	if err != nil {
		return err
	}
	_, err = tx.Session.Delete().Where(session.ID(sessionID)).Exec(ctx)
	return err
}

// deleteSessions deletes all sessions of an account. The caller must increment the account's token version:
// sessions that start concurrently have the old version and are invalid.
func deleteSessions(ctx context.Context, tx *ent.Tx, userID uuid.UUID) error {
	_, err := tx.Session.Delete().Where(session.UserID(userID)).Exec(ctx)
	return err
}

// refreshTime is the maximum duration of a refresh. A refresh that checks a guest session just before a
// logout may issue a token just after it. So the session is stored as revoked for longer than the lifetime of
// a token.
const refreshTime = time.Hour

// endGuestSession is endSession for a guest. Guest sessions only have a row after they have ended, until
// their tokens expire.
func (a *Accounts) endGuestSession(ctx context.Context, tx *ent.Tx, id string) error {
	_, err := a.useOnce(ctx, tx, id, a.config.Now().Add(a.keys.Lifetime()+refreshTime))
	return err
}

// SessionUser returns the caller and their scopes. It returns fault.Unauthenticated if there is no identity
// in ctx.
func (a *Accounts) SessionUser(ctx context.Context) (*SessionUser, []auth.Scope, error) {
	u, err := a.Me(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sessionUser(u), auth.FromContext(ctx).Scopes, nil
}

// EndSessions selects the sessions that LogoutEverywhere ends.
type EndSessions struct {
	UserID      *uuid.UUID // owner of the sessions, with admin scope; nil: the caller
	KeepCurrent bool       // keep the session that authenticated the caller
	APITokens   bool       // also revoke the account's API tokens
}

// LogoutEverywhere ends the sessions of an account, including those that are about to start. It returns
// fault.StepUpRequired for another account if the session was not confirmed.
func (a *Accounts) LogoutEverywhere(ctx context.Context, in EndSessions) error {
	id, own, err := owner(ctx, in.UserID)
	if err != nil {
		return err
	}
	if !own {
		if err := auth.CheckConfirmed(ctx); err != nil {
			return err
		}
	}
	keep := uuid.Nil
	if own && in.KeepCurrent {
		if keep, err = uuid.Parse(auth.FromContext(ctx).Session); err != nil {
			return err
		}
	}
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		u, err := tx.User.UpdateOneID(id).AddTokenVersion(1).SetUpdatedAt(a.config.Now()).Save(ctx)
		if err != nil {
			return missingUser(err)
		}
		_, err = tx.Session.Delete().Where(session.UserID(id), session.IDNEQ(keep)).Exec(ctx)
		if err != nil {
			return err
		}
		if keep != uuid.Nil {
			// Not if it has ended already, because it then has an older version.
			n, err := tx.Session.Update().
				Where(session.ID(keep), session.Version(u.TokenVersion-1)).
				SetVersion(u.TokenVersion).
				Save(ctx)
			if err != nil {
				return err
			}
			if n == 0 {
				return errEnded() // another request has ended it in the meantime
			}
		}
		if in.APITokens {
			if err := a.revokeTokens(ctx, tx, id); err != nil {
				return err
			}
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionLogoutEverywhere,
			Target: userTarget(id),
			After:  audit.Facts{"apiTokens": in.APITokens, "keepsCurrent": keep != uuid.Nil},
		})
	})
}

// EndSession ends a session of the caller, or any session with admin scope. It returns fault.NotFound if the
// session does not exist, fault.Forbidden for guests and API tokens, and fault.StepUpRequired for another
// account if the session was not confirmed.
func (a *Accounts) EndSession(ctx context.Context, id uuid.UUID) error {
	own, _, err := owner(ctx, nil)
	if err != nil {
		return err
	}
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		s, err := tx.Session.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && s.UserID != own && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
			return errNoSession()
		}
		if err != nil {
			return err
		}
		if s.UserID != own {
			if err := auth.CheckConfirmed(ctx); err != nil {
				return err
			}
		}
		return a.end(ctx, tx, s)
	})
}

// end ends a session for other reasons than a logout.
func (a *Accounts) end(ctx context.Context, tx *ent.Tx, s *ent.Session) error {
	if err := endSession(ctx, tx, s.ID.String()); err != nil {
		return err
	}
	return a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionSessionEnd,
		Target: userTarget(s.UserID),
		Before: audit.Facts{"session": s.ID, "userAgent": s.UserAgent, "address": s.Address},
	})
}

func errNoSession() error {
	return fault.OnField(fault.NotFound, "id", "the session does not exist or has ended")
}

// Sessions returns a page of 1 to 100 active sessions of an account, newest first, after a cursor. Sessions of
// others need admin scope. It returns fault.Forbidden for guests and API tokens.
func (a *Accounts) Sessions(
	ctx context.Context, userID uuid.UUID, first int, after string,
) (*database.Page[*ent.Session], error) {
	id, _, err := owner(ctx, &userID)
	if err == nil {
		err = database.CheckPage(first)
	}
	if err != nil {
		return nil, err
	}
	list, err := a.db.Session.Query().Where(session.UserID(id)).WithUser().All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	list = slices.DeleteFunc(list, func(s *ent.Session) bool { return !a.goesOn(s) })
	slices.SortFunc(list, func(x, y *ent.Session) int { return strings.Compare(sessionKey(y), sessionKey(x)) })
	start := 0
	for after != "" && start < len(list) && sessionKey(list[start]) >= after {
		start++
	}
	return database.PageOf(list, sessionKey, start, first), nil
}

// sessionKey returns the sort key of a session among those of its account. Later sessions have greater keys.
func sessionKey(s *ent.Session) string {
	return s.CreatedAt.UTC().Format("2006-01-02T15:04:05.000000000") + " " + s.ID.String()
}

// OneSession returns an active session of the caller, or any active session for admins. Otherwise it returns
// fault.NotFound.
func (a *Accounts) OneSession(ctx context.Context, id uuid.UUID) (*ent.Session, error) {
	own, _, err := owner(ctx, nil)
	if err != nil {
		return nil, errNoSession() // the same error as for an unknown id
	}
	s, err := a.db.Session.Query().Where(session.ID(id)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err != nil || !a.goesOn(s) || s.UserID != own && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return nil, errNoSession()
	}
	return s, nil
}
