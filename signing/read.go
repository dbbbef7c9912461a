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

// ParsedURL is an image URL that was read. For a URL of a family or with presets, the request is the ordinary one that it stands for.
type ParsedURL struct {
	imaging.Request
	// Signed reports whether the signature is right; false for an unsafe URL. Denied is why the URL allows nothing; nil if it is signed,
	// a family allows the choice, and it asks for no more than presets if only those are allowed. For an unsafe URL, Denied covers
	// presets-only and nothing else.
	Signed bool
	Denied error
	Fixed  bool      // a family chose the size, or presets do: no hint of the client changes it
	Until  time.Time // when the family or the signature expires; zero: never
	Sealed bool      // the URL has the path of the image or of a layer encrypted: no response may tell it
	Moving bool      // it calls a preset without a version, so it may mean something else tomorrow
	Labels []string  // of the result: see preset.Parsed

	// Canonical is the path of an unsigned URL, without a leading slash, if only presets are allowed: other spellings are redirected to
	// it. Unbounded reports that there are endless others that presets do not limit, of other times of expiry or other colors.
	Canonical string
	Unbounded bool

	meaning func() Explained
}

// Explained is what /params answers: the parameters of the ordinary URL that a URL stands for, and the presets that it calls.
type Explained struct {
	family.Explained
	Expanded string       `json:"expanded,omitempty"` // the ordinary URL, without a signature; empty for a URL that is one
	Presets  []preset.Use `json:"presets,omitempty"`
}

// Meaning is what /params answers.
func (a *ParsedURL) Meaning() Explained { return a.meaning() }

// Read reads the path of an image URL as imaging.Parse does, and verifies its signature. It does no I/O. Errors are those of
// imaging.Parse and preset.Set.Parse, and fault.Invalid for a family or an encrypted path without a signature. The encrypted paths of
// a URL that is signed, those of layers too, are decrypted, but for /params.
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

// decrypt replaces the encrypted paths of a by those that they stand for.
func (s *Signer) decrypt(a *ParsedURL) error {
	a.Sealed = true
	if a.Unsafe {
		return fault.OnField(fault.Invalid, "image", "an encrypted path needs a signature, expected a plain path after unsafe/")
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

// readOrdinary reads a URL that is not one of a family.
func (s *Signer) readOrdinary(path, hash, signed string) (*ParsedURL, error) {
	p, err := s.presets().Parse(path)
	if err != nil {
		return nil, err
	}
	a := &ParsedURL{Request: p.Request, Signed: p.Hash != "" && s.VerifyURL(hash, signed), Fixed: s.config.PresetsOnly && len(p.Uses) > 0}
	a.Moving, a.Labels = moving(p), p.Labels()
	until, isApp := s.verifyApp(hash, signed)
	a.meaning = func() Explained {
		e := explained(p)
		e.Explained = family.Explained{ParamsResponse: imaging.Params(e.pathOf(path), p.Request, &a.Signed)}
		e.Path = signed
		return e
	}
	switch {
	case hash == "":
		a.Denied = fault.New(fault.SignatureMismatch, "the URL has no signature, expected /<signature>/<operations>/<image>")
	case isApp:
		a.Signed, a.Until = true, until
	case !a.Unsafe && !a.Signed:
		a.Denied = mismatch(signed)
	default:
		until, err := s.checkPresetsOnly(p, signed)
		a.Denied = err
		if !s.config.PresetsOnly || err != nil {
			break
		}
		a.Until, a.Operations = until, p.Called // the result and its cache key are the same whenever the URL expires
		if a.Unsafe {
			a.Canonical = canonical(p)
			a.Unbounded = !until.IsZero() || imaging.IsCanvas(a.Image)
		}
	}
	return a, nil
}

func moving(p preset.Parsed) bool {
	return slices.ContainsFunc(p.Uses, func(u preset.Use) bool { return !u.Pinned })
}

// explained returns the presets of a URL and the ordinary URL; nothing for an ordinary one.
func explained(p preset.Parsed) Explained {
	if p.IsOrdinary() {
		return Explained{}
	}
	r := p.Request
	r.Params, r.Unsafe, r.Hash = false, false, ""
	return Explained{Expanded: r.Path(), Presets: p.Uses}
}

// pathOf returns the path of the ordinary URL; path is that of the URL.
func (e Explained) pathOf(path string) string {
	if e.Expanded == "" {
		return path
	}
	return "unsafe/" + e.Expanded
}

func mismatch(signed string) error {
	return fault.New(fault.SignatureMismatch, "the signature does not match, expected the signature of %s", signed)
}

// readFamily reads a URL of a family.
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
	a := &ParsedURL{Request: r, Signed: s.verifyFamily(hash, u), Denied: err, Fixed: true, Until: p.Until, Moving: moving(parsed), Labels: parsed.Labels()}
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

// Ordinary returns what an image URL asks for, whoever signed it, and the path of the URL without presets and family. Encrypted paths stay. Errors are those of Read.
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
