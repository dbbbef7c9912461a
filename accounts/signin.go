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

// FinishSignIn calls finish, which verifies a provider's response with that state, and SignIn for the person it returns.
// The server asks the provider about each response, and anybody can start a sign-in. So a response that is refused
// counts as a failed login of the address in ctx. Beyond the limit, it returns fault.RateLimited with RetryAfter, else
// the error of finish or SignIn.
func (a *Accounts) FinishSignIn(
	ctx context.Context, state string, finish func() (*signin.Person, error),
) (*Session, *signin.Person, error) {
	var p *signin.Person
	// each state has its own counter, so that sign-ins share only the limit of the address
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

// SignIn returns a session for a person whom a provider has signed in. The account is the one that belongs to the
// subject at the issuer. If the provider's settings allow it, a new subject is linked to the account with its verified
// e-mail address as username, or gets a new account. If claims are mapped to roles, the account's role is updated.
//
// It returns fault.Forbidden if the person has no access, fault.Unauthenticated for a sign-in that was used
// before, and fault.Conflict if the last active admin would lose the role. These failures are recorded in the
// audit log.
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

// signInFailed records that a person was rejected, and returns the reason.
func (a *Accounts) signInFailed(ctx context.Context, p *signin.Person, why error) error {
	switch fault.CodeOf(why) {
	case fault.Forbidden, fault.Unauthenticated, fault.Conflict:
	default:
		return why // an error of the server
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

// recordLogin stores when and how an account logged in. nil facts mean a login with a password.
func (a *Accounts) recordLogin(ctx context.Context, tx *ent.Tx, u *ent.User, facts audit.Facts) error {
	if err := tx.User.UpdateOne(u).SetLastLoginAt(a.config.Now()).Exec(ctx); err != nil {
		return err
	}
	return a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionLogin, Target: userTarget(u.ID), Actor: u, After: facts,
	})
}

// accountOf returns the account of a person. It first links a new subject to an account.
func (a *Accounts) accountOf(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	if u, err := linked(ctx, tx, p); err == nil || !ent.IsNotFound(err) {
		return u, err
	}
	// Two concurrent first sign-ins must not both create an account.
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

// linked returns the account of the subject at the issuer.
func linked(ctx context.Context, tx *ent.Tx, p *signin.Person) (*ent.User, error) {
	return tx.Identity.Query().Where(identity.Issuer(p.Issuer), identity.Subject(p.Subject)).QueryUser().Only(ctx)
}

// accountToLink returns the account for a new subject: the one with its e-mail address, or a new one.
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
	// The first account must be an admin: until it exists, nobody else gets one.
	if !p.Provider.CreateAccounts || a.setup.get() != "" && p.Role != auth.RoleAdmin {
		a.log.WarnContext(ctx, "sign-in: the subject has no account, and none is created",
			"provider", p.Provider.ID, "subject", p.Subject)
		return nil, signin.NoAccess(p.Provider.Name)
	}
	return a.createFor(ctx, tx, p)
}

// addressOf returns the e-mail address that is a person's username, or an empty text. It ignores addresses
// with Unicode characters, because different ones may look alike or be the same username.
func addressOf(p *signin.Person) string {
	if !p.Provider.LinkByEmail || !isASCII(p.Email) || !strings.Contains(p.Email, "@") {
		return ""
	}
	return p.Email
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// handOver gives an account to the owner of the e-mail address that is its username. Somebody else may have created the
// account with this name. So it removes the password, the second factors, the address for messages and the subjects of
// providers that do not link by e-mail, and ends sessions, invitations and API tokens.
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

// fillEmail sets the address for messages of an account to the address that a provider has verified. If
// another account has the address, it sets none.
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

// Unlink removes the link between an account and its subjects at providers, and ends the account's sessions.
// It is for people who get a new subject at a provider. The next sign-in counts as that of a new subject. It
// needs admin scope. It returns fault.Conflict if the account is not linked.
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

// checkUnlinked returns fault.Forbidden if an account belongs to a different subject of the issuer. If an
// e-mail address was reassigned, its new owner must not get access to the previous owner's account.
func (a *Accounts) checkUnlinked(ctx context.Context, tx *ent.Tx, u *ent.User, p *signin.Person) error {
	linked, err := tx.Identity.Query().Where(identity.UserID(u.ID), identity.Issuer(p.Issuer)).Exist(ctx)
	if err != nil || !linked {
		return err
	}
	a.log.WarnContext(ctx, "sign-in: the account with this e-mail address belongs to another subject",
		"provider", p.Provider.ID, "subject", p.Subject, "account", u.ID.String())
	return signin.NoAccess(p.Provider.Name)
}

// checkFactors returns fault.Forbidden if an account has a second factor and the policy also requires it
// after sign-ins through providers. Linking by e-mail would remove the factor, and so bypass it.
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

// createFor creates an account without a password, with an unused name.
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

// freeName returns an unused username for a person. It never uses an unverified e-mail address, because that
// could belong to somebody whose sign-in is linked to it later.
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
				break // an address with a number would be a different address
			}
		}
	}
	return "user-" + strings.ToLower(uuid.NewString()[:8]), nil
}

// mapRole sets the role of an account. If the role changes, it ends the account's sessions. An empty role
// changes nothing.
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

// useOnce marks something as used until it expires (ent/schema/revokedtoken.go lists what), and reports
// whether it was unused.
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

// onceID returns the id for useOnce of something with a long or secret name.
func onceID(kind string, name ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(name, "\n")))
	return kind + ":" + hex.EncodeToString(sum[:20])
}

// EndProviderSessions ends sessions that a provider has ended: the one with its session id, or all sessions
// of its subject. If both are given, it also ends those sessions of the subject for which the provider never
// sent a session id. It does nothing if the logout token was used before.
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

// endPending records what a provider has ended, so that pending logins are rejected. Pending logins are
// tickets of clients, not stored sessions. A pending login ends with its session at the provider, or with its
// subject if the login started before.
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
		// Tickets that expire later were created later.
		if _, err := tx.ExecContext(ctx, a.db.Numbered(insert), mark, e.Until.Add(ticketLifetime)); err != nil {
			return err
		}
	}
	return nil
}

func endedSession(provider, session string) string { return onceID("ended-session", provider, session) }

func endedSubject(issuer, subject string) string { return onceID("ended-subject", issuer, subject) }

// checkProvider returns errTicket if the provider has ended a pending login.
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
