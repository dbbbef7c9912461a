package accounts

// ForHost returns accounts that only PasskeyHost may be asked.
func ForHost(publicURL string) *Accounts { return &Accounts{config: Config{PublicURL: publicURL}} }
