package main

import (
	"path/filepath"
	"time"

	"github.com/safelight/safelight/auth"
)

// keysFile returns the path of the key file.
func keysFile(s *Settings) string { return filepath.Join(s.Data, "keys.json") }

// missesKeys reports whether the data folder has a database, so that its key file is missing rather than not made yet.
func missesKeys(s *Settings) bool {
	if k, err := known(s); err != nil || k != nil {
		return true
	}
	return !s.usesPostgres() && checkExisting(s) == nil
}

// openKeys opens the key file; it creates a missing one with mode 0600.
func openKeys(s *Settings, now func() time.Time) (*auth.Keyring, error) {
	c := s.Keys
	c.File, c.Issuer, c.Audience, c.Now = keysFile(s), "safelight", "safelight", now
	keys, err := auth.OpenKeyring(c)
	return keys, explainData(s, err)
}
