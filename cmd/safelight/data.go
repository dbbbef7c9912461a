package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/auth"
)

// makeData creates the data folder if it is missing.
func makeData(s *Settings) error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return explainData(s, fmt.Errorf("creating the data folder: %w", err))
	}
	return nil
}

// explainData adds advice to err if err means that this user may not write to the data folder.
func explainData(s *Settings, err error) error {
	var failed *fs.PathError
	if !errors.As(err, &failed) || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	data, e := filepath.Abs(s.Data)
	name, e2 := filepath.Abs(failed.Path)
	if errors.Join(e, e2) != nil || !strings.HasPrefix(data+"/", name+"/") && !strings.HasPrefix(name, data+"/") {
		return err
	}
	return fmt.Errorf("%w. The data folder is %s (%s), and user %d must be able to write there: make this user the "+
		"owner of the folder, or name another folder with --data or SAFELIGHT_DATA", err, data, s.origins["data"].where,
		os.Geteuid())
}

// rotateKeys creates a new signing key, which running servers use at once.
func (p *program) rotateKeys() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Create a new token signing key. Existing tokens stay valid until they expire.",
		RunE: p.withSite(func(at *site, _ []string) error {
			if err := at.Accounts.RotateKeys(operator(p.ctx)); err != nil {
				return err
			}
			_, err := fmt.Fprintln(p.stdout, "rotated the key that signs tokens")
			return err
		}),
	}
}

// keysFile returns the path of the key file.
func keysFile(s *Settings) string { return filepath.Join(s.Data, "keys.json") }

// missesKeys reports whether a data folder without a key file has lost one that is needed: the folder has or had a
// database, and not all secrets come from the settings.
func missesKeys(s *Settings) bool {
	if s.Keys.Secret != "" && s.Signer.Secret != "" && s.Storage != "" {
		return false
	}
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
