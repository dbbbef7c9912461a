package graph

import (
	"context"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// APITokens answers apiTokens.
func (q query) APITokens(ctx context.Context, userID *string, includeRevoked *bool) ([]*ent.APIToken, error) {
	id, err := parseOptionalID(userID, "userId")
	if err != nil {
		return nil, err
	}
	return q.rules.Accounts.APITokens(ctx, id, value(includeRevoked))
}

// CreateAPIToken answers createApiToken.
func (m mutation) CreateAPIToken(ctx context.Context, input model.CreateAPITokenInput) (*model.CreateAPITokenPayload, error) {
	t, secret, err := m.rules.Accounts.CreateAPIToken(ctx, accounts.CreateAPITokenInput{Name: input.Name, Scopes: input.Scopes, ExpiresAt: input.ExpiresAt.Value()})
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.CreateAPITokenPayload{APIToken: t, Secret: optional(secret), UserErrors: refused}, nil
}

// RevokeAPIToken answers revokeApiToken.
func (m mutation) RevokeAPIToken(ctx context.Context, input model.RevokeAPITokenInput) (*model.RevokeAPITokenPayload, error) {
	id, err := parseID(input.ID, "id")
	if err == nil {
		err = m.rules.Accounts.RevokeAPIToken(ctx, id)
	}
	revoked, refused, err := named(input.ID, err)
	if err != nil {
		return nil, err
	}
	return &model.RevokeAPITokenPayload{RevokedID: revoked, UserErrors: refused}, nil
}

type apiTokens struct{}

// Scopes answers ApiToken.scopes.
func (apiTokens) Scopes(_ context.Context, t *ent.APIToken) ([]auth.Scope, error) {
	scopes := make([]auth.Scope, len(t.Scopes))
	for i, s := range t.Scopes {
		scopes[i] = auth.Scope(s)
	}
	return scopes, nil
}
