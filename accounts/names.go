package accounts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// usernameKey normalizes a username, so that all spellings of a name are equal.
func usernameKey(name string) string {
	return cases.Fold().String(norm.NFKC.String(strings.TrimSpace(name)))
}

// checkUsername returns the normalized name, or fault.Invalid on field username.
func checkUsername(name string) (string, error) {
	bad := func(format string, a ...any) (string, error) {
		return "", fault.OnField(fault.Invalid, "username", format, a...)
	}
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 {
		return bad("the username has %d characters, expected 1 to 64", n)
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._-@+", r) {
			return bad("the username contains %q, expected letters, digits and . _ - @ +", r)
		}
	}
	return name, nil
}

// checkNewUsername is checkUsername for a new name. It also rejects names that could be mistaken for others.
func checkNewUsername(name string) (string, error) {
	name, err := checkUsername(name)
	if err != nil {
		return "", err
	}
	if err := auth.CheckNewUsername(name); err != nil {
		f := *fault.Of(err)
		f.Field = "username"
		return "", &f
	}
	return name, nil
}

// checkOwnAddress returns fault.Forbidden for a name that is an e-mail address while a provider links
// accounts by address, because the account would then belong to the owner of the address.
func (a *Accounts) checkOwnAddress(name string) error {
	if len(a.config.LinkIssuers) > 0 && strings.Contains(name, "@") {
		return fault.OnField(
			fault.Forbidden, "username", "the username %s is an e-mail address, which only an admin can give", name,
		)
	}
	return nil
}

// checkDisplayName returns the normalized name, or fault.Invalid on field displayName.
func checkDisplayName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 || !utf8.ValidString(name) {
		return "", fault.OnField(
			fault.Invalid, "displayName", "the display name has %d characters, expected 1 to 100", n,
		)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.OnField(fault.Invalid, "displayName", "the display name contains a control character")
	}
	return name, nil
}

func checkRole(r auth.Role) error {
	if r != auth.RoleAdmin && r != auth.RoleUser {
		return fault.OnField(fault.Invalid, "role", "role %q is unknown, expected admin or user", string(r))
	}
	return nil
}
