package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/mailtoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// Lifetimes of the links in e-mails, and limits of messages per account.
const (
	resetLifetime   = 30 * time.Minute
	addressLifetime = 24 * time.Hour
)

var (
	addressLimit    = mail.Limit{Max: 5, In: time.Hour}
	invitationLimit = mail.Limit{Max: 100, In: time.Hour}
)

// newMailToken stores the hash of a new token for an account, and returns the token.
func (a *Accounts) newMailToken(
	ctx context.Context, tx *ent.Tx, u *ent.User, purpose mailtoken.Purpose, address string, lifetime time.Duration,
) (string, error) {
	now := a.config.Now().UTC()
	if _, err := tx.MailToken.Delete().Where(mailtoken.EndsAtLTE(now)).Exec(ctx); err != nil {
		return "", err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	err := tx.MailToken.Create().
		SetID(hashMailToken(token)).
		SetUserID(u.ID).
		SetPurpose(purpose).
		SetAddress(address).
		SetVersion(u.TokenVersion).
		SetEndsAt(now.Add(lifetime)).
		Exec(ctx)
	return token, err
}

func hashMailToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// mailToken returns a token with its account, or errMailToken if the token is not valid. All tokens of an
// account become invalid when all its sessions end, when it is deactivated, and with a new password.
func (a *Accounts) mailToken(
	ctx context.Context, db *ent.Client, token string, purpose mailtoken.Purpose,
) (*ent.MailToken, error) {
	t, err := db.MailToken.Query().
		Where(
			mailtoken.ID(hashMailToken(token)), mailtoken.PurposeEQ(purpose),
			mailtoken.EndsAtGT(a.config.Now().UTC()),
		).
		WithUser().
		Only(ctx)
	if ent.IsNotFound(err) {
		return nil, errMailToken()
	}
	if err != nil {
		return nil, database.Translate(err)
	}
	if u := t.Edges.User; !u.IsActive || u.TokenVersion != t.Version {
		return nil, errMailToken()
	}
	return t, nil
}

func errMailToken() error {
	return fault.OnField(fault.Forbidden, "token", "the link was used or has ended, ask for a new one")
}

// ResetLink returns the content of a message with a link that resets a password, for the active account with
// a confirmed address. It returns nil if there is no such account, if it has no password, or if password
// login is off.
func (a *Accounts) ResetLink(ctx context.Context, address string) (content *mail.Content, err error) {
	if a.config.NoPasswords {
		return nil, nil
	}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := tx.User.Query().
			Where(user.EmailKey(mail.Key(address)), user.IsActive(true), user.PasswordHashNEQ("")).
			Only(ctx)
		if ent.IsNotFound(err) {
			content = nil
			return nil
		}
		if err != nil {
			return err
		}
		token, err := a.newMailToken(ctx, tx, u, mailtoken.PurposeReset, u.Email, resetLifetime)
		if err != nil {
			return err
		}
		content = &mail.Content{Link: a.config.Mail.URL("/reset#" + token), Name: u.Username}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionResetRequest, Target: userTarget(u.ID)})
	})
	return content, err
}

// tellPassword sends a message to the address of an account that its password was changed. If too many
// messages are waiting, it sends none and returns no error. Otherwise somebody could fill the outbox to
// prevent others from changing their passwords.
func (a *Accounts) tellPassword(ctx context.Context, tx *ent.Tx, u *ent.User, language mail.Language) error {
	if u.Email == "" || !a.config.Mail.On() {
		return nil
	}
	err := a.config.Mail.Add(ctx, tx.Client(), mail.Message{
		Kind: mail.KindPassword, To: u.Email, Language: language,
		Content: mail.Content{Link: a.config.Mail.URL("/me"), Name: u.Username},
	})
	if fault.CodeOf(err) == fault.RateLimited {
		return nil
	}
	return err
}

// ResetPassword sets the password of the account of a token of ResetLink, which ends the account's sessions,
// and notifies its address in language. It logs in, or returns a pending login if a second factor is
// required. It returns fault.Forbidden on field token for an invalid token, and fault.Invalid for an invalid
// password.
func (a *Accounts) ResetPassword(
	ctx context.Context, token, password string, language mail.Language,
) (*Session, error) {
	if a.config.NoPasswords {
		return nil, fault.New(fault.Forbidden, "password login is off, sign in through a provider")
	}
	t, err := a.mailToken(ctx, a.db.Client, token, mailtoken.PurposeReset)
	if err != nil {
		return nil, err
	}
	u := t.Edges.User
	if err := auth.CheckPassword(password, u.Username); err != nil {
		return nil, err
	}
	hash, err := a.passwords.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	ctx = auth.WithIdentity(ctx, auth.Identity{UserID: u.ID, Role: auth.Role(u.Role), Name: u.Username})
	fresh := *u // see AcceptInvitation
	fresh.TokenVersion++
	return a.begin(ctx, &login{user: &fresh, unrecorded: true, change: func(tx *ent.Tx) error {
		// Only while the token is valid, so that only one of two concurrent requests sets the password.
		n, err := tx.MailToken.Delete().Where(mailtoken.ID(t.ID)).Exec(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return errMailToken()
		}
		// Keep the count of wrong codes: access to the mailbox alone must not allow more guesses of the
		// second factor.
		accepted := tx.User.Update().
			Where(user.TokenVersion(u.TokenVersion), user.IsActive(true), user.EmailKey(mail.Key(t.Address)))
		if err := a.replacePassword(ctx, tx, accepted, u.ID, hash, errMailToken); err != nil {
			return err
		}
		if err := deleteMailTokens(ctx, tx, u.ID); err != nil {
			return err
		}
		if err := a.tellPassword(ctx, tx, u, language); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserPassword,
			Target: userTarget(u.ID),
			After:  audit.Facts{"reset": true},
		})
	}})
}

func deleteMailTokens(ctx context.Context, tx *ent.Tx, id uuid.UUID) error {
	_, err := tx.MailToken.Delete().Where(mailtoken.UserID(id)).Exec(ctx)
	return err
}

// ChangeEmail sends a link to an address, which becomes the caller's address when the link is opened. An
// empty address removes the current one immediately. The current address is notified when it changes. It
// returns fault.RateLimited after too many messages, and fault.Conflict if the server sends no e-mail.
func (a *Accounts) ChangeEmail(ctx context.Context, address string, language mail.Language) error {
	id, _, err := owner(ctx, nil)
	if err != nil {
		return err
	}
	if address != "" {
		if address, err = mail.CheckAddress(address, "email"); err != nil {
			return err
		}
	}
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		u, err := lockOne(ctx, tx, id)
		if err != nil {
			return err
		}
		if address == "" {
			_, err := a.setEmail(ctx, tx, u, "", language)
			return err
		}
		if err := a.config.Mail.Room(ctx, tx.Client(), id, mail.KindAddress, 1, addressLimit); err != nil {
			return err
		}
		token, err := a.newMailToken(ctx, tx, u, mailtoken.PurposeAddress, address, addressLifetime)
		if err != nil {
			return err
		}
		err = a.config.Mail.Add(ctx, tx.Client(), mail.Message{
			Kind: mail.KindAddress, To: address, Language: language, Sender: &id,
			Content: mail.Content{Link: a.config.Mail.URL("/confirm#" + token), Name: u.Username},
		})
		if err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserEmail, Target: userTarget(id), After: audit.Facts{"asked": address},
		})
	})
}

// ConfirmEmail sets the address of an account to the one to which a token of ChangeEmail was sent, and
// returns it. The previous address is notified. It returns fault.Forbidden on field token for an invalid
// token, and fault.Conflict if another account has the address.
func (a *Accounts) ConfirmEmail(ctx context.Context, token string, language mail.Language) (address string, err error) {
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		t, err := a.mailToken(ctx, tx.Client(), token, mailtoken.PurposeAddress)
		if err != nil {
			return err
		}
		u := t.Edges.User
		ctx := auth.WithIdentity(ctx, auth.Identity{UserID: u.ID, Role: auth.Role(u.Role), Name: u.Username})
		u, err = a.setEmail(ctx, tx, u, t.Address, language)
		if err == nil {
			address = u.Email
		}
		return err
	})
	return address, err
}

// setEmail sets or, if it is empty, removes the address of an account. It returns fault.Conflict if another
// account has the address.
func (a *Accounts) setEmail(
	ctx context.Context, tx *ent.Tx, u *ent.User, address string, language mail.Language,
) (*ent.User, error) {
	before := u.Email
	update := tx.User.UpdateOne(u).SetUpdatedAt(a.config.Now())
	if err := a.replaceEmail(ctx, tx, update.Mutation(), u, address, language); err != nil {
		return nil, err
	}
	u, err := update.Save(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	return u, a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionUserEmail,
		Target: userTarget(u.ID),
		Before: audit.Facts{"email": before},
		After:  audit.Facts{"email": u.Email},
	})
}

// replaceEmail sets the address in a mutation of an account, invalidates the links that were sent to the
// previous address, and notifies that address. It returns fault.Conflict if another account has the new
// address.
func (a *Accounts) replaceEmail(
	ctx context.Context, tx *ent.Tx, m *ent.UserMutation, u *ent.User, address string, language mail.Language,
) error {
	if err := deleteMailTokens(ctx, tx, u.ID); err != nil {
		return err
	}
	if err := a.applyEmail(ctx, tx, m, u.ID, address); err != nil {
		return err
	}
	if u.Email == "" || mail.Key(u.Email) == mail.Key(address) || !a.config.Mail.On() {
		return nil
	}
	return a.config.Mail.Add(ctx, tx.Client(), mail.Message{
		Kind: mail.KindChanged, To: u.Email, Language: language,
		Content: mail.Content{Link: a.config.Mail.URL("/me"), Name: u.Username},
	})
}

// applyEmail sets the address in a mutation of an account. It returns fault.Conflict if another account has
// the address.
func (a *Accounts) applyEmail(
	ctx context.Context, tx *ent.Tx, m *ent.UserMutation, id uuid.UUID, address string,
) error {
	if address == "" {
		m.SetEmail("")
		m.ClearEmailKey()
		return nil
	}
	if err := a.db.LockNames(ctx, tx.Client(), "addresses"); err != nil {
		return err
	}
	taken, err := tx.User.Query().Where(user.EmailKey(mail.Key(address)), user.IDNEQ(id)).Exist(ctx)
	if err != nil {
		return err
	}
	if taken {
		return fault.OnField(fault.Conflict, "email", "another account has the address %s", address)
	}
	m.SetEmail(address)
	m.SetEmailKey(mail.Key(address))
	return nil
}

// Email returns the address of an account to its owner and to admins. It is empty for others, and if the
// account has no address.
func (a *Accounts) Email(ctx context.Context, u *ent.User) string {
	i := auth.FromContext(ctx)
	if i.UserID != u.ID && !i.Has(auth.ScopeAdmin) || i.APIToken && !i.Has(auth.ScopeAdmin) {
		return ""
	}
	return u.Email
}

// mailInvitation sends an invitation to the address of its account. It returns fault.Conflict if the account
// has no address.
func (a *Accounts) mailInvitation(
	ctx context.Context, tx *ent.Tx, i *invitation, language mail.Language,
) error {
	if i.user.Email == "" {
		return fault.OnField(fault.Conflict, "userId", "the account has no e-mail address, set one first")
	}
	m := a.config.Mail
	if err := m.Room(ctx, tx.Client(), i.issuer.ID, mail.KindInvitation, 1, invitationLimit); err != nil {
		return err
	}
	return m.Add(ctx, tx.Client(), mail.Message{
		Kind: mail.KindInvitation, To: i.user.Email, Language: language, Sender: &i.issuer.ID,
		Content: mail.Content{
			Link: m.URL("/setup#invitation=" + i.token), From: i.issuer.DisplayName, Name: i.user.Username,
			Until: i.expires.UTC().Format(time.RFC3339),
		},
	})
}
