package accounts

import "context"

// ForHost returns accounts for which only PasskeyHost may be called.
func ForHost(publicURL string) *Accounts { return &Accounts{config: Config{PublicURL: publicURL}} }

// AppsAreReadable calls CheckApps with the database and the keys of these accounts.
func (a *Accounts) AppsAreReadable(ctx context.Context) error { return CheckApps(ctx, a.db, a.keys) }
