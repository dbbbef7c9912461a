package signing

import (
	"context"
	"net/url"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
)

// VerifyURL reports whether hash is a valid signature of signed, by the current secret or, until it expires, by the
// previous one. It rejects paths of families: their signatures and ordinary ones are not interchangeable. It does no
// I/O.
func (s *Signer) VerifyURL(hash, signed string) bool {
	_, isFamily := family.Cut(signed)
	return !isFamily && s.verify(hash, signed)
}

func (s *Signer) verify(hash, signed string) bool {
	k := s.keys.Load()
	if s.accepts(k) {
		return k.rotating.Verify(hash, signed)
	}
	return k.current.Verify(hash, signed)
}

// accepts reports whether the previous secret is still accepted.
func (s *Signer) accepts(k *keys) bool {
	return k.rotating != nil && (k.until.IsZero() || s.config.Now().Before(k.until))
}

// SignPath returns the URL of a path of operations and image: `/<signature>/path`, after the base URL if there is one.
// An image whose name looks like a family is escaped, so that the signature is not valid for a family. With
// presets-only, a URL without a preset is signed for the application and expires in one to two days.
func (s *Signer) SignPath(path string) string {
	if image, ok := strings.CutPrefix(path, family.Prefix); ok {
		path = "family%28" + image
	}
	signature := s.keys.Load().current.Sign(path)
	if s.needsAppSignature(path) {
		signature = s.signForApp(path)
	}
	return s.config.BaseURL + "/" + signature + "/" + path
}

// BasePath returns the path of the base URL, without a final slash: a proxy removes it from requests. Empty if there is
// none.
func (s *Signer) BasePath() string {
	u, err := url.Parse(s.config.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// GenerateURL returns a signed URL of image after o; fault.Invalid for an image that no URL may name.
func (s *Signer) GenerateURL(_ context.Context, image string, o imaging.Operations) (string, error) {
	path, err := ordinaryPath(image, o)
	if err != nil {
		return "", err
	}
	return s.SignPath(path), nil
}

// GenerateTemplateURL is GenerateURL for a saved template: a purge by its path finds the results of the URL. The path
// is empty for a template that is not saved.
func (s *Signer) GenerateTemplateURL(template, image string, o imaging.Operations) (string, error) {
	path, err := ordinaryPath(image, o)
	if err != nil {
		return "", err
	}
	if template != "" {
		path = preset.TemplateCall(template) + "/" + path
	}
	return s.SignPath(path), nil
}

// ordinaryPath returns what is signed for image after o; fault.Invalid for an image that no URL may name.
func ordinaryPath(image string, o imaging.Operations) (string, error) {
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
	return path, nil
}

// GenerateMetaURL returns a signed URL of the metadata of image.
func (s *Signer) GenerateMetaURL(image string) string {
	return s.SignPath(imaging.Request{Meta: true, Image: image}.Path())
}

// GenerateMetadataURL returns a signed URL of the metadata of image after o; errors are those of GenerateURL.
func (s *Signer) GenerateMetadataURL(image string, o imaging.Operations) (string, error) {
	if _, err := ordinaryPath(image, o); err != nil {
		return "", err
	}
	return s.SignPath(imaging.Request{Meta: true, Operations: o, Image: image}.Path()), nil
}

// GenerateEncryptedURL is GenerateURL with the paths of the image and of the layers encrypted; fault.Invalid without a
// key.
func (s *Signer) GenerateEncryptedURL(image string, o imaging.Operations) (string, error) {
	if _, err := ordinaryPath(image, o); err != nil {
		return "", err
	}
	text, err := s.config.Encryption.Encrypt(image)
	if err != nil {
		return "", err
	}
	if o, err = s.config.Encryption.EncryptLayers(o); err != nil {
		return "", err
	}
	return s.SignPath(imaging.Request{Operations: o, Image: text, Encrypted: true}.Path()), nil
}

// BlindTag returns an ETag that changes with tag but does not reveal it without the keys.
func (s *Signer) BlindTag(tag string) string { return `"` + s.config.Encryption.Blind(tag) + `"` }
