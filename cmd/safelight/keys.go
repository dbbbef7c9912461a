package main

import (
	"path/filepath"

	"github.com/safelight/safelight/auth"
)

// keysFile is where the keys lie.
func keysFile(s *Settings) string { return filepath.Join(s.Data, "keys.json") }

// openKeys opens the key file, made with mode 0600 when it is missing.
func openKeys(s *Settings) (*auth.Keyring, error) {
	c := s.Keys
	c.File, c.Issuer, c.Audience = keysFile(s), "safelight", "safelight"
	return auth.OpenKeyring(c)
}
