package graph

import (
	"context"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// APITokens resolves apiTokens.
func (q query) APITokens(
	ctx context.Context,
	userID *string,
	includeRevoked *bool,
	first *int32,
	after *string,
) (*model.APITokenConnection, error) {
	owner, err := parseOptionalID(userID, "userId")
	if err != nil {
		return nil, err
	}
	last, err := tokenCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Accounts.APITokens(
		ctx, accounts.TokenFilter{UserID: owner, Revoked: value(includeRevoked)}, sizeOf(first, defaultPage),
		last,
	)
	return connection(p, tokenCursors, err)
}

// CreateAPIToken resolves createApiToken.
func (m mutation) CreateAPIToken(
	ctx context.Context,
	input model.CreateAPITokenInput,
) (*model.CreateAPITokenPayload, error) {
	t, secret, err := m.rules.Accounts.CreateAPIToken(
		ctx,
		accounts.CreateAPITokenInput{Name: input.Name, Scopes: input.Scopes, ExpiresAt: input.ExpiresAt.Value()},
	)
	p := &model.CreateAPITokenPayload{APIToken: t, Secret: optional(secret)}
	return p, refuse(&p.UserErrors, err)
}

// RevokeAPIToken resolves revokeApiToken.
func (m mutation) RevokeAPIToken(
	ctx context.Context,
	input model.RevokeAPITokenInput,
) (*model.RevokeAPITokenPayload, error) {
	id, err := byID(ctx, input.ID, "id", m.rules.Accounts.RevokeAPIToken)
	p := &model.RevokeAPITokenPayload{RevokedID: id}
	return p, refuse(&p.UserErrors, err)
}

type apiTokens struct{}

// Scopes resolves ApiToken.scopes.
func (apiTokens) Scopes(_ context.Context, t *ent.APIToken) ([]auth.Scope, error) {
	scopes := make([]auth.Scope, len(t.Scopes))
	for i, s := range t.Scopes {
		scopes[i] = auth.Scope(s)
	}
	return scopes, nil
}
