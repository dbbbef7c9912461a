package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/safelight/safelight/auth"
)

// rotateKeys creates a new signing key; running servers follow at once.
func (p *program) rotateKeys() error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	if err := at.Accounts.RotateKeys(operator(p.ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, "rotated the key that signs tokens")
	return err
}

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
