package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

const recoveryCodes = 10 // codes per account

// newRecoveryCodes returns codes of 80 random bits, so that they cannot be guessed from their hashes, and the
// hashes.
func newRecoveryCodes(userID uuid.UUID) (codes, hashes []string) {
	for range recoveryCodes {
		text := strings.ToLower(rand.Text()[:16])
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, hashRecoveryCode(userID, text))
	}
	return codes, hashes
}

// hashRecoveryCode returns the stored hash of a code. The code must be in the format of compact.
func hashRecoveryCode(userID uuid.UUID, code string) string {
	sum := sha256.Sum256([]byte(userID.String() + " " + code))
	return hex.EncodeToString(sum[:])
}

// compact normalizes a typed code: without spaces and hyphens, in lower case.
func compact(code string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, code))
}

// NewRecoveryCodes replaces the caller's recovery codes. It returns fault.Conflict if the account has no
// second factor.
func (a *Accounts) NewRecoveryCodes(ctx context.Context) (codes []string, err error) {
	err = a.changeOwnFactors(ctx, func(tx *ent.Tx, u *ent.User) error {
		if !u.SecondFactor {
			return fault.New(fault.Conflict, "the account has no second factor, add one first")
		}
		var hashes []string
		codes, hashes = newRecoveryCodes(u.ID)
		if err := tx.User.UpdateOne(u).SetRecoveryCodes(hashes).Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{Action: audit.ActionRecoveryCodes, Target: userTarget(u.ID)})
	})
	return codes, err
}

// useRecoveryCode marks a recovery code of an account as used, and reports whether it is valid. The account
// must be locked.
func (a *Accounts) useRecoveryCode(ctx context.Context, tx *ent.Tx, u *ent.User, code string) (bool, error) {
	hash := hashRecoveryCode(u.ID, code)
	rest := slices.DeleteFunc(slices.Clone(u.RecoveryCodes), func(stored string) bool {
		return subtle.ConstantTimeCompare([]byte(stored), []byte(hash)) == 1
	})
	if len(rest) == len(u.RecoveryCodes) {
		return false, nil
	}
	if err := tx.User.UpdateOne(u).SetRecoveryCodes(rest).SetCodeFailures(0).Exec(ctx); err != nil {
		return false, err
	}
	return true, a.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionRecoveryUsed, Target: userTarget(u.ID), Actor: u, After: audit.Facts{"left": len(rest)},
	})
}
