package signing

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// VerifyURL reports whether hash is a valid signature of signed, by the current secret or, until it expires, by the
// previous one. It does no I/O.
func (s *Signer) VerifyURL(hash, signed string) bool {
	k := s.keys.Load()
	if k.rotating != nil && s.config.Now().Before(k.until) {
		return k.rotating.Verify(hash, signed)
	}
	return k.current.Verify(hash, signed)
}

// SignPath returns the URL of operations and image as a path holds them: `/<signature>/path`, after the base URL if one is
// set.
func (s *Signer) SignPath(path string) string {
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
