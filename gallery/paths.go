package gallery

import (
	"context"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// ParseVisible parses a path that is neither hidden nor the root. Otherwise it returns fault.Invalid, which
// names field.
func ParseVisible(p, field string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err != nil {
		return "", fault.WithField(err, field)
	}
	if k == "" {
		return "", fault.OnField(fault.Invalid, field, "the path is empty, expected the name of a file or folder")
	}
	if k.IsHidden() {
		return "", fault.OnField(
			fault.Invalid, field, "the path %s holds a name that starts with a dot, expected visible names",
			k,
		)
	}
	return k, nil
}

// NewFile parses the path of a file that the caller wants to write. It returns the errors of Editable.
func (g *Gallery) NewFile(ctx context.Context, p string) (storage.Key, error) {
	k, err := g.Editable(ctx, p, "path")
	if err == nil && strings.HasSuffix(p, "/") {
		return "", fault.OnField(
			fault.Invalid, "path", "the path %s ends with a slash like a folder, expected the name of a file",
			p,
		)
	}
	return k, err
}

// readableKey parses a path to read. It returns fault.NotFound for Safelight's own files.
func readableKey(p string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err == nil && isPrivate(k) {
		return "", fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}
