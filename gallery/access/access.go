package access

import (
	"context"
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

// Access manages the groups and grants in one database. Create it with New. All methods are safe for
// concurrent use and return fault errors.
type Access struct {
	db    *database.DB
	audit *audit.Log

	mu     sync.Mutex
	scopes *lru.List[caller, Scope] // scopes by caller; a scope applies while the version in the database is the same

	// Changed is called after anybody's rights have changed, or may have changed. nil: no callback.
	Changed func()
}

// New returns an Access that uses a migrated database.
func New(db *database.DB, events *audit.Log) *Access {
	return &Access{db: db, audit: events, scopes: lru.New[caller, Scope]()}
}

// caller is the cache key of a scope.
type caller struct {
	role  auth.Role
	user  uuid.UUID
	limit Right
}

// maxKept is the number of callers whose scopes a server caches. Each has up to 80 KB of folder ids.
const maxKept = 200

type contextKey struct{}

// memo caches the scope of one request.
type memo struct {
	mu    sync.Mutex
	scope *Scope
	fixed bool // the scope was not computed from the identity in the context, so it is never read again
}

// All returns a context that may do everything: for work of the server itself, and for requests that a
// signature permits. The identity in the context is ignored.
func All(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, &memo{scope: &everything, fixed: true})
}

// Within returns a context that is limited to some paths and everything below them. There it may do what the
// identity may do now, up to limit. It skips paths that are hidden, or that the identity may not see with all
// their content; reached are the other paths. The identity in the context does not add rights.
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

// As returns a context that may do what identity i may do, up to limit. The identity in the context does not
// add rights.
func (a *Access) As(ctx context.Context, i auth.Identity, limit Right) (context.Context, error) {
	all, err := a.read(ctx, i)
	if err != nil {
		return nil, err
	}
	scope := all.capped(limit)
	return context.WithValue(ctx, contextKey{}, &memo{scope: &scope, fixed: true}), nil
}

// Once returns a context that reads its scope at most once. Use it for a single request.
func Once(ctx context.Context) context.Context {
	if isFixed(ctx) {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, &memo{})
}

// Again returns a context that reads its scope each time. Use it for work that outlasts its request.
func Again(ctx context.Context) context.Context {
	if isFixed(ctx) {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, (*memo)(nil))
}

// IsAll reports whether the context was made by All.
func IsAll(ctx context.Context) bool {
	m, _ := ctx.Value(contextKey{}).(*memo)
	return m != nil && m.scope == &everything
}

// isFixed reports whether the context was made by All, Within or As.
func isFixed(ctx context.Context) bool {
	m, _ := ctx.Value(contextKey{}).(*memo)
	return m != nil && m.fixed
}

// Scope returns what the caller in ctx may do. Each call checks the database for changes, except in a context
// of Once, so changes apply on all servers immediately. Without an identity or All, the scope is empty.
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

// changed calls Changed.
func (a *Access) changed(ctx context.Context) {
	if a.Changed != nil {
		a.Changed()
	}
	a.Reread(ctx)
}

// Reread makes the context read its scope again, after it has changed rights or folders.
func (a *Access) Reread(ctx context.Context) {
	if m, _ := ctx.Value(contextKey{}).(*memo); m != nil && !m.fixed {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.scope = nil
	}
}

// read returns the scope of a caller, limited by their token.
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

// kept returns the scope of the grants that match. It uses the cached scope, unless the version in the
// database shows that a grant, the members of a group, or a folder have changed since.
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
	s.kept = &kept{version: version} // read before the grants, which may therefore be newer, but not older
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scopes.Put(c, s, 0)
	for a.scopes.Len() > maxKept {
		oldest, _ := a.scopes.Oldest()
		a.scopes.Remove(oldest)
	}
	return s, nil
}

// version returns a number that triggers increment on each change of a grant, of the members of a group, or
// of a folder.
func (a *Access) version(ctx context.Context) (n int64, err error) {
	const sum = "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM rights_version"
	err = database.Row(ctx, a.db, sum, nil, &n)
	return n, err
}
