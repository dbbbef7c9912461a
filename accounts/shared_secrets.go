package accounts

import (
	"context"

	"github.com/safelight/safelight/auth"
)

// HashPassword returns the hash of a password that does not belong to an account, such as that of a share
// link.
func (a *Accounts) HashPassword(ctx context.Context, password string) (string, error) {
	return a.passwords.Hash(ctx, password)
}

// CheckPassword reports whether a password matches a hash of HashPassword. name identifies what the password
// belongs to. Failures are limited as for a username, by the address in ctx, and more strictly while the
// password is guessed from many addresses. It returns fault.RateLimited with RetryAfter beyond the limits.
func (a *Accounts) CheckPassword(ctx context.Context, name, hash, password string) (bool, error) {
	return a.logins.AttemptShared(ctx, auth.AddressFrom(ctx), name, func() (bool, error) {
		return a.passwords.Verify(ctx, hash, password)
	})
}
