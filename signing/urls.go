package signing

import (
	"context"
	"net/url"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/sealed"
	"github.com/safelight/safelight/storage"
)

// VerifyURL reports whether hash is a valid signature of signed, with the current secret or, until it expires, the
// previous secret. It rejects paths of families, because family signatures and ordinary signatures are not
// interchangeable. It does no I/O.
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
// The caller must have checked access to the image. An image whose name looks like a family is escaped, so that the
// signature is not valid for a family. With presets-only, a URL without a preset is signed for the application and
// expires in one to two days.
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

// BasePath returns the path of the base URL, without a final slash, which a proxy removes from requests; empty if
// there is none.
func (s *Signer) BasePath() string {
	u, err := url.Parse(s.config.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// GenerateURL returns a signed URL of image with the operations o. It returns fault.Invalid for an image that no URL
// may name, and fault.NotFound if the caller may not see it or a layer.
func (s *Signer) GenerateURL(ctx context.Context, image string, o imaging.Operations) (string, error) {
	path, err := s.ordinaryPath(ctx, image, o)
	if err != nil {
		return "", err
	}
	return s.SignPath(path), nil
}

// GenerateTemplateURL is GenerateURL for a saved template. A purge by the template's path finds the results of the
// URL. The path is empty for a template that is not saved.
func (s *Signer) GenerateTemplateURL(
	ctx context.Context, template, image string, o imaging.Operations,
) (string, error) {
	path, err := s.ordinaryPath(ctx, image, o)
	if err != nil {
		return "", err
	}
	if template != "" {
		path = preset.TemplateCall(template) + "/" + path
	}
	return s.SignPath(path), nil
}

// checkSources returns fault.NotFound unless the caller may see the files that a path of operations and image names:
// the image and the layers, whether they exist or not. It reads the path as Read does, because a name that contains a
// preset may be the name of a file once that preset is deleted. It does not check layers that a preset adds, because
// an admin has chosen them. It returns fault.Invalid for a name that cannot be a file, so that nothing is signed that
// was not understood.
func (s *Signer) checkSources(ctx context.Context, path string) error {
	scope, err := s.access.Scope(ctx)
	if err != nil || scope.Whole() {
		return err
	}
	r, err := s.presets().Written("unsafe/" + path)
	if err != nil {
		return err
	}
	if r.Encrypted || sealed.InLayers(r.Operations) {
		return fault.OnField(fault.Invalid, "params", "encrypted paths need the right to view everything")
	}
	layers, err := imaging.Layers(r.Operations, imaging.Limits{MaxDepth: imaging.MaxNesting})
	if err != nil {
		return err
	}
	for _, one := range append([]string{r.Image}, layers...) {
		if imaging.IsRemote(one) || imaging.IsCanvas(one) {
			continue
		}
		k, err := storage.ParseKey(one)
		if err != nil {
			return fault.WithField(err, "imagePath")
		}
		if k.IsHidden() || !scope.Sees(string(k)) {
			return fault.OnField(fault.NotFound, "imagePath", "%s does not exist", k)
		}
	}
	return nil
}

// ordinaryPath returns the path that is signed for image with the operations o. It returns fault.Invalid for an image
// that no URL may name, and fault.NotFound if the caller may not see it or a layer.
func (s *Signer) ordinaryPath(ctx context.Context, image string, o imaging.Operations) (string, error) {
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
	return path, s.checkSources(ctx, path)
}

// GenerateMetaURL returns a signed URL of the metadata of image. The caller must have checked access to the image.
func (s *Signer) GenerateMetaURL(image string) string {
	return s.SignPath(imaging.Request{Meta: true, Image: image}.Path())
}

// GenerateMetadataURL returns a signed URL of the metadata of image with the operations o; errors are those of
// GenerateURL.
func (s *Signer) GenerateMetadataURL(ctx context.Context, image string, o imaging.Operations) (string, error) {
	if _, err := s.ordinaryPath(ctx, image, o); err != nil {
		return "", err
	}
	return s.SignPath(imaging.Request{Meta: true, Operations: o, Image: image}.Path()), nil
}

// GenerateEncryptedURL is GenerateURL with the paths of the image and of the layers encrypted. It returns
// fault.Invalid without a key, and for layers that call presets, because encryption would make the call a part of a
// path.
func (s *Signer) GenerateEncryptedURL(ctx context.Context, image string, o imaging.Operations) (string, error) {
	path, err := s.ordinaryPath(ctx, image, o)
	if err != nil {
		return "", err
	}
	r, err := s.presets().Written("unsafe/" + path)
	if err != nil {
		return "", err
	}
	if r.Operations != o {
		return "", fault.OnField(fault.Invalid, "params", "layers with presets cannot be encrypted, expected paths")
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
