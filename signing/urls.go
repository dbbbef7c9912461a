package signing

import (
	"context"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

// VerifyURL reports whether hash is a valid signature of signed, by the current secret or, until it expires, by the
// previous one. What begins as a family is never signed as an ordinary path: see Read. It does no I/O.
func (s *Signer) VerifyURL(hash, signed string) bool {
	_, isFamily := family.Cut(signed)
	return !isFamily && s.verify(hash, signed)
}

func (s *Signer) verify(hash, signed string) bool {
	k := s.keys.Load()
	if k.rotating != nil && s.config.Now().Before(k.until) {
		return k.rotating.Verify(hash, signed)
	}
	return k.current.Verify(hash, signed)
}

// SignPath returns the URL of operations and image as a path holds them: `/<signature>/path`, after the base URL if one is
// set. An image whose path begins as a family is written in another way, so that the signature is not that of a family.
func (s *Signer) SignPath(path string) string {
	if image, ok := strings.CutPrefix(path, family.Prefix); ok {
		path = "family%28" + image
	}
	return s.config.BaseURL + "/" + s.keys.Load().current.Sign(path) + "/" + path
}

// GenerateURL returns a signed URL of image after o; fault.Invalid for an image that no URL may name.
func (s *Signer) GenerateURL(_ context.Context, image string, o imaging.Operations) (string, error) {
	path := o.Path(image)
	r, err := imaging.Parse("unsafe/" + path)
	if err != nil {
		f := *fault.Of(err)
		f.Field = "imagePath"
		return "", &f
	}
	if r.Image != image || r.Operations != o {
		return "", fault.OnField(fault.Invalid, "params", "these operations and this image do not fit into one URL")
	}
	return s.SignPath(path), nil
}

// GenerateMetaURL returns a signed URL of the metadata of image.
func (s *Signer) GenerateMetaURL(image string) string {
	return s.SignPath(imaging.Request{Meta: true, Image: image}.Path())
}
