package signing

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

// Family is one signature for several URLs of an image. A URL consists of Base, Signature, Policy, a choice and Path,
// joined by slashes.
type Family struct {
	Base      string // base URL; empty if it is not set
	Signature string
	Policy    string // `family(...)`
	Path      string // operations and image, and what the caller appends to every URL

	allowed family.Policy
}

// SignFamily signs a family of URLs of image with the operations o. It returns fault.Invalid for an image that no URL
// may name, for a policy that family.New rejects or that has expired, and for a key that does not exist or is revoked.
func (s *Signer) SignFamily(
	ctx context.Context, image string, o imaging.Operations, p family.Policy,
) (*Family, error) {
	if s.config.PresetsOnly {
		return nil, onlyPresets("a family lets a browser choose more than presets allow")
	}
	p, err := family.New(p)
	if err != nil {
		return nil, err
	}
	if !p.Until.IsZero() && !p.Until.After(s.config.Now()) {
		return nil, fault.OnField(
			fault.Invalid, "expiresAt", "the family expires in the past, expected a time in the future",
		)
	}
	path, err := s.ordinaryPath(ctx, image, o)
	if err != nil {
		return nil, err
	}
	u := family.URL{Policy: p.String(), Path: path}
	f := &Family{Base: s.config.BaseURL, Policy: family.Prefix + u.Policy + ")", Path: u.Path, allowed: p}
	if p.Key == "" {
		f.Signature = s.keys.Load().current.Sign(u.Signed())
		return f, nil
	}
	key := (*s.families.Load())[p.Key]
	if key == nil {
		return nil, fault.OnField(
			fault.Invalid, "key", "the family key %s does not exist or is revoked", fault.Quote(p.Key),
		)
	}
	f.Signature = key.Sign(u.Signed())
	return f, nil
}

// verifyFamily reports whether hash is a valid signature of a family by the key that it names.
func (s *Signer) verifyFamily(hash string, u family.URL) bool {
	id, named := u.Key()
	if !named {
		return s.verify(hash, u.Signed())
	}
	key := (*s.families.Load())[id]
	return key != nil && key.Verify(hash, u.Signed())
}

// Widths are the allowed widths in CSS pixels.
func (f *Family) Widths() []int32 {
	list := make([]int32, len(f.allowed.Widths))
	for i, n := range f.allowed.Widths {
		list[i] = int32(n)
	}
	return list
}

// Densities are the allowed densities.
func (f *Family) Densities() []float64 { return append([]float64{}, f.allowed.Densities...) }

// Formats are the allowed formats.
func (f *Family) Formats() []string { return texts(f.allowed.Formats) }

// Qualities are the allowed quality classes.
func (f *Family) Qualities() []string { return texts(f.allowed.Qualities) }

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, one := range list {
		out[i] = string(one)
	}
	return out
}

// ExpiresAt returns when the URLs expire; nil: never.
func (f *Family) ExpiresAt() *time.Time {
	if f.allowed.Until.IsZero() {
		return nil
	}
	return &f.allowed.Until
}

// Template returns a URL with {choice} in place of the choice.
func (f *Family) Template() string { return f.join("{choice}") }

func (f *Family) join(choice string) string {
	return strings.Join([]string{f.Base, f.Signature, f.Policy, choice, f.Path}, "/")
}

// URL returns the URL of a choice, which consists of the values that are not nil. It returns fault.Invalid if the
// family does not allow the choice.
func (f *Family) URL(width *int32, density *float64, format *imaging.Format, quality *family.Quality) (string, error) {
	var c family.Choice
	if width != nil {
		c.Width = int(*width)
	}
	if density != nil {
		c.Density = *density
	}
	if format != nil {
		c.Format = *format
	}
	if quality != nil {
		c.Quality = *quality
	}
	if _, err := f.allowed.Choose(c.String()); err != nil {
		return "", fault.New(fault.Invalid, "%s", fault.Of(err).Message)
	}
	return f.join(c.String()), nil
}

// loadFamilies loads the keys of the database that are not revoked. It skips keys that were sealed with another key
// file.
func (s *Signer) loadFamilies(ctx context.Context) error {
	rows, err := s.activeKeys(ctx)
	if err != nil {
		return err
	}
	all := make(map[string]*imaging.Signer, len(rows))
	for _, row := range rows {
		signer, err := s.unseal(row.Secret, imaging.SignerType(row.SignerType), row.SignerTruncate)
		if isLost(err) {
			s.log.ErrorContext(
				ctx, "a family key was sealed with another key file: its URLs are rejected", "key", row.ID,
			)
			continue
		}
		if err != nil {
			return err
		}
		all[row.ID] = signer
	}
	s.families.Store(&all)
	return nil
}

// isLost reports whether a secret was sealed with another key file.
func isLost(err error) bool { return errors.Is(err, auth.ErrOtherKeys) }
