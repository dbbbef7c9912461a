package accounts

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rsc.io/qr"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// newFactor is a ticket for setting up an authenticator app.
type newFactor struct {
	ticket
	Bound  string `json:"bound"`
	Secret string `json:"secret"` // encrypted
}

const (
	purposeApp     = "authenticator app"     // of tickets
	purposeSecrets = "authenticator secrets" // of the key that seals them, which all servers have
)

func (a *Accounts) offerApp(requestHost string, who *applicant) (*FactorOffer, error) {
	if who.user.TotpSecret != "" {
		return nil, errSecondApp()
	}
	secret := make([]byte, totpBytes)
	_, _ = rand.Read(secret) // never fails: without randomness Go ends the program
	sealed, err := a.keys.SealShared(purposeSecrets, string(secret))
	if err != nil {
		return nil, err
	}
	text, err := a.signTicket(purposeApp, newFactor{a.newTicket(), who.bound, sealed})
	if err != nil {
		return nil, err
	}
	host := requestHost
	if u, err := url.Parse(a.config.PublicURL); err == nil && u.Host != "" {
		host = u.Host
	}
	offer := &FactorOffer{
		PasskeyChallenge: PasskeyChallenge{Challenge: text},
		Secret:           base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret),
	}
	label := url.PathEscape("Safelight") + ":" + url.PathEscape(who.user.Username+" ("+host+")")
	offer.URI = "otpauth://totp/" + label + "?secret=" + offer.Secret + "&issuer=Safelight"
	offer.QR, err = qrOf(offer.URI)
	return offer, err
}

func errSecondApp() error {
	return fault.New(fault.Conflict, "the account has an authenticator app, remove it first")
}

// qrOf returns the QR code of a text.
func qrOf(text string) (*QR, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, err
	}
	const quiet = 4
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return &QR{Size: code.Size + 2*quiet, Path: path.String()}, nil
}

func (a *Accounts) addingApp(
	ctx context.Context, who *applicant, in NewFactor,
) (func(*ent.Tx, *ent.User) (audit.Facts, error), error) {
	var n newFactor
	if err := a.readTicket(purposeApp, in.Challenge, &n); err != nil {
		return nil, err
	}
	if n.Bound != who.bound {
		return nil, errTicket()
	}
	secret, err := a.keys.UnsealShared(purposeSecrets, n.Secret)
	if err != nil {
		return nil, err
	}
	step, ok := totpStep([]byte(secret), compact(in.Code), a.config.Now(), 0)
	if !ok { // whoever has the ticket knows the secret, so attempts need no limit
		return nil, fault.OnField(fault.Invalid, "code", "the code is wrong, check the clock of the device")
	}
	return func(tx *ent.Tx, u *ent.User) (audit.Facts, error) {
		if u.TotpSecret != "" {
			return nil, errSecondApp()
		}
		if err := a.spend(ctx, tx, n.ticket); err != nil {
			return nil, err
		}
		facts := audit.Facts{"kind": FactorApp}
		return facts, tx.User.UpdateOne(u).
			SetTotpSecret(n.Secret).
			SetTotpStep(step).
			SetTotpAddedAt(a.config.Now()).
			SetCodeFailures(0).
			Exec(ctx)
	}, nil
}

// The limit of wrong app codes for each account, across all servers. It is needed because somebody who knows
// the password could try all six-digit codes. After five consecutive wrong codes, each further one doubles
// the time during which no code is accepted. Passkeys and recovery codes still work, and reset the limit, as
// a new password does.
const (
	freeFailures  = 5
	firstWait     = 30 * time.Second
	longestWait   = time.Hour
	waitDoublings = 7 // until longestWait is reached
)

// useAppCode reports whether a code of an account's app is correct, and uses it up. The account must be
// locked. It returns fault.RateLimited after too many wrong codes, and fault.Conflict if the secret of the
// app cannot be decrypted.
func (a *Accounts) useAppCode(ctx context.Context, tx *ent.Tx, u *ent.User, code string) (bool, error) {
	if u.TotpSecret == "" {
		return false, nil
	}
	now := a.config.Now()
	if over := u.CodeFailures - freeFailures; over >= 0 && u.CodeFailedAt != nil {
		wait := min(firstWait<<min(over, waitDoublings), longestWait)
		if left := u.CodeFailedAt.Add(wait).Sub(now); left > 0 {
			f := fault.New(fault.RateLimited, "too many wrong codes, try again later or use a recovery code")
			f.RetryAfter = left
			return false, f
		}
	}
	secret, err := a.keys.UnsealShared(purposeSecrets, u.TotpSecret)
	if errors.Is(err, auth.ErrOtherSecret) {
		return false, fault.Wrap(err, fault.Conflict,
			"this server cannot check the app any more, because it has another "+
				"token secret or key file: use a passkey or a recovery code, or ask an admin to remove the second "+
				"factors")
	}
	if err != nil {
		return false, err
	}
	update := tx.User.UpdateOne(u)
	step, ok := totpStep([]byte(secret), code, now, u.TotpStep)
	if !ok {
		return false, update.AddCodeFailures(1).SetCodeFailedAt(now).Exec(ctx)
	}
	// Encrypt again, so that the previous token secret can be removed.
	sealed, err := a.keys.SealShared(purposeSecrets, secret)
	if err != nil {
		return false, err
	}
	return true, update.SetTotpSecret(sealed).SetTotpStep(step).SetCodeFailures(0).Exec(ctx)
}

// CheckApps returns an error if the secrets of authenticator apps in the database cannot be decrypted with
// keys.
func CheckApps(ctx context.Context, db *database.DB, keys *auth.Keyring) error {
	secrets, err := db.User.Query().Where(user.TotpSecretNEQ("")).Select(user.FieldTotpSecret).Strings(ctx)
	if err != nil {
		return database.Translate(err)
	}
	lost := 0
	for _, secret := range secrets {
		if _, err := keys.UnsealShared(purposeSecrets, secret); err != nil {
			lost++
		}
	}
	if lost > 0 {
		return fmt.Errorf(
			"%d of %d cannot be checked, because they were set up with another token-secret or key file: "+
				"set token-secret-previous to the old one, restore keys.json, "+
				"or run safelight user reset-second-factor for these accounts", lost, len(secrets))
	}
	return nil
}
