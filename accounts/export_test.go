package accounts

import "context"

// ForHost returns accounts that only PasskeyHost may be asked.
func ForHost(publicURL string) *Accounts { return &Accounts{config: Config{PublicURL: publicURL}} }

// AppsAreReadable is CheckApps with the database and the keys of these accounts.
func (a *Accounts) AppsAreReadable(ctx context.Context) error { return CheckApps(ctx, a.db, a.keys) }
