package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// emergencyLifetime is how long an emergency password is valid.
const emergencyLifetime = 15 * time.Minute

// errSpent is the error for an emergency password that was already used.
var errSpent = fault.New(fault.LoginFailed, "the emergency password was used before")

// EmergencyPassword returns a password with which an active admin can log in once, within 15 minutes, while
// password login is off. It is for operators whose provider does not work. It becomes invalid earlier if all
// sessions of the account end. It returns fault.Conflict if password login is on, and fault.Forbidden if the
// account is not an active admin.
func (a *Accounts) EmergencyPassword(ctx context.Context, u *ent.User) (string, error) {
	if !a.config.NoPasswords {
		return "", fault.New(fault.Conflict, "password login is on, reset the password instead")
	}
	if u.Role != user.RoleAdmin || !u.IsActive {
		return "", fault.New(fault.Forbidden, "%s is not an active admin", u.Username)
	}
	ends := a.config.Now().Add(emergencyLifetime).Unix()
	err := a.db.Transact(ctx, func(tx *ent.Tx) error {
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionUserPassword, Target: userTarget(u.ID), After: audit.Facts{"emergencyUntil": ends},
		})
	})
	if err != nil {
		return "", err
	}
	return emergencyPassword(a.keys.Derive("emergency passwords")[0], u, ends), nil
}

// spendEmergency marks an emergency password as used. It returns errSpent if it was used before.
func (a *Accounts) spendEmergency(ctx context.Context, tx *ent.Tx, password string) error {
	fresh, err := a.useOnce(ctx, tx, onceID("emergency", password), a.config.Now().Add(emergencyLifetime))
	if err == nil && !fresh {
		return errSpent
	}
	return err
}

func emergencyPassword(secret string, u *ent.User, ends int64) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s %d %d", u.ID, u.TokenVersion, ends)
	return strconv.FormatInt(ends, 36) + "-" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// isEmergency reports whether a password was created by EmergencyPassword for an account.
func (a *Accounts) isEmergency(u *ent.User, password string) bool {
	until, _, _ := strings.Cut(password, "-")
	ends, err := strconv.ParseInt(until, 36, 64)
	if err != nil || a.config.Now().Unix() >= ends || u.Role != user.RoleAdmin {
		return false
	}
	for _, secret := range a.keys.Derive("emergency passwords") {
		if hmac.Equal([]byte(password), []byte(emergencyPassword(secret, u, ends))) {
			return true
		}
	}
	return false
}
