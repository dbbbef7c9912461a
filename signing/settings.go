package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/processorsettings"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The lengths of secrets, in bytes. A secret shorter than minSecret can be guessed from one URL; only the operator may
// set it, for existing URLs. A secret shorter than GoodSecret is accepted with a warning.
const (
	minSecret  = 8
	GoodSecret = 32
)

// settingsID is the id of the one row of settings.
const settingsID = 1

// ProcessorStatus describes how image URLs are signed. It never contains the secret.
type ProcessorStatus struct {
	Configured           bool
	LastUpdated          *time.Time
	IsOverriddenByConfig bool
	HasSecret            bool
	SignerType           imaging.SignerType
	SignerTruncate       int
	PreviousUntil        *time.Time // when the previous secret expires; nil: there is none
	WeakSecret           bool       // shorter than GoodSecret
}

// ProcessorInput changes how image URLs are signed. A nil field stays unchanged.
type ProcessorInput struct {
	Secret         *string
	SignerType     *imaging.SignerType
	SignerTruncate *int
}

// load loads the settings of the database. Loads are serialized, so that older settings do not replace newer ones.
func (s *Signer) load(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	if err := s.loadFamilies(ctx); err != nil {
		return err
	}
	if c := s.config.Processor; c != nil {
		k, err := s.configuredKeys(*c)
		if err == nil {
			s.keys.Store(k)
		}
		return err
	}
	row, err := s.db.ProcessorSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) && s.config.Existing {
		s.unset.Store(true)
		return s.useTemporary(&ent.ProcessorSettings{})
	}
	if ent.IsNotFound(err) {
		row, err = s.createSettings(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.use(row); !errors.Is(err, auth.ErrOtherKeys) {
		return err
	}
	return s.replaceLost(ctx, row)
}

// configuredKeys returns the keys that the operator has set. The previous key does not expire until the operator
// removes it from the settings.
func (s *Signer) configuredKeys(c imaging.SignerConfig) (*keys, error) {
	current, err := imaging.NewSigner(c)
	if err != nil {
		return nil, err
	}
	k := &keys{current: imaging.NewKeySet(current)}
	if s.config.Previous == "" {
		return k, nil
	}
	c.Secret = s.config.Previous
	previous, err := imaging.NewSigner(c)
	if err != nil {
		return nil, err
	}
	k.rotating = imaging.NewKeySet(current, previous)
	return k, nil
}

// createSettings creates the row with a new secret. If two servers start at the same time, both get the same row.
func (s *Signer) createSettings(ctx context.Context) (*ent.ProcessorSettings, error) {
	text, err := s.keyring.Seal(newSecret())
	if err != nil {
		return nil, err
	}
	err = s.db.ProcessorSettings.Create().SetID(settingsID).SetSecret(text).SetUpdatedAt(s.config.Now()).Exec(ctx)
	if err != nil && !ent.IsConstraintError(err) {
		return nil, err
	}
	return s.db.ProcessorSettings.Get(ctx, settingsID)
}

// use makes a row of settings the current one for signing and verifying URLs.
func (s *Signer) use(row *ent.ProcessorSettings) error {
	current, err := s.unseal(row.Secret, imaging.SignerType(row.SignerType), row.SignerTruncate)
	if err != nil {
		return err
	}
	k := &keys{current: imaging.NewKeySet(current)}
	if row.PreviousSecret != "" && row.PreviousUntil != nil {
		previous, err := s.unseal(
			row.PreviousSecret, imaging.SignerType(row.PreviousSignerType), row.PreviousSignerTruncate,
		)
		switch {
		case err == nil:
			k.rotating, k.until = imaging.NewKeySet(current, previous), *row.PreviousUntil
		case !errors.Is(err, auth.ErrOtherKeys): // an unreadable previous secret only expires early
			return err
		}
	}
	s.keys.Store(k)
	s.unreadable.Store(false)
	return nil
}

func (s *Signer) unseal(sealed string, t imaging.SignerType, truncate int) (*imaging.Signer, error) {
	secret, err := s.keyring.Unseal(sealed)
	if err != nil {
		return nil, err
	}
	return imaging.NewSigner(imaging.SignerConfig{Secret: secret, Type: t, Truncate: truncate})
}

// ProcessorStatus describes how URLs are signed.
func (s *Signer) ProcessorStatus(ctx context.Context) (*ProcessorStatus, error) {
	if c := s.config.Processor; c != nil {
		t := c.Type
		if t == "" {
			t = imaging.SHA1
		}
		return &ProcessorStatus{
			Configured:           true,
			HasSecret:            true,
			IsOverriddenByConfig: true,
			SignerType:           t,
			SignerTruncate:       c.Truncate,
			WeakSecret:           len(c.Secret) < GoodSecret,
		}, nil
	}
	row, err := s.db.ProcessorSettings.Get(ctx, settingsID)
	if err != nil {
		return nil, missingSettings(err)
	}
	secret, err := s.keyring.Unseal(row.Secret)
	if err != nil && !errors.Is(err, auth.ErrOtherKeys) {
		return nil, fmt.Errorf("reading the processor secret: %w", err)
	}
	has := err == nil && secret != ""
	status := &ProcessorStatus{
		WeakSecret:     len(secret) < GoodSecret,
		Configured:     has,
		HasSecret:      has,
		LastUpdated:    &row.UpdatedAt,
		SignerType:     imaging.SignerType(row.SignerType),
		SignerTruncate: row.SignerTruncate,
	}
	if row.PreviousUntil != nil && row.PreviousUntil.After(s.config.Now()) {
		status.PreviousUntil = row.PreviousUntil
	}
	return status, nil
}

func missingSettings(err error) error {
	return database.Missing(err, "the row of processor settings", "")
}

// keepPrevious is how long the previous secret of the database is accepted after a rotation.
const keepPrevious = 24 * time.Hour

// ConfigureProcessor changes how URLs are signed, effective at once. The previous secret is accepted for keepPrevious.
// It returns fault.Conflict if flags or the environment set the processor settings, and fault.Invalid for a secret of
// less than 8 bytes.
func (s *Signer) ConfigureProcessor(ctx context.Context, in ProcessorInput) (*ProcessorStatus, error) {
	if s.config.Processor != nil {
		return nil, fault.New(fault.Conflict, "the processor is configured by flag or environment, change it there")
	}
	if in.Secret != nil && len(*in.Secret) < minSecret {
		return nil, fault.OnField(
			fault.Invalid, "secret",
			"the secret has %d bytes, expected at least %d, better %d; the operator can set a shorter one for "+
				"existing URLs (processor-secret)",
			len(*in.Secret), minSecret, GoodSecret,
		)
	}
	err := s.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err := tx.ProcessorSettings.Query().
			Where(processorsettings.ID(settingsID), database.LockRows).
			Only(ctx)
		if err != nil {
			return missingSettings(err)
		}
		return s.reconfigure(ctx, tx, row, in)
	})
	if err != nil {
		return nil, err
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s.ProcessorStatus(ctx)
}

func (s *Signer) reconfigure(ctx context.Context, tx *ent.Tx, row *ent.ProcessorSettings, in ProcessorInput) error {
	secret, err := s.keyring.Unseal(row.Secret)
	if errors.Is(err, auth.ErrOtherKeys) && in.Secret == nil {
		return fault.OnField(
			fault.Invalid, "secret",
			"the stored secret was sealed with a key file that is lost, expected a new secret",
		)
	}
	if err != nil && !errors.Is(err, auth.ErrOtherKeys) {
		return fmt.Errorf("reading the processor secret: %w", err)
	}
	before := imaging.SignerConfig{
		Secret:   secret,
		Type:     imaging.SignerType(row.SignerType),
		Truncate: row.SignerTruncate,
	}
	after := in.apply(before)
	if _, err := imaging.NewSigner(after); err != nil || after == before {
		return err
	}
	text, err := s.keyring.Seal(after.Secret)
	if err != nil {
		return err
	}
	now := s.config.Now()
	err = tx.ProcessorSettings.UpdateOne(row).
		SetSecret(text).
		SetSignerType(processorsettings.SignerType(after.Type)).
		SetSignerTruncate(after.Truncate).
		SetPreviousSecret(row.Secret).
		SetPreviousSignerType(processorsettings.PreviousSignerType(row.SignerType)).
		SetPreviousSignerTruncate(row.SignerTruncate).
		SetPreviousUntil(now.Add(keepPrevious)).
		SetUpdatedAt(now).
		Exec(ctx)
	if err != nil {
		return err
	}
	changed := signerFacts(after)
	changed["secretChanged"] = after.Secret != before.Secret
	return s.audit.Record(
		ctx, tx,
		audit.Event{Action: audit.ActionProcessor, Target: "processor", Before: signerFacts(before), After: changed},
	)
}

// apply returns c with the fields that in sets.
func (in ProcessorInput) apply(c imaging.SignerConfig) imaging.SignerConfig {
	if in.Secret != nil {
		c.Secret = *in.Secret
	}
	if in.SignerType != nil {
		c.Type = *in.SignerType
	}
	if in.SignerTruncate != nil {
		c.Truncate = *in.SignerTruncate
	}
	return c
}

// signerFacts returns the facts about a signer for the audit log.
func signerFacts(c imaging.SignerConfig) audit.Facts {
	return audit.Facts{"signerType": c.Type, "signerTruncate": c.Truncate}
}
