package accounts

import (
	"context"
	"slices"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// FactorPolicy defines who needs a second factor.
type FactorPolicy struct {
	Roles     []auth.Role // accounts with these roles need one
	Providers bool        // also required after a sign-in through a provider, which otherwise counts as a second factor
}

func (p *FactorPolicy) needs(role user.Role) bool { return slices.Contains(p.Roles, auth.Role(role)) }

// FactorPolicy returns the current policy.
func (a *Accounts) FactorPolicy(ctx context.Context) (*FactorPolicy, error) {
	return policyOf(ctx, a.db.FactorPolicy)
}

func policyOf(ctx context.Context, q *ent.FactorPolicyClient) (*FactorPolicy, error) {
	stored, err := q.Get(ctx, 1)
	if ent.IsNotFound(err) {
		return &FactorPolicy{}, nil
	}
	if err != nil {
		return nil, database.Translate(err)
	}
	p := &FactorPolicy{Providers: stored.Providers}
	if stored.Admins {
		p.Roles = append(p.Roles, auth.RoleAdmin)
	}
	if stored.Users {
		p.Roles = append(p.Roles, auth.RoleUser)
	}
	return p, nil
}

// lockOfPolicy is the lock for changing the policy. It is shared by those who apply the policy.
const lockOfPolicy = "factor policy"

// keepPolicy returns the policy and locks it against changes until the transaction ends. A login that read
// the old policy must not start its session after SetFactorPolicy has ended the others. Logins do not block
// each other.
func (a *Accounts) keepPolicy(ctx context.Context, tx *ent.Tx) (*FactorPolicy, error) {
	if err := a.db.ShareName(ctx, tx.Client(), lockOfPolicy); err != nil {
		return nil, err
	}
	return policyOf(ctx, tx.FactorPolicy)
}

// SetFactorPolicy stores the policy, and ends the sessions that the new policy would not have allowed. It
// returns fault.Conflict if the caller would need a second factor but has none.
func (a *Accounts) SetFactorPolicy(ctx context.Context, p FactorPolicy) error {
	if err := loggedIn(ctx); err != nil {
		return err
	}
	i := auth.FromContext(ctx)
	for _, r := range p.Roles {
		if err := checkRole(r); err != nil {
			return err
		}
	}
	if p.needs(user.Role(i.Role)) && !i.HasFactor {
		return fault.OnField(fault.Conflict, "roles", "you have no second factor yourself, add one first")
	}
	admins, users := p.needs(user.RoleAdmin), p.needs(user.RoleUser)
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := a.db.LockNames(ctx, tx.Client(), lockOfPolicy); err != nil {
			return err
		}
		before, err := policyOf(ctx, tx.FactorPolicy)
		if err != nil {
			return err
		}
		n, err := tx.FactorPolicy.Update().SetAdmins(admins).SetUsers(users).SetProviders(p.Providers).Save(ctx)
		if err == nil && n == 0 {
			err = tx.FactorPolicy.Create().SetID(1).SetAdmins(admins).SetUsers(users).SetProviders(p.Providers).
				Exec(ctx)
		}
		if err != nil {
			return err
		}
		if err := endSessionsWithout(ctx, tx, &p); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFactorPolicy, Target: "second-factor",
			Before: before.facts(), After: p.facts(),
		})
	})
}

func (p *FactorPolicy) facts() audit.Facts {
	roles := []string{}
	for _, r := range p.Roles {
		roles = append(roles, string(r))
	}
	return audit.Facts{"roles": roles, "providers": p.Providers}
}

// endSessionsWithout ends the sessions that started without a second factor although a policy requires it.
func endSessionsWithout(ctx context.Context, tx *ent.Tx, p *FactorPolicy) error {
	var roles []user.Role
	for _, r := range p.Roles {
		roles = append(roles, user.Role(r))
	}
	lacking := session.HasUserWith(user.RoleIn(roles...), user.SecondFactor(false))
	if !p.Providers {
		_, err := tx.Session.Delete().Where(lacking, session.Provider("")).Exec(ctx)
		return err
	}
	unasked := session.And(
		session.ProviderNEQ(""), session.ConfirmedAtIsNil(), session.HasUserWith(user.SecondFactor(true)),
	)
	_, err := tx.Session.Delete().Where(session.Or(lacking, unasked)).Exec(ctx)
	return err
}
