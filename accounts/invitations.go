package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// invitationLifetime is how long an invitation is valid.
const invitationLifetime = 7 * 24 * time.Hour

// An invitation consists of the id of the account, the id of the admin who created it, its expiry in seconds
// since 1970, and a signature.
const (
	invitationIssuer = 16
	invitationEnds   = invitationIssuer + 16
	invitationBody   = invitationEnds + 8
)

// Invite returns a token with which its holder can set the password of another account and log in, once. The
// token is valid until the returned time. It becomes invalid earlier if the password changes or all sessions
// of the account end, and if the caller is no longer an active admin or ends all of their own sessions.
//
// It returns fault.Forbidden without admin scope and for API tokens, fault.Invalid for the caller's own
// account, fault.NotFound if the account does not exist, and fault.Conflict if it is deactivated or password
// login is off.
func (a *Accounts) Invite(ctx context.Context, userID uuid.UUID) (token string, expires time.Time, err error) {
	return a.invite(ctx, userID, func(*ent.Tx, *invitation) error { return nil })
}

// SendInvitation is Invite, and also sends the invitation to the e-mail address of the account, in one of
// mail.Languages. It returns fault.Conflict if the account has no address or the server sends no e-mail.
func (a *Accounts) SendInvitation(
	ctx context.Context, userID uuid.UUID, language mail.Language,
) (token string, expires time.Time, err error) {
	return a.invite(ctx, userID, func(tx *ent.Tx, i *invitation) error {
		return a.mailInvitation(ctx, tx, i, language)
	})
}

// invitation is an invitation that is being created.
type invitation struct {
	user, issuer *ent.User
	token        string
	expires      time.Time
}

// invite creates an invitation. It calls also in the transaction that records the invitation.
func (a *Accounts) invite(
	ctx context.Context, userID uuid.UUID, also func(*ent.Tx, *invitation) error,
) (token string, expires time.Time, err error) {
	id, own, err := owner(ctx, &userID)
	if err != nil {
		return "", expires, err
	}
	if own {
		return "", expires, fault.OnField(
			fault.Invalid, "userId", "this is your own account, change its password instead",
		)
	}
	if a.config.NoPasswords {
		return "", expires, fault.New(
			fault.Conflict, "password login is off, so that an invitation would not be accepted",
		)
	}
	u, err := a.User(ctx, id)
	if err != nil {
		return "", expires, err
	}
	if !u.IsActive {
		return "", expires, fault.OnField(fault.Conflict, "userId", "the account is deactivated, reactivate it first")
	}
	issuer, err := a.User(ctx, auth.FromContext(ctx).UserID)
	if err != nil {
		return "", expires, err
	}
	// Use the version that was authenticated, so that a LogoutEverywhere since then invalidates this
	// invitation as well.
	issuer.TokenVersion = auth.FromContext(ctx).Version

	expires = a.config.Now().Add(invitationLifetime).Truncate(time.Second)
	body := append(id[:], issuer.ID[:]...)
	body = binary.BigEndian.AppendUint64(body, uint64(expires.Unix()))
	secret := a.keys.Derive("invitations")[0]
	token = base64.RawURLEncoding.EncodeToString(append(body, signInvitation(secret, body, u, issuer)...))
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := also(tx, &invitation{u, issuer, token, expires}); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserInvite,
			Target: userTarget(id),
			After:  audit.Facts{"expiresAt": expires},
		})
	})
	return token, expires, err
}

// AcceptInvitation sets the password of the account of an invitation, which ends the account's sessions, and
// logs in. It returns fault.Forbidden on field token for an invalid token, and fault.Invalid for an invalid
// password.
func (a *Accounts) AcceptInvitation(ctx context.Context, token, password string) (*Session, error) {
	if a.config.NoPasswords {
		return nil, fault.New(fault.Forbidden, "password login is off, sign in through a provider")
	}
	u, issuer, err := a.invited(ctx, token)
	if err != nil {
		return nil, err
	}
	if err := auth.CheckPassword(password, u.Username); err != nil {
		return nil, err
	}
	hash, err := a.passwords.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	ctx = auth.WithIdentity(ctx, auth.Identity{UserID: u.ID, Role: auth.Role(u.Role)})
	// The session gets the version that the transaction writes. A version that is read later could be that of
	// a LogoutEverywhere in between.
	fresh := *u
	fresh.TokenVersion++
	return a.begin(ctx, &login{user: &fresh, unrecorded: true, change: func(tx *ent.Tx) error {
		// Only while the token is valid, so that only one of two concurrent requests sets the password.
		accepted := tx.User.Update().
			Where(user.PasswordHash(u.PasswordHash), user.TokenVersion(u.TokenVersion), user.IsActive(true)).
			SetCodeFailures(0)
		if err := a.replacePassword(ctx, tx, accepted, u.ID, hash, errInvitation); err != nil {
			return err
		}
		mayInvite, err := tx.User.Query().
			Where(
				user.ID(issuer.ID),
				user.TokenVersion(issuer.TokenVersion),
				user.RoleEQ(user.RoleAdmin),
				user.IsActive(true),
			).
			Exist(ctx)
		if err != nil {
			return err
		}
		if !mayInvite {
			return errInvitation()
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserPassword,
			Target: userTarget(u.ID),
			After:  audit.Facts{"invitedBy": issuer.ID.String()},
		})
	}})
}

// invited returns the account of a token, and the admin who created the token. It returns fault.Forbidden if
// the token is not valid.
func (a *Accounts) invited(ctx context.Context, token string) (u, issuer *ent.User, err error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(data) != invitationBody+sha256.Size {
		return nil, nil, errInvitation()
	}
	body, signature := data[:invitationBody], data[invitationBody:]
	ends := time.Unix(int64(binary.BigEndian.Uint64(body[invitationEnds:])), 0)
	if !a.config.Now().Before(ends) {
		return nil, nil, errInvitation()
	}
	if u, err = a.activeUser(ctx, uuid.UUID(body[:invitationIssuer])); err != nil {
		return nil, nil, err
	}
	if issuer, err = a.activeUser(ctx, uuid.UUID(body[invitationIssuer:invitationEnds])); err != nil {
		return nil, nil, err
	}
	if issuer.Role != user.RoleAdmin {
		return nil, nil, errInvitation()
	}
	for _, secret := range a.keys.Derive("invitations") {
		if hmac.Equal(signature, signInvitation(secret, body, u, issuer)) {
			return u, issuer, nil
		}
	}
	return nil, nil, errInvitation()
}

// activeUser returns an account of an invitation. Invitations become invalid when the account is deactivated
// or deleted.
func (a *Accounts) activeUser(ctx context.Context, id uuid.UUID) (*ent.User, error) {
	u, err := a.User(ctx, id)
	if fault.CodeOf(err) == fault.NotFound || err == nil && !u.IsActive {
		return nil, errInvitation()
	}
	return u, err
}

// signInvitation signs an invitation, together with values that change when it is used, or when all sessions
// of its issuer end.
func signInvitation(secret string, body []byte, u, issuer *ent.User) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(u.TokenVersion)))
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(issuer.TokenVersion)))
	mac.Write([]byte(u.PasswordHash))
	return mac.Sum(nil)
}

func errInvitation() error {
	return fault.OnField(fault.Forbidden, "token", "the invitation was used or has ended, ask for a new one")
}
