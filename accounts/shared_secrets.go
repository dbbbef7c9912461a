package accounts

import (
	"context"

	"github.com/safelight/safelight/auth"
)

// HashPassword returns the hash of a password that belongs to no account, such as that of a share link.
func (a *Accounts) HashPassword(ctx context.Context, password string) (string, error) {
	return a.passwords.Hash(ctx, password)
}

// CheckPassword reports whether a password matches a hash of HashPassword. name is what the password belongs to: its
// failures are limited as those of a username, by the address in ctx, and more strictly while it is guessed from many
// addresses. fault.RateLimited with RetryAfter.
func (a *Accounts) CheckPassword(ctx context.Context, name, hash, password string) (bool, error) {
	return a.logins.AttemptShared(ctx, auth.AddressFrom(ctx), name, func() (bool, error) {
		return a.passwords.Verify(ctx, hash, password)
	})
}
