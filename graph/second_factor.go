package graph

import (
	"context"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// SecondFactor resolves User.secondFactor.
func (r users) SecondFactor(ctx context.Context, u *ent.User) (*accounts.Factors, error) {
	return r.rules.Accounts.Factors(ctx, u.ID)
}

// SecurityEvents resolves User.securityEvents.
func (r users) SecurityEvents(
	ctx context.Context, u *ent.User, first *int32, after *string,
) (*model.AuditEventConnection, error) {
	last, err := auditCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := r.rules.Accounts.SecurityEvents(ctx, u.ID, sizeOf(first, 20), last)
	return connection(p, auditCursors, err)
}

// SecondFactorPolicy resolves secondFactorPolicy.
func (q query) SecondFactorPolicy(ctx context.Context) (*accounts.FactorPolicy, error) {
	return q.rules.Accounts.FactorPolicy(ctx)
}

// RemoveAuthenticatorApp resolves removeAuthenticatorApp.
func (m mutation) RemoveAuthenticatorApp(ctx context.Context) (*model.RemoveAuthenticatorAppPayload, error) {
	p := &model.RemoveAuthenticatorAppPayload{}
	err := m.rules.Accounts.RemoveApp(ctx)
	if err == nil {
		p.SecondFactor, err = m.rules.Accounts.Factors(ctx, auth.FromContext(ctx).UserID)
	}
	return p, refuse(&p.UserErrors, err)
}

// RemovePasskey resolves removePasskey.
func (m mutation) RemovePasskey(
	ctx context.Context, input model.RemovePasskeyInput,
) (*model.RemovePasskeyPayload, error) {
	id, err := parseID(input.ID, "id")
	if err == nil {
		err = m.rules.Accounts.RemovePasskey(ctx, id, input.EndSessions)
	}
	p := &model.RemovePasskeyPayload{RemovedID: changed(input.ID, err)}
	return p, refuse(&p.UserErrors, err)
}

// CreateRecoveryCodes resolves createRecoveryCodes.
func (m mutation) CreateRecoveryCodes(ctx context.Context) (*model.CreateRecoveryCodesPayload, error) {
	codes, err := m.rules.Accounts.NewRecoveryCodes(ctx)
	p := &model.CreateRecoveryCodesPayload{Codes: codes}
	return p, refuse(&p.UserErrors, err)
}

// ResetSecondFactor resolves resetSecondFactor.
func (m mutation) ResetSecondFactor(
	ctx context.Context, input model.ResetSecondFactorInput,
) (*model.ResetSecondFactorPayload, error) {
	id, err := parseID(input.UserID, "userId")
	if err == nil {
		err = m.rules.Accounts.ResetFactors(ctx, id, input.RevokeAPITokens)
	}
	p := &model.ResetSecondFactorPayload{UserID: changed(input.UserID, err)}
	return p, refuse(&p.UserErrors, err)
}

// ConfigureSecondFactor resolves configureSecondFactor.
func (m mutation) ConfigureSecondFactor(
	ctx context.Context, input model.ConfigureSecondFactorInput,
) (*model.ConfigureSecondFactorPayload, error) {
	policy := accounts.FactorPolicy{Roles: input.Roles, Providers: input.IncludesProviders}
	p := &model.ConfigureSecondFactorPayload{}
	err := m.rules.Accounts.SetFactorPolicy(ctx, policy)
	if err == nil {
		p.Policy, err = m.rules.Accounts.FactorPolicy(ctx)
	}
	return p, refuse(&p.UserErrors, err)
}
