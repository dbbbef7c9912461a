package sealed

import (
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// InLayers reports whether a layer of o, or one nested in it, has an encrypted path. It ignores layers beyond
// imaging.MaxNesting, which are not rendered.
func InLayers(o imaging.Operations) bool {
	found := false
	if !strings.Contains(string(o.Filters), imaging.EncryptedPrefix) {
		return false
	}
	_, _ = o.MapLayers(func(l imaging.Layer) (imaging.Layer, error) {
		found = found || l.Encrypted
		return l, nil
	})
	return found
}

// DecryptImage is Decrypt for the image of a URL. It also rejects a path that imaging.CheckImage rejects.
func (all Keys) DecryptImage(image string) (path string, err error) {
	path, err = all.Decrypt(image)
	if err == nil && imaging.CheckImage(path) != nil {
		err = fault.New(fault.SignatureMismatch, "the encrypted path does not name an image")
	}
	return path, err
}

// DecryptLayers returns o with the paths of its layers decrypted. It returns the errors of DecryptImage.
func (all Keys) DecryptLayers(o imaging.Operations) (imaging.Operations, error) {
	return o.MapLayers(func(l imaging.Layer) (imaging.Layer, error) {
		if !l.Encrypted {
			return l, nil
		}
		image, err := all.DecryptImage(l.Image)
		l.Image, l.Encrypted = image, false
		return l, err
	})
}

// EncryptLayers returns o with the paths of its layers encrypted; fault.Invalid without keys. A canvas has no path.
func (all Keys) EncryptLayers(o imaging.Operations) (imaging.Operations, error) {
	return o.MapLayers(func(l imaging.Layer) (imaging.Layer, error) {
		if l.Encrypted || imaging.IsCanvas(l.Image) {
			return l, nil
		}
		image, err := all.Encrypt(l.Image)
		l.Image, l.Encrypted = image, true
		return l, err
	})
}
