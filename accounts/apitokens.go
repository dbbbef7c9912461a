package accounts

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/fault"
)

// maxAPITokens is the maximum number of active tokens of an account.
const maxAPITokens = 100

// lastUsedInterval is the minimum time between two updates of a token's last use.
const lastUsedInterval = time.Minute

// CreateAPITokenInput describes a new token of the caller.
type CreateAPITokenInput struct {
	Name      string
	Scopes    []auth.Scope // at least one; the caller must have all of them
	ExpiresAt *time.Time   // nil: never
}

// CreateAPIToken creates a token for the caller and returns it with its secret, which cannot be read again.
// It returns fault.Invalid, which names the invalid field, and fault.Forbidden for a scope that the caller
// lacks, for guests and for API tokens.
func (a *Accounts) CreateAPIToken(ctx context.Context, in CreateAPITokenInput) (*ent.APIToken, string, error) {
	id, _, err := owner(ctx, nil)
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
	now := a.config.Now()
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		return nil, "", fault.OnField(
			fault.Invalid, "expiresAt", "the expiry is in the past, expected a time in the future",
		)
	}
	secret, hash, prefix := auth.NewAPIToken()
	var made *ent.APIToken
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := checkTokenCount(ctx, tx, id); err != nil {
			return err
		}
		made, err = tx.APIToken.Create().
			SetUserID(id).
			SetName(in.Name).
			SetHash(hash).
			SetPrefix(prefix).
			SetScopes(scopes).
			SetCreatedAt(now).
			SetNillableExpiresAt(in.ExpiresAt).
			Save(ctx)
		if err != nil {
			return err
		}
		return a.audit.Record(
			ctx, tx,
			audit.Event{Action: audit.ActionTokenCreate, Target: tokenTarget(made.ID), After: tokenFacts(made)},
		)
	})
	if err != nil {
		return nil, "", err
	}
	return made, secret, nil
}

// checkTokenCount returns fault.Conflict if the account has maxAPITokens tokens. It returns
// fault.Unauthenticated if the caller's session has ended since the request started, because no token must
// remain after logging out everywhere.
func checkTokenCount(ctx context.Context, tx *ent.Tx, id uuid.UUID) error {
	u, err := lockOne(ctx, tx, id) // locked, so that two concurrent requests cannot both create the last allowed token
	if err != nil {
		return err
	}
	if !u.IsActive || u.TokenVersion != auth.FromContext(ctx).Version {
		return fault.New(fault.Unauthenticated, "the token is no longer accepted")
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
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.OnField(
			fault.Invalid, "name",
			"the name of an API token has %d characters, expected 1 to 100 printable ones", n,
		)
	}
	return name, nil
}

// checkTokenScopes returns the scopes without duplicates in canonical order.
func checkTokenScopes(ctx context.Context, asked []auth.Scope) ([]string, error) {
	i := auth.FromContext(ctx)
	var scopes []string
	for _, s := range auth.RoleAdmin.Scopes() {
		if !slices.Contains(asked, s) {
			continue
		}
		if !i.Has(s) {
			return nil, fault.OnField(fault.Forbidden, "scopes", "the account lacks scope %s", s)
		}
		scopes = append(scopes, string(s))
	}
	if !slices.Contains(scopes, string(auth.ScopeRead)) {
		return nil, fault.OnField(fault.Invalid, "scopes", "the scopes lack read, which every other scope needs")
	}
	return scopes, nil
}

func tokenTarget(id uuid.UUID) string { return "token:" + id.String() }

// tokenFacts describes a token for the audit log.
func tokenFacts(t *ent.APIToken) audit.Facts {
	f := audit.Facts{"userId": t.UserID, "name": t.Name, "prefix": t.Prefix, "scopes": t.Scopes}
	if t.ExpiresAt != nil {
		f["expiresAt"] = t.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return f
}

// RevokeAPIToken ends a token immediately. With admin scope, it can be any token, otherwise only one of the
// caller's. It returns fault.NotFound if the token does not exist or belongs to another account,
// fault.StepUpRequired for another account if the session was not confirmed, and nil if the token is already
// revoked.
func (a *Accounts) RevokeAPIToken(ctx context.Context, id uuid.UUID) error {
	own, _, err := owner(ctx, nil)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		t, err := tx.APIToken.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && t.UserID != own && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
			return fault.OnField(fault.NotFound, "id", "the API token does not exist")
		}
		if err != nil {
			return err
		}
		if t.UserID != own {
			if err := auth.CheckConfirmed(ctx); err != nil {
				return err
			}
		}
		return a.revokeToken(ctx, tx, t)
	})
}

func (a *Accounts) revokeToken(ctx context.Context, tx *ent.Tx, t *ent.APIToken) error {
	n, err := tx.APIToken.Update().
		Where(apitoken.ID(t.ID), apitoken.RevokedAtIsNil()).
		SetRevokedAt(a.config.Now()).
		Save(ctx)
	if err != nil || n == 0 {
		return err
	}
	return a.audit.Record(
		ctx, tx,
		audit.Event{Action: audit.ActionTokenRevoke, Target: tokenTarget(t.ID), Before: tokenFacts(t)},
	)
}

// revokeOwn revokes the API token that authenticated i.
func (a *Accounts) revokeOwn(ctx context.Context, i auth.Identity) error {
	id, err := uuid.Parse(i.TokenID)
	if err != nil {
		return fault.Wrap(err, fault.Unauthenticated, "the token is malformed")
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		t, err := tx.APIToken.Get(ctx, id)
		if err != nil {
			return database.Missing(err, "the API token", "")
		}
		return a.revokeToken(ctx, tx, t)
	})
}

// TokenFilter selects API tokens.
type TokenFilter struct {
	UserID  *uuid.UUID // owner of the tokens; nil: the caller
	Revoked bool       // include revoked tokens
}

// newestTokens is the order of API tokens.
var newestTokens = database.Order[ent.APIToken]{
	Columns: []string{apitoken.FieldCreatedAt, apitoken.FieldID}, Descending: true,
	Values: func(t *ent.APIToken) []any { return []any{&t.CreatedAt, &t.ID} },
}

// APITokens returns a page of 1 to 100 tokens, newest first, after a cursor. Tokens of others need admin scope.
// A caller with an API token may list tokens, but not change them.
func (a *Accounts) APITokens(
	ctx context.Context, f TokenFilter, first int, after string,
) (*database.Page[*ent.APIToken], error) {
	i := auth.FromContext(ctx)
	i.APIToken = false
	id, _, err := owner(auth.WithIdentity(ctx, i), f.UserID)
	if err != nil {
		return nil, err
	}
	query := a.db.APIToken.Query().Where(apitoken.UserID(id))
	if !f.Revoked {
		query.Where(apitoken.RevokedAtIsNil())
	}
	return database.ReadPage(ctx, query, newestTokens, first, after)
}

// APIToken returns an API token of the caller, or any API token for admins. Otherwise it returns
// fault.NotFound.
func (a *Accounts) APIToken(ctx context.Context, id uuid.UUID) (*ent.APIToken, error) {
	t, err := a.db.APIToken.Get(ctx, id)
	i := auth.FromContext(ctx)
	if ent.IsNotFound(err) || err == nil && t.UserID != i.UserID && !i.Has(auth.ScopeAdmin) {
		return nil, fault.OnField(fault.NotFound, "id", "the API token does not exist")
	}
	return t, database.Translate(err)
}

// AuthenticateAPIToken returns the identity of an API token's owner, with those of the token's scopes that
// the role of the account allows. It returns fault.Unauthenticated if the token is unknown, revoked or
// expired, or if the account is deactivated. Each call queries the database, so that changes by any process
// apply immediately. The query uses an index.
func (a *Accounts) AuthenticateAPIToken(ctx context.Context, token string) (auth.Identity, error) {
	refused := fault.New(fault.Unauthenticated, "the API token is unknown, expired or revoked")
	hash := auth.HashAPIToken(token)
	if hash == "" {
		return auth.Identity{}, refused
	}
	t, err := a.db.APIToken.Query().Where(apitoken.Hash(hash)).WithUser().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return auth.Identity{}, database.Translate(err)
	}
	if err != nil || !a.accepts(t) {
		return auth.Identity{}, refused
	}
	a.touchToken(ctx, t, a.config.Now())
	u := t.Edges.User
	i := auth.Identity{UserID: u.ID, Name: u.Username, Role: auth.Role(u.Role), TokenID: t.ID.String(), APIToken: true}
	for _, s := range i.Role.Scopes() {
		if slices.Contains(t.Scopes, string(s)) {
			i.Scopes = append(i.Scopes, s)
		}
	}
	return i, nil
}

// accepts reports whether a token, loaded with its account, is neither revoked nor expired, and the account
// is active.
func (a *Accounts) accepts(t *ent.APIToken) bool {
	expired := t.ExpiresAt != nil && !a.config.Now().Before(*t.ExpiresAt)
	return t.RevokedAt == nil && !expired && t.Edges.User != nil && t.Edges.User.IsActive
}

// touchToken stores when a token was last used, at most once a minute. A failure does not reject the request.
func (a *Accounts) touchToken(ctx context.Context, t *ent.APIToken, now time.Time) {
	if t.LastUsedAt != nil && now.Sub(*t.LastUsedAt) < lastUsedInterval {
		return
	}
	err := a.db.APIToken.Update().
		Where(apitoken.ID(t.ID), apitoken.Or(apitoken.LastUsedAtIsNil(),
			apitoken.LastUsedAtLTE(now.Add(-lastUsedInterval)))).
		SetLastUsedAt(now).
		Exec(ctx)
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "the last use of an API token could not be stored", "token", t.ID.String(), "error", err)
	}
}

// revokeTokensIf revokes all API tokens of an account if requested, and returns the facts about that for the
// audit log.
func (a *Accounts) revokeTokensIf(ctx context.Context, tx *ent.Tx, asked bool, userID uuid.UUID) (audit.Facts, error) {
	if !asked {
		return nil, nil
	}
	return audit.Facts{"apiTokens": true}, a.revokeTokens(ctx, tx, userID)
}

// revokeTokens revokes all API tokens of an account.
func (a *Accounts) revokeTokens(ctx context.Context, tx *ent.Tx, userID uuid.UUID) error {
	return tx.APIToken.Update().
		Where(apitoken.UserID(userID), apitoken.RevokedAtIsNil()).
		SetRevokedAt(a.config.Now()).
		Exec(ctx)
}
