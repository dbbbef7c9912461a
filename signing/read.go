package signing

import (
	"slices"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/sealed"
)

// ParsedURL is a parsed image URL. For a URL of a family or with presets, Request is the request of the ordinary URL
// with the same result.
type ParsedURL struct {
	imaging.Request
	// Signed reports whether the signature is valid; false for an unsafe URL. Denied is why the URL must not be
	// served; nil if it is signed, its family allows the choice, and it complies with presets-only. For an unsafe URL,
	// Denied considers only presets-only.
	Signed bool
	Denied error

	IgnoreHints bool      // a family or presets determine the size: client hints must not change it
	ValidUntil  time.Time // when the family or the signature expires; zero: never
	Sealed      bool      // the path of the image or of a layer was encrypted, so responses must not reveal it
	Unpinned    bool      // the URL calls a preset without a version, so its result may change
	Labels      []string  // labels of the result: see preset.Parsed

	// Canonical is the path, without a leading slash, to which other spellings of an unsigned URL are redirected with
	// presets-only. Unbounded means that presets do not limit the number of such URLs, because these contain an expiry
	// time or the color of a canvas.
	Canonical string
	Unbounded bool

	meaning func() Explained
}

// Explained is the response of /params: the parameters of the ordinary URL with the same result, and the presets of the
// URL.
type Explained struct {
	family.Explained
	// Expanded is the ordinary URL with the same result, without a signature; empty if the URL itself is ordinary.
	Expanded string       `json:"expanded,omitempty"`
	Presets  []preset.Use `json:"presets,omitempty"`
}

// Meaning returns the response of /params.
func (a *ParsedURL) Meaning() Explained { return a.meaning() }

// Read parses the path of an image URL and verifies its signature. It does no I/O. Errors are those of imaging.Parse
// and preset.Set.Parse, and fault.Invalid for a family or an encrypted path without a signature. If the URL is signed
// and is not a /params URL, Read decrypts the paths of the image and of layers.
func (s *Signer) Read(path string) (*ParsedURL, error) {
	hash, signed := imaging.SplitSigned(path)
	u, isFamily := family.Cut(signed)
	var a *ParsedURL
	var err error
	if isFamily && hash != "" {
		a, err = s.readFamily(path, hash, u)
	} else {
		a, err = s.readOrdinary(path, hash, signed)
	}
	if err == nil && (a.Encrypted || sealed.InLayers(a.Operations)) {
		err = s.decrypt(a)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// decrypt decrypts the paths of the image and the layers of a.
func (s *Signer) decrypt(a *ParsedURL) error {
	a.Sealed = true
	if a.Unsafe {
		return fault.OnField(
			fault.Invalid, "image",
			"an encrypted path needs a signature, expected a plain path after unsafe/",
		)
	}
	if a.Params || a.Denied != nil {
		return nil
	}
	image, err := a.Image, error(nil)
	if a.Encrypted {
		image, err = s.config.Encryption.DecryptImage(a.Image)
	}
	var o imaging.Operations
	if err == nil {
		o, err = s.config.Encryption.DecryptLayers(a.Operations)
	}
	if err != nil {
		a.Denied = err
		return nil
	}
	a.Image, a.Encrypted, a.Operations = image, false, o
	return nil
}

// readOrdinary parses a URL that is not part of a family.
func (s *Signer) readOrdinary(path, hash, signed string) (*ParsedURL, error) {
	p, err := s.presets().Parse(path)
	if err != nil {
		return nil, err
	}
	a := &ParsedURL{
		Request:     p.Request,
		Signed:      p.Hash != "" && s.VerifyURL(hash, signed),
		IgnoreHints: s.config.PresetsOnly && len(p.Uses) > 0,
	}
	a.Unpinned, a.Labels = unpinned(p), p.Labels()
	until, isApp := s.verifyApp(hash, signed)
	a.meaning = func() Explained {
		e := explained(p)
		e.Explained = family.Explained{ParamsResponse: imaging.Params(e.pathOf(path), p.Request, &a.Signed)}
		e.Path = signed
		return e
	}
	switch {
	case hash == "":
		a.Denied = fault.New(
			fault.SignatureMismatch,
			"the URL has no signature, expected /<signature>/<operations>/<image>",
		)
	case isApp:
		a.Signed, a.ValidUntil = true, until
	case !a.Unsafe && !a.Signed:
		a.Denied = mismatch(signed)
	default:
		until, err := s.checkPresetsOnly(p, signed)
		a.Denied = err
		if !s.config.PresetsOnly || err != nil {
			break
		}
		a.ValidUntil, a.Operations = until, p.Called // the expiry must not change the cache key of the result
		if a.Unsafe {
			a.Canonical = canonical(p)
			a.Unbounded = !until.IsZero() || imaging.IsCanvas(a.Image)
		}
	}
	return a, nil
}

func unpinned(p preset.Parsed) bool {
	return slices.ContainsFunc(p.Uses, func(u preset.Use) bool { return !u.Pinned })
}

// explained returns the presets of a URL and the ordinary URL with the same result; the zero value for an ordinary
// URL.
func explained(p preset.Parsed) Explained {
	if p.IsOrdinary() {
		return Explained{}
	}
	r := p.Request
	r.Params, r.Unsafe, r.Hash = false, false, ""
	return Explained{Expanded: r.Path(), Presets: p.Uses}
}

// pathOf returns the path of the ordinary URL that corresponds to the URL with the given path.
func (e Explained) pathOf(path string) string {
	if e.Expanded == "" {
		return path
	}
	return "unsafe/" + e.Expanded
}

func mismatch(signed string) error {
	return fault.New(fault.SignatureMismatch, "the signature does not match, expected the signature of %s", signed)
}

// readFamily parses a URL of a family.
func (s *Signer) readFamily(path, hash string, u family.URL) (*ParsedURL, error) {
	if hash == "unsafe" {
		return nil, fault.New(fault.Invalid, "a family needs a signature, expected an ordinary URL after unsafe/")
	}
	var parsed preset.Parsed
	r, p, err := u.Read(hash, func(path string) (_ imaging.Request, err error) {
		parsed, err = s.presets().Parse(path)
		return parsed.Request, err
	})
	if r.Image == "" {
		return nil, err
	}
	r.Params = isParams(path)
	a := &ParsedURL{
		Request:     r,
		Signed:      s.verifyFamily(hash, u),
		Denied:      err,
		IgnoreHints: true,
		ValidUntil:  p.Until,
		Unpinned:    unpinned(parsed),
		Labels:      parsed.Labels(),
	}
	switch {
	case !a.Signed:
		a.Denied = mismatch(u.Signed())
	case s.config.PresetsOnly && err == nil:
		a.Denied = onlyPresets("a family lets a browser choose more than presets allow")
	}
	parsed.Operations = r.Operations
	a.meaning = func() Explained {
		e := explained(parsed)
		e.Explained = u.Explain(hash, r, p, err, a.Signed)
		return e
	}
	return a, nil
}

func isParams(path string) bool { return strings.HasPrefix(strings.TrimLeft(path, "/"), "params/") }

// Ordinary returns the request of an image URL, without verifying its signature, and the path of the URL without
// presets and family. Encrypted paths stay encrypted. Errors are those of Read.
func Ordinary(path string, known *preset.Set) (r imaging.Request, ordinary string, err error) {
	ordinary = path
	parse := func(path string) (imaging.Request, error) {
		p, err := known.Parse(path)
		if !p.IsOrdinary() {
			ordinary = p.Path()
		}
		return p.Request, err
	}
	hash, signed := imaging.SplitSigned(path)
	if u, ok := family.Cut(signed); ok && hash != "" && hash != "unsafe" {
		ordinary = hash + "/" + u.Path
		r, _, err = u.Read(hash, parse)
		return r, ordinary, err
	}
	r, err = parse(path)
	return r, ordinary, err
}
