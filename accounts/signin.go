package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/identity"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// FinishSignIn is SignIn for the person that finish makes of a provider's answer with that state. Answers that do not
// hold count as failed logins of the address in ctx, because the server asks the provider about each of them, and
// anybody can begin a sign-in: fault.RateLimited with RetryAfter. Other errors are those of finish.
func (a *Accounts) FinishSignIn(
	ctx context.Context, state string, finish func() (*signin.Person, error),
) (*Session, *signin.Person, error) {
	var p *signin.Person
	// each state has a count of its own, so that only the limit of the address is shared
	_, err := a.attempt(ctx, "sign-in "+state, func() (ok bool, err error) {
		p, err = finish()
		return err == nil, err
	})
	if err != nil {
		return nil, nil, err
	}
	session, err := a.SignIn(ctx, p)
	return session, p, err
}

// SignIn returns a session for somebody whom a provider has signed in. The account is the one that belongs to the
// subject at the issuer. A new subject gets the account with its verified e-mail address as username, or a new account,
// as far as the provider's settings allow that. The role follows the claims if they are mapped.
//
// fault.Forbidden if the person has no access here, fault.Unauthenticated for a sign-in that was used before,
// fault.Conflict if the last active admin would lose the role. These are recorded.
func (a *Accounts) SignIn(ctx context.Context, p *signin.Person) (*Session, error) {
	if err := a.spendSetupToken(ctx); err != nil {
		return nil, err
	}
	var u *ent.User
	err := a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		fresh, err := a.useOnce(ctx, tx, "signin:"+p.State, p.Ends)
		if err != nil {
			return err
		}
		if !fresh {
			return fault.New(fault.Unauthenticated, "this sign-in was used before, try again")
		}
		if p.Denied {
			return signin.NoAccess(p.Provider.Name)
		}
		if u, err = a.accountOf(ctx, tx, p); err != nil {
			return err
		}
		if !u.IsActive {
			return fault.New(fault.Forbidden, "Your account is deactivated")
		}
		u, err = a.mapRole(ctx, tx, u, p.Role)
		return err
	})
	if err != nil {
		return nil, a.signInFailed(ctx, p, err)
	}
	a.setup.spend() // there is an account now
	return a.begin(ctx, &login{
		user: u, provider: p.Provider.ID, providerSession: p.Session, facts: audit.Facts{"provider": p.Provider.ID},
	})
}

// signInFailed records that a person was refused, and returns why.
func (a *Accounts) signInFailed(ctx context.Context, p *signin.Person, why error) error {
	switch fault.CodeOf(why) {
	case fault.Forbidden, fault.Unauthenticated, fault.Conflict:
	default:
		return why // a fault of the server
	}
	e := audit.Event{
		Action: audit.ActionLoginFailed,
		After:  audit.Facts{"provider": p.Provider.ID, "subject": p.Subject},
	}
	err := a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		u, err := linked(ctx, tx, p)
		if err != nil && !ent.IsNotFound(err) {
			return err
		}
		if err == nil {
			e.Target = userTarget(u.ID)
			e.After["isActive"] = u.IsActive
		}
		return a.audit.Record(ctx, tx, e)
	})
	if err != nil {
		return err
	}
	return why
}

// recordLogin stores when and how an account logged in; nil facts: with its password.
func (a *Accounts) recordLogin(ctx context.Context, tx *ent.Tx, u *ent.User, facts audit.Facts) error {
	if err := tx.User.UpdateOne(u).SetLastLoginAt(a.config.Now()).SetUpdatedAt(u.UpdatedAt).Exec(ctx); err != nil {
		return err
	}
	return a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionLogin, Target: userTarget(u.ID), Actor: u, After: facts,
	})
}

// accountOf returns the account that belongs to a person; a new subject is linked to one first.
func (a *Accounts) accountOf(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	if u, err := linked(ctx, tx, p); err == nil || !ent.IsNotFound(err) {
		return u, err
	}
	// two first sign-ins at once do not both create an account
	if err := a.lockNames(ctx, tx); err != nil {
		return nil, err
	}
	if u, err := linked(ctx, tx, p); err == nil || !ent.IsNotFound(err) {
		return u, err
	}
	u, err := a.accountToLink(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	err = tx.Identity.Create().
		SetUserID(u.ID).
		SetIssuer(p.Issuer).
		SetSubject(p.Subject).
		SetCreatedAt(a.config.Now()).
		Exec(ctx)
	if err != nil {
		return nil, err
	}
	return u, a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionUserLink,
		Target: userTarget(u.ID),
		Actor:  u,
		After:  audit.Facts{"provider": p.Provider.ID, "issuer": p.Issuer, "subject": p.Subject},
	})
}

// linked returns the account that belongs to the subject at the issuer.
func linked(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	return tx.Identity.Query().Where(identity.Issuer(p.Issuer), identity.Subject(p.Subject)).QueryUser().Only(ctx)
}

// accountToLink returns the account for a subject that has none: the one with its e-mail address, or a new one.
func (a *Accounts) accountToLink(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	if address := addressOf(p); address != "" {
		u, err := tx.User.Query().Where(user.UsernameKey(usernameKey(address)), database.LockRows).Only(ctx)
		if err == nil && strings.EqualFold(u.Username, address) && isASCII(u.Username) {
			if err := a.checkUnlinked(ctx, tx, u, p); err != nil {
				return nil, err
			}
			if err := a.checkFactors(ctx, tx, u, p); err != nil {
				return nil, err
			}
			return a.handOver(ctx, tx, u, address)
		}
		if err != nil && !ent.IsNotFound(err) {
			return nil, err
		}
	}
	// the first account is an admin, who has the setup token
	if !p.Provider.CreateAccounts || a.setup.get() != "" && p.Role != auth.RoleAdmin {
		a.log.WarnContext(ctx, "sign-in: the subject has no account, and none is created",
			"provider", p.Provider.ID, "subject", p.Subject)
		return nil, signin.NoAccess(p.Provider.Name)
	}
	return a.createFor(ctx, tx, p)
}

// addressOf returns the e-mail address that names a person's account; empty for none. Addresses in Unicode never do:
// different ones may look alike, or be the same username.
func addressOf(p *signin.Person) string {
	if !p.Provider.LinkByEmail || !isASCII(p.Email) || !strings.Contains(p.Email, "@") {
		return ""
	}
	return p.Email
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// handOver leaves an account to the owner of the e-mail address that is its username. Somebody else may have named it
// so: the password, the second factors, the address for messages and the subjects of providers that do not link by
// e-mail are removed, sessions, invitations and API tokens end.
func (a *Accounts) handOver(ctx context.Context, tx *ent.Tx, u *ent.User, address string) (*ent.User, error) {
	if u.SecondFactor {
		err := a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFactorReset, Target: userTarget(u.ID), Actor: u,
			After: audit.Facts{"linkedByEmail": true},
		})
		if err != nil {
			return nil, err
		}
	}
	u, err := a.dropFactors(ctx, tx, u)
	if err != nil {
		return nil, err
	}
	// the others are trusted with every account: the same person may come through several of them
	if _, err := a.unlink(ctx, tx, u, identity.IssuerNotIn(a.config.LinkIssuers...)); err != nil {
		return nil, err
	}
	update := tx.User.UpdateOne(u).
		SetPasswordHash("").
		AddTokenVersion(1).
		SetUpdatedAt(a.config.Now())
	if err := a.fillEmail(ctx, tx, update.Mutation(), u.ID, address); err != nil {
		return nil, err
	}
	if u, err = update.Save(ctx); err != nil {
		return nil, err
	}
	if err := deleteSessions(ctx, tx, u.ID); err != nil {
		return nil, err
	}
	return u, a.revokeTokens(ctx, tx, u.ID)
}

// fillEmail sets the address for messages of an account to the one that a provider has verified, or to none if another
// account has it.
func (a *Accounts) fillEmail(
	ctx context.Context, tx *ent.Tx, m *ent.UserMutation, id uuid.UUID, address string,
) error {
	address, err := mail.CheckAddress(address, "email")
	if err != nil {
		address = ""
	}
	err = a.applyEmail(ctx, tx, m, id, address)
	if fault.CodeOf(err) == fault.Conflict {
		return a.applyEmail(ctx, tx, m, id, "")
	}
	return err
}

// Unlink takes an account from those whom providers sign in to it, and ends its sessions, for people who get another
// subject at a provider. Its next sign-in is that of a new subject. It needs admin scope. fault.Conflict if no provider
// signs in to the account.
func (a *Accounts) Unlink(ctx context.Context, userID uuid.UUID) error {
	if _, _, err := owner(ctx, &userID); err != nil {
		return err
	}
	if !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return fault.New(fault.Forbidden, "unlinking an account needs admin scope")
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, userID)
		if err != nil {
			return err
		}
		n, err := a.unlink(ctx, tx, u)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "no provider signs in to the account %s", u.Username)
		}
		err = tx.User.UpdateOne(u).AddTokenVersion(1).SetUpdatedAt(a.config.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		return deleteSessions(ctx, tx, userID)
	})
}

// unlink removes the subjects of an account that meet the conditions, and returns how many there were.
func (a *Accounts) unlink(
	ctx context.Context, tx *ent.Tx, u *ent.User, which ...predicate.Identity,
) (n int, err error) {
	which = append(which, identity.UserID(u.ID))
	issuers, err := tx.Identity.Query().
		Where(which...).
		Order(identity.ByIssuer()).
		Select(identity.FieldIssuer).
		Strings(ctx)
	if err != nil || len(issuers) == 0 {
		return 0, err
	}
	if _, err := tx.Identity.Delete().Where(which...).Exec(ctx); err != nil {
		return 0, err
	}
	return len(issuers), a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionUserUnlink, Target: userTarget(u.ID), Before: audit.Facts{"issuers": issuers},
	})
}

// checkUnlinked returns fault.Forbidden if an account belongs to another subject of the issuer: an e-mail address that
// was given to somebody else must not lead into the account of the person who had it.
func (a *Accounts) checkUnlinked(ctx context.Context, tx *ent.Tx, u *ent.User, p *signin.Person) error {
	linked, err := tx.Identity.Query().Where(identity.UserID(u.ID), identity.Issuer(p.Issuer)).Exist(ctx)
	if err != nil || !linked {
		return err
	}
	a.log.WarnContext(ctx, "sign-in: the account with this e-mail address belongs to another subject",
		"provider", p.Provider.ID, "subject", p.Subject, "account", u.ID.String())
	return signin.NoAccess(p.Provider.Name)
}

// checkFactors returns fault.Forbidden if an account has a second factor, which the policy asks for after sign-ins
// through providers too: linking by e-mail would remove it, and let somebody in without it.
func (a *Accounts) checkFactors(ctx context.Context, tx *ent.Tx, u *ent.User, p *signin.Person) error {
	policy, err := policyOf(ctx, tx.FactorPolicy)
	if err != nil || !policy.Providers || !u.SecondFactor {
		return err
	}
	a.log.WarnContext(ctx, "sign-in: the account with this e-mail address has a second factor, which an admin may "+
		"remove",
		"provider", p.Provider.ID, "subject", p.Subject, "account", u.ID.String())
	return signin.NoAccess(p.Provider.Name)
}

// createFor creates an account without a password, under a name that is free.
func (a *Accounts) createFor(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	username, err := a.freeName(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	display, err := checkDisplayName(p.Name)
	if err != nil {
		display = username
	}
	now := a.config.Now()
	create := tx.User.Create().
		SetUsername(username).
		SetUsernameKey(usernameKey(username)).
		SetDisplayName(display).
		SetPasswordHash("").
		SetRole(user.RoleUser).
		SetCreatedAt(now).
		SetUpdatedAt(now)
	if err := a.fillEmail(ctx, tx, create.Mutation(), uuid.Nil, addressOf(p)); err != nil {
		return nil, err
	}
	u, err := create.Save(ctx)
	if err != nil {
		return nil, err
	}
	return u, a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionUserCreate, Target: userTarget(u.ID), Actor: u, After: userFacts(u),
	})
}

// freeName returns a username for a person that no account has. An e-mail address that is not verified is never a name:
// it could be that of somebody whose sign-in is linked to it later.
func (a *Accounts) freeName(ctx context.Context, tx *ent.Tx, p *signin.Person) (string, error) {
	isTaken, err := takenNames(ctx, tx)
	if err != nil {
		return "", err
	}
	local, _, _ := strings.Cut(p.Username, "@")
	address := addressOf(p)
	for _, base := range []string{address, local, "user"} {
		for i := range 100 {
			name := base
			if i > 0 {
				name = fmt.Sprintf("%s-%d", base, i+1)
			}
			name, err := checkNewUsername(name)
			if err != nil {
				break
			}
			if !isTaken(name) {
				return name, nil
			}
			if base == address {
				break // an address with a number is another address
			}
		}
	}
	return "user-" + strings.ToLower(uuid.NewString()[:8]), nil
}

// mapRole gives an account the role. If the role changes, its sessions end. Empty: the role stays.
func (a *Accounts) mapRole(ctx context.Context, tx *ent.Tx, u *ent.User, role auth.Role) (*ent.User, error) {
	if role == "" || user.Role(role) == u.Role {
		return u, nil
	}
	u, err := lockUser(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	if err := checkOtherAdmin(ctx, tx, u); err != nil {
		return nil, err
	}
	before := userFacts(u)
	u, err = tx.User.UpdateOne(u).
		SetRole(user.Role(role)).
		AddTokenVersion(1).
		SetUpdatedAt(a.config.Now()).
		Save(ctx)
	if err != nil {
		return nil, err
	}
	if err := deleteSessions(ctx, tx, u.ID); err != nil {
		return nil, err
	}
	return u, a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionUserUpdate, Target: userTarget(u.ID), Actor: u, Before: before, After: userFacts(u),
	})
}

// useOnce marks what may be used once until it ends (ent/schema/revokedtoken.go lists what), and reports whether it was
// not used before.
func (a *Accounts) useOnce(ctx context.Context, tx *ent.Tx, id string, ends time.Time) (bool, error) {
	const insert = "INSERT INTO revoked_tokens (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"
	result, err := tx.ExecContext(ctx, a.db.Numbered(insert), id, ends)
	if err != nil {
		return false, err
	}
	if _, err := tx.RevokedToken.Delete().Where(revokedtoken.ExpiresAtLT(a.config.Now())).Exec(ctx); err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// onceID returns the id for useOnce of what has a long or secret name.
func onceID(kind string, name ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(name, "\n")))
	return kind + ":" + hex.EncodeToString(sum[:20])
}

// EndProviderSessions ends sessions that a provider has ended: that with its session id, or all of its subject. With
// both, those of the subject end too of which the provider never told the session. It does nothing for a logout token
// that was used before.
func (a *Accounts) EndProviderSessions(ctx context.Context, e *signin.Ended) error {
	which := []predicate.Session{session.Provider(e.Provider), session.CreatedAtLTE(e.Until)}
	if e.Session != "" {
		ids := []string{e.Session}
		if e.Subject != "" {
			ids = append(ids, "")
		}
		which = append(which, session.ProviderSessionIn(ids...))
	}
	if e.Subject != "" {
		which = append(which, session.HasUserWith(
			user.HasIdentitiesWith(identity.Issuer(e.Issuer), identity.Subject(e.Subject)),
		))
	}
	return a.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		fresh, err := a.useOnce(ctx, tx, onceID("logout", e.Issuer, e.Token), e.Expires)
		if err != nil || !fresh {
			return err
		}
		if err := a.endPending(ctx, tx, e); err != nil {
			return err
		}
		list, err := tx.Session.Query().Where(which...).All(ctx)
		if err != nil {
			return err
		}
		for _, s := range list {
			if err := a.end(ctx, tx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// endPending marks what a provider has ended for the logins whose second factor is missing: they are tickets of
// clients, not sessions. A login ends with its session at the provider, or with the subject if it began until then.
func (a *Accounts) endPending(ctx context.Context, tx *ent.Tx, e *signin.Ended) error {
	var marks []string
	if e.Session != "" {
		marks = append(marks, endedSession(e.Provider, e.Session))
	}
	if e.Subject != "" {
		marks = append(marks, endedSubject(e.Issuer, e.Subject))
	}
	const insert = "INSERT INTO revoked_tokens (id, expires_at) VALUES (?, ?) " +
		"ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at"
	for _, mark := range marks {
		// tickets that end later began later
		if _, err := tx.ExecContext(ctx, a.db.Numbered(insert), mark, e.Until.Add(ticketLifetime)); err != nil {
			return err
		}
	}
	return nil
}

func endedSession(provider, session string) string { return onceID("ended-session", provider, session) }

func endedSubject(issuer, subject string) string { return onceID("ended-subject", issuer, subject) }

// checkProvider returns errTicket if the provider has ended a login whose second factor is missing.
func (a *Accounts) checkProvider(ctx context.Context, p *pending) error {
	if p.Provider == "" {
		return nil
	}
	marks := []string{endedSession(p.Provider, p.Session)}
	linked, err := a.db.Identity.Query().Where(identity.UserID(p.UserID)).All(ctx)
	if err != nil {
		return database.Translate(err)
	}
	for _, one := range linked {
		marks = append(marks, endedSubject(one.Issuer, one.Subject))
	}
	ended, err := a.db.RevokedToken.Query().
		Where(revokedtoken.IDIn(marks...), revokedtoken.ExpiresAtGTE(p.Ends)).
		Exist(ctx)
	if err == nil && ended {
		return errTicket()
	}
	return database.Translate(err)
}
