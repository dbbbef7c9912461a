package accounts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/fault"
)

// Authenticate returns the identity of a token whose signature was verified. It returns fault.Unauthenticated
// if its session has ended, its account is deactivated or deleted, or guest mode is off. Each call queries
// the database, so that changes by any process apply immediately.
func (a *Accounts) Authenticate(ctx context.Context, c *auth.Claims) (auth.Identity, error) {
	s, err := a.sessionOf(ctx, c)
	if err != nil {
		return auth.Identity{}, err
	}
	if c.Role != auth.RoleGuest {
		a.touchSession(ctx, s, a.config.Now())
	}
	identity := c.Identity()
	identity.Name = s.Edges.User.Username
	identity.Version, identity.Provider = s.Version, s.Provider
	identity.HasFactor, identity.Confirmed = s.Edges.User.SecondFactor, a.isConfirmed(s)
	return identity, nil
}

// errEnded returns the error for a session or an API token that is no longer accepted.
func errEnded() error { return fault.New(fault.Unauthenticated, "the token is no longer accepted") }

// sessionOf returns the session of a token with its account, which the check of the token loads anyway. It
// returns the errors of Authenticate.
func (a *Accounts) sessionOf(ctx context.Context, c *auth.Claims) (*ent.Session, error) {
	if err := a.keys.Check(c); err != nil {
		return nil, err
	}
	s, err := a.session(ctx, c.Identity())
	if err == nil && auth.Role(s.Edges.User.Role) != c.Role {
		return nil, errEnded()
	}
	return s, err
}

// session returns the session of a caller with its account, if it has not ended. Sessions of guests are not
// in the database.
func (a *Accounts) session(ctx context.Context, i auth.Identity) (*ent.Session, error) {
	id, err := uuid.Parse(i.Session)
	if err != nil {
		return nil, errEnded()
	}
	if i.Role == auth.RoleGuest {
		ended, err := a.db.RevokedToken.Query().Where(revokedtoken.ID(i.Session)).Exist(ctx)
		if err != nil {
			return nil, database.Translate(err)
		}
		if ended || !a.config.Guest {
			return nil, errEnded()
		}
		return &ent.Session{ID: id, Edges: ent.SessionEdges{User: a.guest(i.UserID)}}, nil
	}
	s, err := a.db.Session.Query().Where(session.ID(id)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err != nil || s.UserID != i.UserID || !a.goesOn(s) {
		return nil, errEnded()
	}
	return s, nil
}

// goesOn reports whether a session, loaded with its account, has not ended.
func (a *Accounts) goesOn(s *ent.Session) bool {
	u := s.Edges.User
	return u != nil && u.IsActive && s.Version == u.TokenVersion && a.config.Now().Before(s.ExpiresAt)
}

// touchSession stores when and from where a session was last used, at most once a minute. A failure does not
// reject the request. It is only logged for debugging, because it would repeat with each request, and a full
// disk is reported elsewhere.
func (a *Accounts) touchSession(ctx context.Context, s *ent.Session, now time.Time) {
	if now.Sub(s.LastUsedAt) < lastUsedInterval {
		return
	}
	err := a.db.Session.Update().
		Where(session.ID(s.ID), session.LastUsedAtLTE(now.Add(-lastUsedInterval))).
		SetLastUsedAt(now).
		SetAddress(auth.AddressFrom(ctx)).
		Exec(ctx)
	if err != nil && ctx.Err() == nil {
		a.log.DebugContext(ctx, "the last use of a session could not be stored", "session", s.ID.String(), "error", err)
	}
}

// Reader returns a caller who was authenticated before, with the current role of the account and only the
// read scope. It returns fault.Unauthenticated once the session or API token is no longer valid.
func (a *Accounts) Reader(ctx context.Context, caller auth.Identity) (auth.Identity, error) {
	if !caller.APIToken {
		s, err := a.session(ctx, caller)
		if err != nil {
			return auth.Identity{}, err
		}
		return reader(caller, s.Edges.User), nil
	}
	id, err := uuid.Parse(caller.TokenID)
	if err != nil {
		return auth.Identity{}, errEnded()
	}
	t, err := a.db.APIToken.Query().Where(apitoken.ID(id)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return auth.Identity{}, database.Translate(err)
	}
	if err != nil || !a.accepts(t) {
		return auth.Identity{}, errEnded()
	}
	return reader(caller, t.Edges.User), nil
}

func reader(i auth.Identity, u *ent.User) auth.Identity {
	i.Role, i.Name, i.Scopes = auth.Role(u.Role), u.Username, []auth.Scope{auth.ScopeRead}
	return i
}
