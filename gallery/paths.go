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

// NewFile parses the path of a file that the caller wants to write. It returns the errors of Editable, and
// fault.Invalid for names that CheckNewName rejects.
func (g *Gallery) NewFile(ctx context.Context, p string) (storage.Key, error) {
	k, err := g.Editable(ctx, p, "path")
	if err == nil && strings.HasSuffix(p, "/") {
		return "", fault.OnField(
			fault.Invalid, "path", "the path %s ends with a slash like a folder, expected the name of a file",
			p,
		)
	}
	if err == nil {
		err = g.checkNewNames(ctx, k, "path")
	}
	return k, err
}

// checkNewNames is CheckNewName for the names that a new path adds: folders above it may exist, whatever their names.
func (g *Gallery) checkNewNames(ctx context.Context, k storage.Key, field string) error {
	if err := CheckNewName(k.Name(), field); err != nil {
		return err
	}
	return g.checkNewFolders(ctx, k.Parent(), field)
}

// checkNewFolders is checkNewNames for a folder that may exist.
func (g *Gallery) checkNewFolders(ctx context.Context, k storage.Key, field string) error {
	for ; k != ""; k = k.Parent() {
		err := CheckNewName(k.Name(), field)
		if err == nil {
			continue
		}
		if _, missing := g.store.Stat(ctx, k); isMissing(missing) {
			return err
		}
		return nil // the folders above exist, too; of other errors, the storage tells when it writes
	}
	return nil
}

// readableKey parses a path to read. It returns fault.NotFound for Safelight's own files.
func readableKey(p string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err == nil && isPrivate(k) {
		return "", fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}
