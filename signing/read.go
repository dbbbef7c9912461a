package signing

import (
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/signing/sealed"
)

// Address is an image URL that was read. For a URL of a family, the request is the ordinary one that it stands for.
type Address struct {
	imaging.Request
	// Signed reports whether the signature is right. Denied is why the URL allows nothing; nil if it is signed, and a family allows
	// the choice. Neither says anything of unsafe URLs.
	Signed bool
	Denied error
	Fixed  bool      // a family chose the size: no hint of the client changes it
	Until  time.Time // when the family expires; zero: never
	Sealed bool      // the URL has the path of the image or of a layer encrypted: no response may tell it

	meaning func() family.Explained
}

// Meaning is what /params answers.
func (a *Address) Meaning() family.Explained { return a.meaning() }

// Read reads the path of an image URL as imaging.Parse does, and verifies its signature. It does no I/O. Errors are those of
// imaging.Parse, and fault.Invalid for a family or an encrypted path without a signature. The encrypted paths of a URL that is signed,
// those of layers too, are decrypted, but for /params.
func (s *Signer) Read(path string) (*Address, error) {
	hash, signed := imaging.SplitSigned(path)
	u, isFamily := family.Cut(signed)
	var a *Address
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
func (s *Signer) decrypt(a *Address) error {
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
func (s *Signer) readOrdinary(path, hash, signed string) (*Address, error) {
	r, err := imaging.Parse(path)
	if err != nil {
		return nil, err
	}
	a := &Address{Request: r, Signed: r.Hash != "" && s.VerifyURL(hash, signed)}
	a.meaning = func() family.Explained { return family.Explained{ParamsResponse: imaging.Params(path, r, &a.Signed)} }
	switch {
	case hash == "":
		a.Denied = fault.New(fault.SignatureMismatch, "the URL has no signature, expected /<signature>/<operations>/<image>")
	case !a.Signed:
		a.Denied = mismatch(signed)
	}
	return a, nil
}

func mismatch(signed string) error {
	return fault.New(fault.SignatureMismatch, "the signature does not match, expected the signature of %s", signed)
}

// readFamily reads a URL of a family.
func (s *Signer) readFamily(path, hash string, u family.URL) (*Address, error) {
	if hash == "unsafe" {
		return nil, fault.New(fault.Invalid, "a family needs a signature, expected an ordinary URL after unsafe/")
	}
	r, p, err := u.Read(hash)
	if r.Image == "" {
		return nil, err
	}
	r.Params = isParams(path)
	a := &Address{Request: r, Signed: s.verifyFamily(hash, u), Denied: err, Fixed: true, Until: p.Until}
	if !a.Signed {
		a.Denied = mismatch(u.Signed())
	}
	a.meaning = func() family.Explained { return u.Explain(hash, r, p, err, a.Signed) }
	return a, nil
}

func isParams(path string) bool { return strings.HasPrefix(strings.TrimLeft(path, "/"), "params/") }
