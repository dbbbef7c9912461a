package signing

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/processorsettings"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// newSecret returns a random secret.
func newSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// replaceLost lets the server sign URLs when the key file that sealed the stored secret is lost. It replaces a
// generated secret. It keeps a secret that an admin has set and therefore knows, and any secret on PostgreSQL, which
// other servers may still be able to read. Until such a secret is set again, URLs are signed with a temporary secret
// in memory. The caller holds loading.
func (s *Signer) replaceLost(ctx context.Context, row *ent.ProcessorSettings) error {
	generated := row.PreviousSecret == ""
	if generated && !s.db.IsPostgres() && !s.config.Existing {
		fresh, err := s.keyring.Seal(newSecret())
		if err != nil {
			return err
		}
		err = s.db.Transact(ctx, func(tx *ent.Tx) error {
			err := tx.ProcessorSettings.Update().
				Where(processorsettings.ID(settingsID), processorsettings.Secret(row.Secret)).
				SetSecret(fresh).
				SetUpdatedAt(s.config.Now()).
				Exec(ctx)
			if err != nil {
				return err
			}
			return s.audit.Record(ctx, tx, audit.Event{
				Action: audit.ActionProcessor,
				Target: "processor",
				After:  audit.Facts{"secretChanged": true, "keyFileLost": true},
			})
		})
		if err != nil {
			return err
		}
		s.log.ErrorContext(
			ctx,
			"the processor secret was sealed with another key file: a new one was generated, and signed URLs that "+
				"were embedded elsewhere are rejected. To keep them, stop the server and restore keys.json and the "+
				"database from one backup",
		)
		if row, err = s.db.ProcessorSettings.Get(ctx, settingsID); err != nil {
			return err
		}
		return s.use(row)
	}
	s.unreadable.Store(true)
	if s.lost == row.Secret {
		return nil // the secret is already replaced
	}
	if err := s.useTemporary(row); err != nil || s.config.Existing {
		return err // a command reports this error only if it needs the secret
	}
	s.lost = row.Secret
	s.log.ErrorContext(
		ctx,
		"the processor secret was sealed with another key file: "+
			"signed URLs are rejected, and the server is not ready, until keys.json of the servers that use this "+
			"database is in the data folder, or the secret is set again by configureProcessor or processor-secret",
	)
	return nil
}

// useTemporary signs with a new secret in memory, and with the other settings of the row.
func (s *Signer) useTemporary(row *ent.ProcessorSettings) error {
	signer, err := imaging.NewSigner(imaging.SignerConfig{
		Secret:   newSecret(),
		Type:     imaging.SignerType(row.SignerType),
		Truncate: row.SignerTruncate,
	})
	if err == nil {
		s.keys.Store(&keys{current: imaging.NewKeySet(signer)})
	}
	return err
}

// CheckReadable returns fault.Unavailable while the processor secret in the database cannot be read. During that time,
// all URLs that were signed earlier are rejected.
func (s *Signer) CheckReadable() error {
	if s.unset.Load() {
		return fault.New(
			fault.Unavailable,
			"the database has no processor secret yet: start the server, which creates one, or set processor-secret",
		)
	}
	if s.unreadable.Load() {
		return fault.New(
			fault.Unavailable,
			"the processor secret in the database was sealed with another key file, "+
				"so signed URLs are refused: restore keys.json, or set the secret again",
		)
	}
	return nil
}

// CheckSealed returns an error if the secret in the database cannot be unsealed with keyring, which is nil if there is
// no key file. A database without a secret is not an error.
func CheckSealed(ctx context.Context, db *database.DB, keyring *auth.Keyring) error {
	row, err := db.ProcessorSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return nil
	}
	if err == nil && keyring == nil {
		err = errors.New("the key file is missing")
	}
	if err == nil {
		_, err = keyring.Unseal(row.Secret)
	}
	if err != nil {
		return fmt.Errorf(
			"the processor secret in the database cannot be read: %w. "+
				"Put keys.json of the servers that use this database in the data folder, or set processor-secret",
			err,
		)
	}
	return nil
}
