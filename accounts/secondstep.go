package accounts

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/passkey"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// confirmedFor is how long sensitive changes are allowed after the second factor was confirmed.
const confirmedFor = 10 * time.Minute

const purposePending = "pending login"

// pending is a login whose second factor is missing. It is not a session: only SecondStep, AddFactor and
// their challenges accept it.
type pending struct {
	ticket
	UserID   uuid.UUID   `json:"user"`
	Version  int         `json:"version"` // token_version of the account
	Enroll   bool        `json:"enroll"`  // the account needs a factor but has none
	Provider string      `json:"provider,omitempty"`
	Session  string      `json:"session,omitempty"` // session id at the provider
	Facts    audit.Facts `json:"facts,omitempty"`   // for the audit event of the login
}

// bound returns the value of challenge.Bound for this login.
func (p *pending) bound() string { return "login:" + p.ID }

// PendingLogin is returned instead of a session while the second factor is missing.
type PendingLogin struct {
	Token     string       `json:"token"`
	ExpiresIn int64        `json:"expiresIn"` // seconds
	Factors   []FactorKind `json:"factors"`   // factors of the account; empty: it must set one up first
}

// pend returns a pending login for an account that needs a second factor.
func (a *Accounts) pend(ctx context.Context, tx *ent.Tx, u *ent.User, l *login, enroll bool) (*PendingLogin, error) {
	p := pending{
		ticket: a.newTicket(), UserID: u.ID, Version: l.user.TokenVersion, Enroll: enroll,
		Provider: l.provider, Session: l.providerSession, Facts: l.facts,
	}
	text, err := a.signTicket(purposePending, p)
	if err != nil {
		return nil, err
	}
	if err := a.recordPending(ctx, tx, u, l); err != nil {
		return nil, err
	}
	answer := &PendingLogin{Token: text, ExpiresIn: int64(ticketLifetime.Seconds()), Factors: []FactorKind{}}
	if enroll {
		return answer, nil
	}
	keys, err := tx.Passkey.Query().Where(passkey.UserID(u.ID)).Exist(ctx)
	if keys {
		answer.Factors = append(answer.Factors, FactorPasskey)
	}
	if u.TotpSecret != "" {
		answer.Factors = append(answer.Factors, FactorApp)
	}
	return answer, err
}

// recordPending records that somebody had the password but no second factor yet, at most once a minute per
// account.
func (a *Accounts) recordPending(ctx context.Context, tx *ent.Tx, u *ent.User, l *login) error {
	now := a.config.Now()
	minute := strconv.FormatInt(now.Unix()/60, 10)
	fresh, err := a.useOnce(ctx, tx, onceID("pending", u.ID.String(), minute), now.Add(time.Minute))
	if err != nil || !fresh {
		return err
	}
	e := audit.Event{Action: audit.ActionLoginPending, Target: userTarget(u.ID)}
	if l.provider != "" {
		e.After = audit.Facts{"provider": l.provider}
	}
	return a.audit.Record(ctx, tx, e)
}

// readPending returns a pending login and its account. It returns fault.Unauthenticated if the login has
// expired.
func (a *Accounts) readPending(ctx context.Context, token string) (*pending, *ent.User, error) {
	var p pending
	if err := a.readTicket(purposePending, token, &p); err != nil {
		return nil, nil, err
	}
	u, err := a.db.User.Query().
		Where(user.ID(p.UserID), user.TokenVersion(p.Version), user.IsActive(true)).
		Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, errTicket()
	}
	if err != nil {
		return nil, nil, database.Translate(err)
	}
	return &p, u, a.checkProvider(ctx, &p)
}

// Proof is the evidence for a second factor: a code of the app, a recovery code, or the response of a passkey
// to a challenge.
type Proof struct {
	Code       string
	Challenge  string
	Credential []byte // JSON of PublicKeyCredential
	Password   string // of an account without a second factor; only for Confirm
}

// PasskeyOptions returns a challenge for a passkey: for a login that needs a second factor, for the caller's
// session, or without either for signing in with only a passkey. requestHost is `name[:port]`.
func (a *Accounts) PasskeyOptions(ctx context.Context, requestHost, pendingToken string) (*PasskeyChallenge, error) {
	if pendingToken != "" {
		p, u, err := a.readPending(ctx, pendingToken)
		if err != nil {
			return nil, err
		}
		return a.askForPasskey(ctx, requestHost, u, p.bound())
	}
	if auth.FromContext(ctx).IsAnonymous() {
		if a.config.NoPasswords {
			return nil, errNoPasskeyLogin()
		}
		return a.askForPasskey(ctx, requestHost, nil, boundToNothing)
	}
	id, _, err := owner(ctx, nil)
	if err != nil {
		return nil, err
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.askForPasskey(ctx, requestHost, u, "session:"+auth.FromContext(ctx).Session)
}

// SecondStep completes a login with its second factor. It returns fault.LoginFailed for a wrong factor,
// fault.Unauthenticated for an expired login, and fault.RateLimited after too many attempts.
func (a *Accounts) SecondStep(ctx context.Context, token string, proof Proof) (*Session, error) {
	ctx = database.Essential(ctx)
	p, u, err := a.readPending(ctx, token)
	if err != nil {
		return nil, err
	}
	if p.Enroll {
		return nil, errTicket()
	}
	proved, err := a.prove(ctx, u, p.bound(), proof)
	if err != nil {
		return nil, err
	}
	if proved == nil {
		return nil, fault.OnField(fault.LoginFailed, "code", "the second factor is wrong")
	}
	return a.complete(ctx, p, proved.passkey, audit.Facts{"factor": proved.kind})
}

// complete starts the session of a login whose second factor was confirmed. passkey is the id of the passkey
// that was used, or nil.
func (a *Accounts) complete(
	ctx context.Context, p *pending, passkey *uuid.UUID, facts audit.Facts,
) (*Session, error) {
	u, err := a.User(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	if u.TokenVersion != p.Version || !u.IsActive {
		return nil, errTicket()
	}
	all := audit.Facts{}
	for _, f := range []audit.Facts{p.Facts, facts} {
		for name, fact := range f {
			all[name] = fact
		}
	}
	return a.begin(ctx, &login{
		user: u, provider: p.Provider, providerSession: p.Session, passkey: passkey, facts: all, confirmed: true,
		change: func(tx *ent.Tx) error { return a.spend(ctx, tx, p.ticket) },
	})
}

// proved is a confirmed second factor.
type proved struct {
	kind    FactorKind
	passkey *uuid.UUID // nil for other kinds
}

// prove verifies a second factor of an account. If the factor is wrong, it records that and returns nil. It
// returns fault.RateLimited after too many attempts from the address or for the account.
func (a *Accounts) prove(ctx context.Context, u *ent.User, bound string, proof Proof) (p *proved, err error) {
	_, err = a.attempt(ctx, "second factor of "+u.ID.String(), func() (bool, error) {
		p, err = a.verifyProof(ctx, u.ID, bound, proof)
		return p != nil, err
	})
	if err != nil || p != nil {
		return p, err
	}
	return nil, a.factorFailed(ctx, u)
}

// attempt is Failures.Attempt for the caller's address. A rejected ticket counts as a failure, because
// otherwise used tickets could be sent without limit.
func (a *Accounts) attempt(ctx context.Context, name string, verify func() (bool, error)) (bool, error) {
	var refused error
	ok, err := a.logins.Attempt(ctx, auth.AddressFrom(ctx), name, func() (bool, error) {
		ok, err := verify()
		if fault.CodeOf(err) == fault.Unauthenticated {
			refused, err = err, nil
		}
		return ok, err
	})
	if err == nil {
		err = refused
	}
	return ok, err
}

func (a *Accounts) factorFailed(ctx context.Context, u *ent.User) error {
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionFactorFailed, Target: userTarget(u.ID)})
	})
}

func (a *Accounts) verifyProof(
	ctx context.Context, userID uuid.UUID, bound string, proof Proof,
) (p *proved, err error) {
	var c *challenge
	var parsed *protocol.ParsedCredentialAssertionData
	if proof.Credential != nil {
		if c, err = a.readChallenge(purposeAssert, proof.Challenge, bound); err != nil {
			return nil, err
		}
		if parsed, err = parseAnswer(proof.Credential); err != nil {
			return nil, a.refusedAnswer(ctx, err)
		}
	}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		p = nil
		u, err := lockOne(ctx, tx, userID)
		if err != nil {
			return err
		}
		if c != nil {
			_, id, err := a.assertPasskey(ctx, tx, u, c, parsed)
			if err == nil {
				p = &proved{FactorPasskey, &id}
			}
			return err
		}
		code, use, of := compact(proof.Code), a.useRecoveryCode, factorRecovery
		if len(code) == totpDigits {
			use, of = a.useAppCode, FactorApp
		}
		ok, err := use(ctx, tx, u, code)
		if ok {
			p = &proved{kind: of}
		}
		return err
	})
	return p, a.refusedAnswer(ctx, err)
}

// refusedAnswer logs an errPasskey and returns nil for it. It returns other errors unchanged. If a passkey
// may have been copied, it writes an audit event.
func (a *Accounts) refusedAnswer(ctx context.Context, err error) error {
	if !errors.Is(err, errPasskey) {
		return err
	}
	var copied *copiedPasskey
	if !errors.As(err, &copied) {
		a.log.InfoContext(ctx, "a passkey was refused", "error", err)
		return nil
	}
	a.log.WarnContext(ctx, "a passkey was refused", "error", err, "account", copied.userID.String())
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionPasskeyCopied,
			Target: userTarget(copied.userID),
			After:  audit.Facts{"kind": FactorPasskey, "name": copied.name},
		})
	})
}

// PasskeyLogin returns a session for somebody who signs in with only a passkey. It counts as password and
// second factor, because the passkey verifies the user. It returns fault.LoginFailed if the response of the
// passkey is invalid.
func (a *Accounts) PasskeyLogin(ctx context.Context, proof Proof) (*Session, error) {
	if a.config.NoPasswords {
		return nil, errNoPasskeyLogin()
	}
	ctx = database.Essential(ctx)
	var u *ent.User
	var id uuid.UUID
	ok, err := a.attempt(ctx, "passkey", func() (bool, error) {
		c, err := a.readChallenge(purposeAssert, proof.Challenge, boundToNothing)
		if err != nil {
			return false, err
		}
		parsed, err := parseAnswer(proof.Credential)
		if err == nil {
			err = a.checkKnown(ctx, parsed) // first, because anybody can call this and writes are expensive
		}
		if err == nil {
			err = a.db.Transact(ctx, func(tx *ent.Tx) (err error) {
				u, id, err = a.assertPasskey(ctx, tx, nil, c, parsed)
				return err
			})
		}
		if errors.Is(err, errPasskey) {
			return false, a.refusedAnswer(ctx, err)
		}
		// The provider decides whether an account without a password may still sign in.
		return err == nil && u.IsActive && u.PasswordHash != "", err
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, a.loginFailed(ctx, u)
	}
	return a.begin(ctx, &login{
		user: u, passkey: &id, facts: audit.Facts{"factor": FactorPasskey, "password": false}, confirmed: true,
	})
}

func errNoPasskeyLogin() error {
	return fault.New(fault.Forbidden, "password login is off, sign in through a provider")
}

// Confirm confirms the caller's second factor for sensitive changes in the next 10 minutes. An account
// without a second factor confirms its password instead. It returns fault.Invalid on field code or password
// for a wrong one, and fault.RateLimited after too many attempts.
func (a *Accounts) Confirm(ctx context.Context, proof Proof) error {
	ctx = database.Essential(ctx)
	id, _, err := owner(ctx, nil)
	if err != nil {
		return err
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return err
	}
	i := auth.FromContext(ctx)
	if err := a.proveOwn(ctx, u, "session:"+i.Session, proof); err != nil {
		return err
	}
	sessionID, err := uuid.Parse(i.Session)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		now, err := lockOne(ctx, tx, id)
		if err != nil {
			return err
		}
		if now.SecondFactor != u.SecondFactor { // a password does not confirm a factor that was added in the meantime
			return auth.ErrStepUp()
		}
		n, err := tx.Session.Update().
			Where(session.ID(sessionID), session.UserID(id), session.Version(now.TokenVersion)).
			SetConfirmedAt(a.config.Now()).
			Save(ctx)
		if err == nil && n == 0 {
			return errEnded()
		}
		return err
	})
}

func (a *Accounts) proveOwn(ctx context.Context, u *ent.User, bound string, proof Proof) error {
	if u.SecondFactor {
		p, err := a.prove(ctx, u, bound, proof)
		if err == nil && p == nil {
			return fault.OnField(fault.Invalid, "code", "the second factor is wrong")
		}
		return err
	}
	if a.config.NoPasswords || u.PasswordHash == "" {
		return fault.New(fault.Conflict, "there is nothing to confirm with, log out and sign in again")
	}
	return fault.WithField(a.checkCurrent(ctx, u, proof.Password), "password")
}

// isConfirmed reports whether a session recently confirmed the second factor, or recently started without
// one.
func (a *Accounts) isConfirmed(s *ent.Session) bool {
	return s.ConfirmedAt != nil && a.config.Now().Sub(*s.ConfirmedAt) < confirmedFor
}
