package signing

import (
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
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

	meaning func() family.Explained
}

// Meaning is what /params answers.
func (a *Address) Meaning() family.Explained { return a.meaning() }

// Read reads the path of an image URL as imaging.Parse does, and verifies its signature. It does no I/O. Errors are those of
// imaging.Parse, and fault.Invalid for a family without a signature.
func (s *Signer) Read(path string) (*Address, error) {
	hash, signed := imaging.SplitSigned(path)
	if u, ok := family.Cut(signed); ok && hash != "" {
		return s.readFamily(path, hash, u)
	}
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

// verifyFamily reports whether hash is a valid signature of a family by the key that it names.
func (s *Signer) verifyFamily(hash string, u family.URL) bool {
	if u.KeyID() != "" {
		return false
	}
	return s.verify(hash, u.Signed())
}
