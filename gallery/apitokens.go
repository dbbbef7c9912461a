package gallery

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// maxAPITokens is how many tokens an account may have that are not revoked.
const maxAPITokens = 100

// usedEvery is how often the use of a token is written down.
const usedEvery = time.Minute

// CreateAPITokenInput asks for a token of the caller.
type CreateAPITokenInput struct {
	Name      string
	Scopes    []auth.Scope // at least one; none that the caller lacks
	ExpiresAt *time.Time   // nil: never
}

// CreateAPIToken makes a token for the caller and returns it with its secret, which nobody can read later.
// fault.Invalid names the field that is wrong, fault.Forbidden a scope that the caller lacks; guests and API
// tokens may not.
func (g *Gallery) CreateAPIToken(ctx context.Context, in CreateAPITokenInput) (*ent.APIToken, string, error) {
	id, _, err := target(ctx, nil)
	if err != nil {
		return nil, "", err
	}
	if in.Name, err = checkTokenName(in.Name); err != nil {
		return nil, "", err
	}
	scopes, err := checkTokenScopes(ctx, in.Scopes)
	if err != nil {
		return nil, "", err
	}
	now := g.config.Now()
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		return nil, "", fault.OnField(fault.Invalid, "expiresAt", "the expiry is past, expected a time to come")
	}
	secret, hash, prefix := auth.NewAPIToken()
	var made *ent.APIToken
	err = g.tx(ctx, func(tx *ent.Tx) error {
		if err := roomForToken(ctx, tx, id); err != nil {
			return err
		}
		made, err = tx.APIToken.Create().SetUserID(id).SetName(in.Name).SetHash(hash).SetPrefix(prefix).SetScopes(scopes).
			SetCreatedAt(now).SetNillableExpiresAt(in.ExpiresAt).Save(ctx)
		if err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionTokenCreate, target: tokenTarget(made.ID), after: tokenFacts(made)})
	})
	if err != nil {
		return nil, "", err
	}
	return made, secret, nil
}

// roomForToken returns fault.Conflict when the account has as many tokens as it may.
func roomForToken(ctx context.Context, tx *ent.Tx, id uuid.UUID) error {
	one := tx.User.Query().Where(user.ID(id)) // locked, so that two cannot both be the last that fits
	one.Modify(lockRows)
	if _, err := one.Only(ctx); err != nil {
		return err
	}
	n, err := tx.APIToken.Query().Where(apitoken.UserID(id), apitoken.RevokedAtIsNil()).Count(ctx)
	if err != nil {
		return err
	}
	if n >= maxAPITokens {
		return fault.New(fault.Conflict, "the account has %d API tokens, revoke one first", n)
	}
	return nil
}

func checkTokenName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.OnField(fault.Invalid, "name", "the name of an API token has %d characters, expected 1 to 100 that can be seen", n)
	}
	return name, nil
}

// checkTokenScopes returns the scopes in their order, each once.
func checkTokenScopes(ctx context.Context, asked []auth.Scope) ([]string, error) {
	i := auth.FromContext(ctx)
	var scopes []string
	for _, s := range auth.RoleAdmin.Scopes() {
		if !slices.Contains(asked, s) {
			continue
		}
		if !i.Has(s) {
			return nil, fault.OnField(fault.Forbidden, "scopes", "the account has no scope %s to give", s)
		}
		scopes = append(scopes, string(s))
	}
	if !slices.Contains(scopes, string(auth.ScopeRead)) {
		return nil, fault.OnField(fault.Invalid, "scopes", "the scopes lack read, which everything stands on")
	}
	return scopes, nil
}

func tokenTarget(id uuid.UUID) string { return "token:" + id.String() }

// tokenFacts are what the audit log says of a token.
func tokenFacts(t *ent.APIToken) facts {
	f := facts{"userId": t.UserID, "name": t.Name, "prefix": t.Prefix, "scopes": t.Scopes}
	if t.ExpiresAt != nil {
		f["expiresAt"] = t.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return f
}

// RevokeAPIToken ends a token at once: one of the caller's, or with admin scope anybody's. It returns
// fault.NotFound for one that does not exist or is somebody else's, and for one that is revoked already nil.
func (g *Gallery) RevokeAPIToken(ctx context.Context, id uuid.UUID) error {
	own, _, err := target(ctx, nil)
	if err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		t, err := tx.APIToken.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && t.UserID != own && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
			return fault.OnField(fault.NotFound, "id", "the API token does not exist")
		}
		if err != nil {
			return err
		}
		return g.revokeToken(ctx, tx, t)
	})
}

func (g *Gallery) revokeToken(ctx context.Context, tx *ent.Tx, t *ent.APIToken) error {
	n, err := tx.APIToken.Update().Where(apitoken.ID(t.ID), apitoken.RevokedAtIsNil()).SetRevokedAt(g.config.Now()).Save(ctx)
	if err != nil || n == 0 {
		return err
	}
	return g.record(ctx, tx, event{action: ActionTokenRevoke, target: tokenTarget(t.ID), before: tokenFacts(t)})
}

// revokeOwn revokes the token that proved i.
func (g *Gallery) revokeOwn(ctx context.Context, i auth.Identity) error {
	id, err := uuid.Parse(i.TokenID)
	if err != nil {
		return fault.Wrap(err, fault.Unauthenticated, "the token is malformed")
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		t, err := tx.APIToken.Get(ctx, id)
		if err != nil {
			return err
		}
		return g.revokeToken(ctx, tx, t)
	})
}

// APITokens returns the caller's tokens, or with admin scope those of userID, newest first; revoked ones
// only when asked for. An API token sees them too, it cannot change them.
func (g *Gallery) APITokens(ctx context.Context, userID *uuid.UUID, revoked bool) ([]*ent.APIToken, error) {
	i := auth.FromContext(ctx)
	i.APIToken = false
	id, _, err := target(auth.WithIdentity(ctx, i), userID)
	if err != nil {
		return nil, err
	}
	query := g.db.APIToken.Query().Where(apitoken.UserID(id)).Order(apitoken.ByCreatedAt(descending()), apitoken.ByID()).Limit(maxUsers)
	if !revoked {
		query.Where(apitoken.RevokedAtIsNil())
	}
	list, err := query.All(ctx)
	return list, translate(err)
}

// AuthenticateAPIToken returns who an API token speaks for, with the scopes that it has and its account's
// role allows: fault.Unauthenticated when it is unknown, revoked or expired, or the account is closed. It
// asks the database each time, by an index, so that a change counts at once, whichever process made it.
func (g *Gallery) AuthenticateAPIToken(ctx context.Context, token string) (auth.Identity, error) {
	refused := fault.New(fault.Unauthenticated, "the API token is unknown, expired or revoked")
	hash := auth.HashAPIToken(token)
	if hash == "" {
		return auth.Identity{}, refused
	}
	t, err := g.db.APIToken.Query().Where(apitoken.Hash(hash)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return auth.Identity{}, translate(err)
	}
	now := g.config.Now()
	if err != nil || t.RevokedAt != nil || t.ExpiresAt != nil && !now.Before(*t.ExpiresAt) || t.Edges.User == nil || !t.Edges.User.IsActive {
		return auth.Identity{}, refused
	}
	g.tokenUsed(ctx, t, now)
	u := t.Edges.User
	i := auth.Identity{UserID: u.ID, Name: u.Username, Role: auth.Role(u.Role), TokenID: t.ID.String(), APIToken: true}
	for _, s := range i.Role.Scopes() {
		if slices.Contains(t.Scopes, string(s)) {
			i.Scopes = append(i.Scopes, s)
		}
	}
	return i, nil
}

// tokenUsed writes down that a token is in use, at most once a minute; a failure must not stop its bearer.
func (g *Gallery) tokenUsed(ctx context.Context, t *ent.APIToken, now time.Time) {
	if t.LastUsedAt != nil && now.Sub(*t.LastUsedAt) < usedEvery {
		return
	}
	err := g.db.APIToken.Update().Where(apitoken.ID(t.ID), apitoken.Or(apitoken.LastUsedAtIsNil(), apitoken.LastUsedAtLTE(now.Add(-usedEvery)))).
		SetLastUsedAt(now).Exec(ctx)
	if err != nil && ctx.Err() == nil {
		g.log.WarnContext(ctx, "the use of an API token could not be written down", "token", t.ID.String(), "error", err)
	}
}
