package accounts

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/apitoken"
	"github.com/safelight/safelight/ent/passkey"
	"github.com/safelight/safelight/ent/session"
	"github.com/safelight/safelight/fault"
)

// A second factor is an authenticator app, which shows codes (TOTP), or a passkey. An account may have one
// app and several passkeys. With its first factor, an account gets recovery codes. Each can replace a factor
// once.

// FactorKind is a kind of second factor.
type FactorKind string

// The kinds of second factors.
const (
	FactorApp     FactorKind = "app"
	FactorPasskey FactorKind = "passkey"

	factorRecovery FactorKind = "recovery-code" // replaces one
	factorPassword FactorKind = "password"      // of an account without one
)

// FactorOffer contains what is needed to set up a factor: a secret for an app, or a challenge for a passkey.
type FactorOffer struct {
	PasskeyChallenge        // sent back with the first code of an app, or with the response of the browser
	Secret           string `json:"secret,omitempty"` // of an app, in base32, for typing
	URI              string `json:"uri,omitempty"`    // of an app: an otpauth URI, which apps open
	QR               *QR    `json:"qr,omitempty"`     // of the URI
}

// QR is a QR code as the path of an SVG.
type QR struct {
	Size int    `json:"size"` // width and height, including the quiet zone
	Path string `json:"path"`
}

// applicant is somebody who sets up a factor: the caller's session, or a login that is incomplete without a
// factor.
type applicant struct {
	user    *ent.User
	bound   string
	pending *pending
}

// applicantOf returns who sets up a factor. pendingToken is the token of a login that must set one up. If it
// is empty, the applicant is the caller's session, which must have been confirmed recently.
func (a *Accounts) applicantOf(ctx context.Context, pendingToken string) (*applicant, error) {
	if pendingToken != "" {
		p, u, err := a.readPending(ctx, pendingToken)
		if err != nil {
			return nil, err
		}
		if !p.Enroll {
			return nil, errTicket()
		}
		return &applicant{u, p.bound(), p}, nil
	}
	id, _, err := owner(ctx, nil)
	if err != nil {
		return nil, err
	}
	i := auth.FromContext(ctx)
	if !i.Confirmed {
		return nil, auth.ErrStepUp()
	}
	u, err := a.User(ctx, id)
	return &applicant{user: u, bound: "session:" + i.Session}, err
}

// OfferFactor returns what is needed to set up a factor of a kind. AddFactor then stores the factor. See
// applicantOf for pendingToken. It returns fault.Conflict if the account already has an app, and
// fault.StepUpRequired if the session must be confirmed first.
func (a *Accounts) OfferFactor(
	ctx context.Context, requestHost, pendingToken string, kind FactorKind,
) (*FactorOffer, error) {
	who, err := a.applicantOf(ctx, pendingToken)
	if err != nil {
		return nil, err
	}
	switch kind {
	case FactorPasskey:
		c, err := a.askForNewPasskey(ctx, requestHost, who.user, who.bound)
		if err != nil {
			return nil, err
		}
		return &FactorOffer{PasskeyChallenge: *c}, nil
	case FactorApp:
		return a.offerApp(requestHost, who)
	}
	return nil, fault.OnField(fault.Invalid, "kind", "%s is no kind of factor, expected app or passkey",
		fault.Quote(string(kind)))
}

// NewFactor is the response to a FactorOffer.
type NewFactor struct {
	Challenge  string
	Code       string // of an app
	Credential []byte // of a passkey: the JSON of PublicKeyCredential
	Name       string // of a passkey; empty: the name of the browser
}

// AddedFactor is the result of adding a factor.
type AddedFactor struct {
	RecoveryCodes []string `json:"recoveryCodes,omitempty"` // with the first factor; shown only once
	Session       *Session `json:"session,omitempty"`       // of a login that required it; nil if that has expired
}

// AddFactor verifies and stores a factor of OfferFactor. With the first factor of an account, it returns
// recovery codes, and ends the other sessions of the account, because they started without a factor.
func (a *Accounts) AddFactor(ctx context.Context, pendingToken string, in NewFactor) (*AddedFactor, error) {
	ctx = database.Essential(ctx)
	who, err := a.applicantOf(ctx, pendingToken)
	if err != nil {
		return nil, err
	}
	var add func(*ent.Tx, *ent.User) (audit.Facts, error)
	if in.Credential != nil {
		add, err = a.addingPasskey(ctx, who, in)
	} else {
		add, err = a.addingApp(ctx, who, in)
	}
	if err != nil {
		return nil, err
	}
	if who.pending != nil { // nobody is authenticated yet
		ctx = auth.WithIdentity(ctx, auth.Identity{
			UserID: who.user.ID, Name: who.user.Username, Role: auth.Role(who.user.Role),
		})
	}
	added := &AddedFactor{}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, who.user.ID)
		if err != nil {
			return err
		}
		if err := who.check(ctx, u); err != nil {
			return err
		}
		facts, err := add(tx, u)
		if err != nil {
			return err
		}
		update := tx.User.UpdateOne(u).SetSecondFactor(true)
		if !u.SecondFactor {
			var hashes []string
			added.RecoveryCodes, hashes = newRecoveryCodes(u.ID)
			update.SetRecoveryCodes(hashes)
			if err := a.keepOnly(ctx, tx, u.ID); err != nil {
				return err
			}
		}
		if err := update.Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFactorAdd, Target: userTarget(u.ID), After: facts,
		})
	})
	if err != nil {
		return nil, err
	}
	if who.pending != nil {
		if added.Session, err = a.complete(ctx, who.pending, nil, nil); err != nil {
			// The factor is stored, and its recovery codes are only shown once. So return them, although the
			// person must log in again.
			a.log.WarnContext(ctx, "a factor was added, but its login could not be completed", "error", err)
		}
	}
	return added, nil
}

// check returns an error if the applicant may not add a factor to the current account: a login that must set
// up a factor must not add a second one to that of the owner.
func (w *applicant) check(ctx context.Context, u *ent.User) error {
	if !u.IsActive {
		return errEnded()
	}
	if w.pending != nil {
		if u.SecondFactor || u.TokenVersion != w.pending.Version {
			return errTicket()
		}
		return nil
	}
	i := auth.FromContext(ctx)
	if u.TokenVersion != i.Version {
		return errEnded()
	}
	if u.SecondFactor && !i.HasFactor { // added since the request started
		return auth.ErrStepUp()
	}
	return nil
}

// keepOnly ends all sessions of an account except for that of the caller, who has confirmed the first second
// factor.
func (a *Accounts) keepOnly(ctx context.Context, tx *ent.Tx, userID uuid.UUID) error {
	id, err := uuid.Parse(auth.FromContext(ctx).Session)
	if err != nil {
		id = uuid.Nil // a login that is not complete yet
	}
	if _, err := tx.Session.Delete().Where(session.UserID(userID), session.IDNEQ(id)).Exec(ctx); err != nil {
		return err
	}
	return tx.Session.Update().
		Where(session.ID(id), session.UserID(userID)).
		SetConfirmedAt(a.config.Now()).
		Exec(ctx)
}

func (a *Accounts) addingPasskey(
	ctx context.Context, who *applicant, in NewFactor,
) (func(*ent.Tx, *ent.User) (audit.Facts, error), error) {
	name, err := passkeyName(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	c, err := a.readChallenge(purposeRegister, in.Challenge, who.bound)
	if err != nil {
		return nil, err
	}
	return func(tx *ent.Tx, u *ent.User) (audit.Facts, error) {
		if err := a.spend(ctx, tx, c.ticket); err != nil {
			return nil, err
		}
		facts := audit.Facts{"kind": FactorPasskey, "name": name}
		return facts, a.storePasskey(ctx, tx, u, c, name, in.Credential)
	}, nil
}

// passkeyName returns a name for a passkey. If name is empty, it returns the name of the browser that created
// the passkey.
func passkeyName(ctx context.Context, name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if name == "" {
		agent := userAgent(ctx)
		name = strings.Join(slices.DeleteFunc([]string{Browser(agent), System(agent)},
			func(part string) bool { return part == "" }), ", ")
	}
	if name == "" {
		name = "Passkey"
	}
	if utf8.RuneCountInString(name) > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.OnField(fault.Invalid, "name", "the name of a passkey has at most 100 printable characters")
	}
	return name, nil
}

// RemoveApp removes the caller's authenticator app. It returns fault.NotFound if there is none, and
// fault.Conflict for the last factor of an account that needs one.
func (a *Accounts) RemoveApp(ctx context.Context) error {
	return a.changeOwnFactors(ctx, func(tx *ent.Tx, u *ent.User) error {
		if u.TotpSecret == "" {
			return fault.New(fault.NotFound, "the account has no authenticator app")
		}
		if err := tx.User.UpdateOne(u).SetTotpSecret("").ClearTotpAddedAt().Exec(ctx); err != nil {
			return err
		}
		return a.removed(ctx, tx, u, audit.Facts{"kind": FactorApp})
	})
}

// RemovePasskey removes one of the caller's passkeys. With endSessions, it also ends the sessions that
// started with the passkey, except for the caller's. It returns fault.NotFound if the passkey does not exist,
// and fault.Conflict for the last factor of an account that needs one.
func (a *Accounts) RemovePasskey(ctx context.Context, id uuid.UUID, endSessions bool) error {
	return a.changeOwnFactors(ctx, func(tx *ent.Tx, u *ent.User) error {
		p, err := tx.Passkey.Query().Where(passkey.ID(id), passkey.UserID(u.ID)).Only(ctx)
		if err != nil {
			return database.Missing(err, "the passkey", "id")
		}
		if err := tx.Passkey.DeleteOne(p).Exec(ctx); err != nil {
			return err
		}
		if err := a.removed(ctx, tx, u, audit.Facts{"kind": FactorPasskey, "name": p.Name}); err != nil ||
			!endSessions {
			return err
		}
		began, err := tx.Session.Query().Where(session.UserID(u.ID), session.PasskeyID(id)).All(ctx)
		if err != nil {
			return err
		}
		for _, s := range began {
			if s.ID.String() == auth.FromContext(ctx).Session {
				continue
			}
			if err := a.end(ctx, tx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeOwnFactors locks the caller's account and runs change.
func (a *Accounts) changeOwnFactors(ctx context.Context, change func(*ent.Tx, *ent.User) error) error {
	id, _, err := owner(ctx, nil)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, id)
		if err != nil {
			return err
		}
		if u.TokenVersion != auth.FromContext(ctx).Version {
			return errEnded()
		}
		return change(tx, u)
	})
}

// removed completes the removal of a factor. If no factor is left, it removes the recovery codes as well.
func (a *Accounts) removed(ctx context.Context, tx *ent.Tx, before *ent.User, facts audit.Facts) error {
	u, err := tx.User.Get(ctx, before.ID)
	if err != nil {
		return err
	}
	keys, err := tx.Passkey.Query().Where(passkey.UserID(u.ID)).Exist(ctx)
	if err != nil {
		return err
	}
	if u.TotpSecret == "" && !keys {
		policy, err := a.keepPolicy(ctx, tx)
		if err != nil {
			return err
		}
		if policy.needs(u.Role) {
			return fault.New(fault.Conflict, "your role needs a second factor, add another one first")
		}
		if err := tx.User.UpdateOne(u).SetSecondFactor(false).ClearRecoveryCodes().Exec(ctx); err != nil {
			return err
		}
	}
	return a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionFactorRemove, Target: userTarget(u.ID), Before: facts,
	})
}

// ResetFactors removes all factors of an account, for people who have lost theirs, and ends its sessions.
// With apiTokens, it also revokes the API tokens. Other accounts than the caller's need admin scope. It
// returns fault.Conflict if the account has no factors.
func (a *Accounts) ResetFactors(ctx context.Context, userID uuid.UUID, apiTokens bool) error {
	id, _, err := owner(ctx, &userID)
	if err != nil {
		return err
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, id)
		if err != nil {
			return err
		}
		if !u.SecondFactor {
			return fault.OnField(fault.Conflict, "userId", "the account has no second factor")
		}
		if u, err = a.dropFactors(ctx, tx, u); err != nil {
			return err
		}
		if err := tx.User.UpdateOne(u).AddTokenVersion(1).Exec(ctx); err != nil {
			return err
		}
		if err := deleteSessions(ctx, tx, id); err != nil {
			return err
		}
		facts, err := a.revokeTokensIf(ctx, tx, apiTokens, id)
		if err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFactorReset, Target: userTarget(id), After: facts,
		})
	})
}

// dropFactors removes all factors and recovery codes of an account.
func (a *Accounts) dropFactors(ctx context.Context, tx *ent.Tx, u *ent.User) (*ent.User, error) {
	if _, err := tx.Passkey.Delete().Where(passkey.UserID(u.ID)).Exec(ctx); err != nil {
		return nil, err
	}
	return tx.User.UpdateOne(u).
		SetSecondFactor(false).
		SetTotpSecret("").
		ClearTotpAddedAt().
		SetCodeFailures(0).
		ClearRecoveryCodes().
		Save(ctx)
}

// Factors are the second factors of an account.
type Factors struct {
	AppAddedAt        *time.Time // nil: no authenticator app
	Passkeys          []*ent.Passkey
	RecoveryCodesLeft int32
	IsRequired        bool // according to the role of the account
}

// Factors returns the second factors of an account. Those of others need admin scope.
func (a *Accounts) Factors(ctx context.Context, userID uuid.UUID) (*Factors, error) {
	id, _, err := owner(ctx, &userID)
	if err != nil {
		return nil, err
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return nil, err
	}
	keys, err := a.db.Passkey.Query().Where(passkey.UserID(id)).Order(passkey.ByCreatedAt(), passkey.ByID()).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	policy, err := a.FactorPolicy(ctx)
	if err != nil {
		return nil, err
	}
	return &Factors{
		AppAddedAt: u.TotpAddedAt, Passkeys: keys, RecoveryCodesLeft: int32(len(u.RecoveryCodes)),
		IsRequired: policy.needs(u.Role),
	}, nil
}

// Passkey returns a passkey of the caller, or any passkey for admins. Otherwise, and for guests and API
// tokens, it returns fault.NotFound.
func (a *Accounts) Passkey(ctx context.Context, id uuid.UUID) (*ent.Passkey, error) {
	own, _, err := owner(ctx, nil)
	if err != nil {
		return nil, fault.OnField(fault.NotFound, "id", "the passkey does not exist") // as for an unknown id
	}
	p, err := a.db.Passkey.Get(ctx, id)
	if ent.IsNotFound(err) || err == nil && p.UserID != own && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return nil, fault.OnField(fault.NotFound, "id", "the passkey does not exist")
	}
	return p, database.Translate(err)
}

// tokenTargets returns the targets of the audit events about the newest API tokens of an account, including
// revoked ones.
func (a *Accounts) tokenTargets(ctx context.Context, userID uuid.UUID) ([]string, error) {
	ids, err := a.db.APIToken.Query().
		Where(apitoken.UserID(userID)).
		Order(apitoken.ByCreatedAt(entsql.OrderDesc()), apitoken.ByID()).
		Limit(10 * maxAPITokens).
		IDs(ctx)
	var targets []string
	for _, id := range ids {
		targets = append(targets, tokenTarget(id))
	}
	return targets, database.Translate(err)
}

// SecurityEvents returns a page of 1 to 100 audit events about how to log in to an account, newest first, after a
// cursor. Events of others need admin scope. Users do not see the addresses of admins.
func (a *Accounts) SecurityEvents(
	ctx context.Context, userID uuid.UUID, first int, after string,
) (*database.Page[*ent.AuditEvent], error) {
	id, _, err := owner(ctx, &userID)
	if err != nil {
		return nil, err
	}
	targets, err := a.tokenTargets(ctx, id)
	if err != nil {
		return nil, err
	}
	page, err := a.audit.Events(ctx, audit.Filter{Targets: append(targets, userTarget(id)), Actions: []audit.Action{
		audit.ActionUserPassword, audit.ActionUserInvite, audit.ActionUserLink, audit.ActionUserUnlink,
		audit.ActionUserUpdate, audit.ActionUserEmail, audit.ActionResetRequest, audit.ActionLogoutEverywhere,
		audit.ActionFactorAdd, audit.ActionFactorRemove, audit.ActionFactorReset, audit.ActionFactorFailed,
		audit.ActionPasskeyCopied, audit.ActionLoginPending, audit.ActionRecoveryCodes, audit.ActionRecoveryUsed,
		audit.ActionTokenCreate, audit.ActionTokenRevoke,
	}}, first, after)
	i := auth.FromContext(ctx)
	if err != nil || i.Has(auth.ScopeAdmin) {
		return page, err
	}
	for _, e := range page.Items { // the account's owner must not learn where an admin was
		if e.ActorID != nil && *e.ActorID != i.UserID {
			e.Address, e.TokenID, e.RequestID = "", "", ""
		}
	}
	return page, nil
}
