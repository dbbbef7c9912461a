package access

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache/lru"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/grant"
	"github.com/safelight/safelight/ent/group"
	"github.com/safelight/safelight/ent/membership"
	"github.com/safelight/safelight/ent/predicate"
)

// Access are the groups and grants of one database. Create it with New. Every method is safe for concurrent use and
// returns fault errors.
type Access struct {
	db    *database.DB
	audit *audit.Log

	mu     sync.Mutex
	scopes *lru.List[caller, Scope] // that still apply while the version of the database is theirs

	// Changed is called after the rights of anybody have changed, or may have. nil: nobody needs to know.
	Changed func()
}

// New returns the groups and grants of a migrated database.
func New(db *database.DB, events *audit.Log) *Access {
	return &Access{db: db, audit: events, scopes: lru.New[caller, Scope]()}
}

// caller is whose rights are kept.
type caller struct {
	role  auth.Role
	user  uuid.UUID
	limit Right
}

// maxKept is of how many callers a server keeps the rights, with up to 80 KB of ids of folders each.
const maxKept = 200

type contextKey struct{}

// memo keeps the scope of one request.
type memo struct {
	mu    sync.Mutex
	scope *Scope
	fixed bool // the scope is not that of the identity, so nothing reads it again
}

// All returns a context that may do everything: of work that the server does for itself, and of requests that a
// signature permits. The identity in it does not count.
func All(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, &memo{scope: &everything, fixed: true})
}

// Within returns a context that may do on some paths, and everything below them, what an identity may do there now, up
// to a limit. Nothing outside of them exists. A path that the identity may not see whole, or that is hidden, is left
// out; reached are the others. The identity in the context does not widen it.
func (a *Access) Within(
	ctx context.Context, i auth.Identity, paths []string, limit Right,
) (within context.Context, reached []string, err error) {
	all, err := a.read(ctx, i)
	if err != nil {
		return nil, nil, err
	}
	rights := map[string]Right{}
	for _, path := range paths {
		if r := min(all.On(path), limit); r > None && !strings.Contains("/"+path, "/.") {
			rights[path] = r
			reached = append(reached, path)
		}
	}
	scope := newScope(rights)
	return context.WithValue(ctx, contextKey{}, &memo{scope: &scope, fixed: true}), reached, nil
}

// As returns a context that may do what an identity may do, up to a limit. The identity in the context does not widen
// it.
func (a *Access) As(ctx context.Context, i auth.Identity, limit Right) (context.Context, error) {
	all, err := a.read(ctx, i)
	if err != nil {
		return nil, err
	}
	scope := all.capped(limit)
	return context.WithValue(ctx, contextKey{}, &memo{scope: &scope, fixed: true}), nil
}

// Once returns a context whose scope is read at most once: of one request.
func Once(ctx context.Context) context.Context {
	if isFixed(ctx) {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, &memo{})
}

// Again returns a context whose scope is read each time: of what outlasts its request.
func Again(ctx context.Context) context.Context {
	if isFixed(ctx) {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, (*memo)(nil))
}

// IsAll reports whether All made the context.
func IsAll(ctx context.Context) bool {
	m, _ := ctx.Value(contextKey{}).(*memo)
	return m != nil && m.scope == &everything
}

// isFixed reports whether All, Within or As made the context.
func isFixed(ctx context.Context) bool {
	m, _ := ctx.Value(contextKey{}).(*memo)
	return m != nil && m.fixed
}

// Scope returns what the caller in ctx may do. Each call asks the database whether that has changed, unless Once says
// otherwise: a change applies at once on all servers. Without an identity and All, it is nothing.
func (a *Access) Scope(ctx context.Context) (Scope, error) {
	m, _ := ctx.Value(contextKey{}).(*memo)
	if m == nil {
		return a.read(ctx, auth.FromContext(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scope == nil {
		s, err := a.read(ctx, auth.FromContext(ctx))
		if err != nil {
			return Scope{}, err
		}
		m.scope = &s
	}
	return *m.scope, nil
}

// changed reports a change.
func (a *Access) changed(ctx context.Context) {
	if a.Changed != nil {
		a.Changed()
	}
	a.Reread(ctx)
}

// Reread makes a context that has changed rights or folders read its scope again.
func (a *Access) Reread(ctx context.Context) {
	if m, _ := ctx.Value(contextKey{}).(*memo); m != nil && !m.fixed {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.scope = nil
	}
}

// read returns the scope of a caller, whose token limits it, too.
func (a *Access) read(ctx context.Context, i auth.Identity) (Scope, error) {
	limit := None
	switch {
	case i.Has(auth.ScopeWrite):
		limit = Manage
	case i.Has(auth.ScopeRead):
		limit = View
	}
	switch i.Role {
	case auth.RoleAdmin:
		return everything.capped(limit), nil
	case auth.RoleUser:
		return a.kept(ctx, caller{i.Role, i.UserID, limit}, grant.Or(
			grant.GranteeEQ(grant.GranteeEveryone),
			grant.UserID(i.UserID),
			grant.HasGroupWith(group.HasMembershipsWith(membership.UserID(i.UserID))),
		))
	case auth.RoleGuest:
		return a.kept(ctx, caller{role: i.Role, limit: min(limit, View)}, grant.GranteeEQ(grant.GranteeGuests))
	}
	return Scope{}, nil
}

// kept returns the scope of the grants that match. It reads them if the version of the database is not that of the
// scope which the server keeps: if a grant, a member of a group or a folder has changed since.
func (a *Access) kept(ctx context.Context, c caller, match predicate.Grant) (Scope, error) {
	version, err := a.version(ctx)
	if err != nil {
		return Scope{}, err
	}
	a.mu.Lock()
	s, ok := a.scopes.Get(c)
	a.mu.Unlock()
	if ok && s.kept.version == version {
		return s, nil
	}
	if s, err = a.granted(ctx, c.limit, match); err != nil {
		return Scope{}, err
	}
	s.kept = &kept{version: version} // that of before the grants were read: they may be newer, but not older
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scopes.Put(c, s, 0)
	for a.scopes.Len() > maxKept {
		oldest, _ := a.scopes.Oldest()
		a.scopes.Remove(oldest)
	}
	return s, nil
}

// version returns the number that triggers raise with each change of a grant, of the members of a group, or of a
// folder.
func (a *Access) version(ctx context.Context) (n int64, err error) {
	rows, err := a.db.QueryContext(ctx, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM rights_version")
	if err != nil {
		return 0, database.Translate(err)
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&n)
	}
	return n, database.Translate(errors.Join(err, rows.Err()))
}
