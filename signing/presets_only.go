package signing

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/storage"
)

// With presets-only, the server signs URLs of the web application with a separate key, so that holders of the
// processor secret cannot make such URLs. These signatures begin with appPrefix and the time at which it expires, in
// Unix seconds.
const (
	appPrefix  = "app-"
	appPurpose = "image URLs of the application"
	appPeriod  = 24 * time.Hour // URLs stay the same for one period, so that caches work, and expire within two
)

func (s *Signer) presets() *preset.Set {
	if s.config.Presets == nil {
		return nil
	}
	return s.config.Presets()
}

// PresetsOnly reports whether URLs may contain only presets.
func (s *Signer) PresetsOnly() bool { return s.config.PresetsOnly }

// onlyPresets is the error of a URL that does not comply with presets-only.
func onlyPresets(why string) error {
	return fault.OnField(
		fault.Forbidden, "preset",
		"%s, but this server only allows presets (presets-only): expected /preset(name)/ and the image", why,
	)
}

// checkPresetsOnly returns fault.Forbidden if only presets are allowed and the URL contains anything else, even a
// segment without effect: caches would store the same result under each such URL. signed is the part after the
// signature. The URL must call exactly one preset, because combinations of presets would multiply the variants of an
// image. until is when the URL expires; zero: never.
func (s *Signer) checkPresetsOnly(p preset.Parsed, signed string) (until time.Time, err error) {
	switch {
	case !s.config.PresetsOnly:
		return until, nil
	case len(p.Uses) == 0:
		return until, onlyPresets("the URL calls no preset")
	case p.Template != "": // each template would result in another cache key
		return until, onlyPresets("the URL names a template")
	case len(p.Uses) > 1:
		return until, onlyPresets("the URL calls several presets")
	}
	calls, _, err := p.Own.Filters.Calls(true)
	p.Own.Filters = ""
	if err != nil || p.Own != (imaging.Operations{}) ||
		slices.ContainsFunc(calls, func(c imaging.Call) bool { return c.Name != "expire" }) {
		return until, onlyPresets("the URL has operations beside its preset")
	}
	if !isBare(signed, len(calls) > 0) {
		return until, onlyPresets("the URL has segments or slashes between its preset and the image")
	}
	for _, c := range calls {
		until = time.UnixMilli(int64(c.Float("ms")))
	}
	return until, nil
}

// isBare reports whether a URL consists only of meta, its preset, its filters (if filters is set), and the image.
// signed is the part after the signature.
func isBare(signed string, filters bool) bool {
	rest := strings.TrimPrefix(signed, "meta/")
	for range 2 {
		segment, after, _ := strings.Cut(rest, "/")
		if strings.HasPrefix(segment, "preset(") || filters && strings.HasPrefix(segment, "filters:") {
			rest = after
		}
	}
	return imaging.IsImage(rest)
}

// canonical returns the only accepted path, without a leading slash, of an unsigned URL that calls one preset.
// Otherwise a client could fill caches with different spellings of the image and the arguments.
func canonical(p preset.Parsed) string {
	image := p.Image
	if key, err := storage.ParseKey(image); err == nil && !imaging.IsRemote(image) && !imaging.IsCanvas(image) {
		image = string(key)
	}
	path := "unsafe/"
	if p.Meta {
		path += "meta/"
	}
	return path + p.Uses[0].Segment + "/" + imaging.Operations{Filters: p.Own.Filters}.Path(image)
}

// needsAppSignature reports whether a path needs the application's signature.
func (s *Signer) needsAppSignature(path string) bool {
	if s.app == nil {
		return false
	}
	p, err := s.presets().Parse("unsafe/" + path)
	if err == nil {
		_, err = s.checkPresetsOnly(p, path)
	}
	return err != nil
}

// appKeys returns the keys with which the server signs URLs for the application.
func appKeys(keyring *auth.Keyring) (*imaging.KeySet, error) {
	var signers []*imaging.Signer
	for _, secret := range keyring.Derive(appPurpose) {
		signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: secret, Type: imaging.SHA256})
		if err != nil {
			return nil, err
		}
		signers = append(signers, signer)
	}
	return imaging.NewKeySet(signers[0], signers[1:]...), nil
}

// signForApp returns the signature of a path for the application.
func (s *Signer) signForApp(path string) string {
	until := s.config.Now().Truncate(appPeriod).Add(2 * appPeriod)
	begin := appPrefix + strconv.FormatInt(until.Unix(), 10)
	return begin + "-" + s.app.Sign(begin+"/"+path)
}

// verifyApp reports whether hash is a valid signature for the application, and when it expires.
func (s *Signer) verifyApp(hash, signed string) (until time.Time, ok bool) {
	rest, ok := strings.CutPrefix(hash, appPrefix)
	if s.app == nil || !ok {
		return time.Time{}, false
	}
	text, signature, _ := strings.Cut(rest, "-")
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !s.app.Verify(signature, appPrefix+text+"/"+signed) {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0), true
}

// GeneratePresetURL returns a signed URL that applies a preset to image; segment is a result of preset.Format. expires
// is when the URL stops working; zero: never. Errors are those of preset.Set.Expand, and fault.Invalid for an image
// that no URL may name.
func (s *Signer) GeneratePresetURL(
	ctx context.Context, image, segment string, expires time.Time,
) (string, error) {
	var o imaging.Operations
	if !expires.IsZero() {
		o.Filters = imaging.FiltersOf(imaging.Filter{Name: "expire", Args: strconv.FormatInt(expires.UnixMilli(), 10)})
	}
	path, err := s.ordinaryPath(ctx, image, o)
	if err != nil {
		return "", err
	}
	path = segment + "/" + path
	p, err := s.presets().Parse("unsafe/" + path)
	if err != nil {
		return "", err
	}
	if p.Image != image || len(p.Uses) != 1 || p.Own != o {
		return "", fault.OnField(
			fault.Invalid, "name",
			"%s is not a call of a preset, expected a name and arguments without slashes",
			fault.Quote(segment),
		)
	}
	return s.SignPath(path), nil
}
