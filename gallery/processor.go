package gallery

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/processorsettings"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// settingsID is the id of the one row of settings.
const settingsID = 1

// ProcessorStatus says how image URLs are signed. The secret is never in it.
type ProcessorStatus struct {
	Configured           bool
	LastUpdated          *time.Time
	IsOverriddenByConfig bool
	HasSecret            bool
	SignerType           imaging.SignerType
	SignerTruncate       int
	PreviousUntil        *time.Time // until when the secret before is accepted
}

// ProcessorInput changes how image URLs are signed. A nil field stays as it is.
type ProcessorInput struct {
	Secret         *string
	SignerType     *imaging.SignerType
	SignerTruncate *int
}

// signing is what URLs are signed and checked with at the moment.
type signing struct {
	current  *imaging.KeySet
	rotating *imaging.KeySet // current and previous; nil without a previous one
	until    time.Time       // when previous ends
}

// signingInterval is how soon a server learns of a secret that another one on the same database was given.
const signingInterval = 2 * time.Second

// keepSigning follows the settings in the database until ctx ends.
func (g *Gallery) keepSigning(ctx context.Context) {
	tick := time.NewTicker(signingInterval)
	defer tick.Stop()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := g.loadSigning(ctx)
		if err != nil && !failed && ctx.Err() == nil { // once, not at every turn
			g.log.WarnContext(ctx, "reading the processor settings", "error", err)
		}
		failed = err != nil
	}
}

// loadSigning puts in force what the database says. One at a time, so that the last one to read is the last
// to store.
func (g *Gallery) loadSigning(ctx context.Context) error {
	g.signingTurn.Lock()
	defer g.signingTurn.Unlock()
	if c := g.config.Processor; c != nil {
		s, err := imaging.NewSigner(*c)
		if err != nil {
			return err
		}
		g.signing.Store(&signing{current: imaging.NewKeySet(s)})
		return nil
	}
	row, err := g.db.ProcessorSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		row, err = g.firstSettings(ctx)
	}
	if err != nil {
		return err
	}
	return g.use(row)
}

// firstSettings makes the row with a new secret. Where two servers start at once, one row holds for both.
func (g *Gallery) firstSettings(ctx context.Context) (*ent.ProcessorSettings, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	text, err := g.keys.Seal(base64.RawURLEncoding.EncodeToString(secret))
	if err != nil {
		return nil, err
	}
	err = g.db.ProcessorSettings.Create().SetID(settingsID).SetSecret(text).SetUpdatedAt(g.config.Now()).
		OnConflictColumns(processorsettings.FieldID).Ignore().Exec(ctx)
	if err != nil && !isNoRows(err) {
		return nil, err
	}
	return g.db.ProcessorSettings.Get(ctx, settingsID)
}

// use puts a row of settings in force.
func (g *Gallery) use(row *ent.ProcessorSettings) error {
	current, err := g.signer(row.Secret, imaging.SignerType(row.SignerType), row.SignerTruncate)
	if err != nil {
		return err
	}
	s := &signing{current: imaging.NewKeySet(current)}
	if row.PreviousSecret != "" && row.PreviousUntil != nil {
		previous, err := g.signer(row.PreviousSecret, imaging.SignerType(row.PreviousSignerType), row.PreviousSignerTruncate)
		if err != nil {
			return err
		}
		s.rotating, s.until = imaging.NewKeySet(current, previous), *row.PreviousUntil
	}
	g.signing.Store(s)
	return nil
}

func (g *Gallery) signer(sealed string, t imaging.SignerType, truncate int) (*imaging.Signer, error) {
	secret, err := g.keys.Unseal(sealed)
	if err != nil {
		return nil, err
	}
	return imaging.NewSigner(imaging.SignerConfig{Secret: secret, Type: t, Truncate: truncate})
}

// ProcessorStatus says how URLs are signed.
func (g *Gallery) ProcessorStatus(ctx context.Context) (*ProcessorStatus, error) {
	if c := g.config.Processor; c != nil {
		t := c.Type
		if t == "" {
			t = imaging.SHA1
		}
		return &ProcessorStatus{Configured: true, HasSecret: true, IsOverriddenByConfig: true, SignerType: t, SignerTruncate: c.Truncate}, nil
	}
	row, err := g.db.ProcessorSettings.Get(ctx, settingsID)
	if err != nil {
		return nil, translate(err)
	}
	s := &ProcessorStatus{Configured: row.Secret != "", HasSecret: row.Secret != "", LastUpdated: &row.UpdatedAt,
		SignerType: imaging.SignerType(row.SignerType), SignerTruncate: row.SignerTruncate}
	if row.PreviousUntil != nil && row.PreviousUntil.After(g.config.Now()) {
		s.PreviousUntil = row.PreviousUntil
	}
	return s, nil
}

// ConfigureProcessor changes how URLs are signed, at once. What was in force before is accepted for
// a day longer. fault.Conflict when flags or environment decide.
func (g *Gallery) ConfigureProcessor(ctx context.Context, in ProcessorInput) (*ProcessorStatus, error) {
	if g.config.Processor != nil {
		return nil, fault.New(fault.Conflict, "the processor is configured by flag or environment, change it there")
	}
	err := g.tx(ctx, func(tx *ent.Tx) error {
		query := tx.ProcessorSettings.Query().Where(processorsettings.ID(settingsID))
		query.Modify(lockRows)
		row, err := query.Only(ctx)
		if err != nil {
			return err
		}
		return g.reconfigure(ctx, tx, row, in)
	})
	if err != nil {
		return nil, err
	}
	if err := g.loadSigning(ctx); err != nil {
		return nil, err
	}
	return g.ProcessorStatus(ctx)
}

func (g *Gallery) reconfigure(ctx context.Context, tx *ent.Tx, row *ent.ProcessorSettings, in ProcessorInput) error {
	secret, err := g.keys.Unseal(row.Secret)
	if err != nil {
		return fmt.Errorf("reading the processor secret: %w", err)
	}
	before := imaging.SignerConfig{Secret: secret, Type: imaging.SignerType(row.SignerType), Truncate: row.SignerTruncate}
	after := before
	if in.Secret != nil {
		after.Secret = *in.Secret
	}
	if in.SignerType != nil {
		after.Type = *in.SignerType
	}
	if in.SignerTruncate != nil {
		after.Truncate = *in.SignerTruncate
	}
	if _, err := imaging.NewSigner(after); err != nil || after == before {
		return err
	}
	text, err := g.keys.Seal(after.Secret)
	if err != nil {
		return err
	}
	now := g.config.Now()
	err = tx.ProcessorSettings.UpdateOne(row).SetSecret(text).SetSignerType(processorsettings.SignerType(after.Type)).SetSignerTruncate(after.Truncate).
		SetPreviousSecret(row.Secret).SetPreviousSignerType(processorsettings.PreviousSignerType(row.SignerType)).SetPreviousSignerTruncate(row.SignerTruncate).
		SetPreviousUntil(now.Add(g.config.KeepPrevious)).SetUpdatedAt(now).Exec(ctx)
	if err != nil {
		return err
	}
	told := signerFacts(after)
	told["secretChanged"] = after.Secret != before.Secret
	return g.record(ctx, tx, event{action: ActionProcessor, target: "processor", before: signerFacts(before), after: told})
}

// signerFacts are what the audit log says of a signer.
func signerFacts(c imaging.SignerConfig) facts {
	return facts{"signerType": c.Type, "signerTruncate": c.Truncate}
}

// VerifyURL reports whether hash is a right signature of signed, by the current secret or, while it
// is accepted, the one before. It does no I/O.
func (g *Gallery) VerifyURL(hash, signed string) bool {
	s := g.signing.Load()
	if s.rotating != nil && g.config.Now().Before(s.until) {
		return s.rotating.Verify(hash, signed)
	}
	return s.current.Verify(hash, signed)
}

// SignPath returns the URL of operations and image as they stand in a path: `/<signature>/path`, behind the
// base URL when one is set.
func (g *Gallery) SignPath(path string) string {
	return g.config.BaseURL + "/" + g.signing.Load().current.Sign(path) + "/" + path
}

// GenerateURL returns a signed URL of image after o; fault.Invalid for an image that no URL may name.
func (g *Gallery) GenerateURL(_ context.Context, image string, o imaging.Operations) (string, error) {
	path := o.Path(image)
	r, err := imaging.Parse("unsafe/" + path)
	if err != nil {
		f := *fault.Of(err)
		f.Field = "imagePath"
		return "", &f
	}
	if r.Image != image || r.Operations != o {
		return "", fault.OnField(fault.Invalid, "params", "these operations and this image cannot stand in one URL")
	}
	return g.SignPath(path), nil
}

// GenerateMetaURL returns a signed URL of the metadata of image.
func (g *Gallery) GenerateMetaURL(image string) string {
	return g.SignPath(imaging.Request{Meta: true, Image: image}.Path())
}
