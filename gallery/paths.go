package gallery

import (
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// ParseWritable parses a path to write or remove: visible, and not the root. fault.Invalid names field.
func ParseWritable(p, field string) (storage.Key, error) {
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

// ParseNewFile parses the path of a new file.
func ParseNewFile(p string) (storage.Key, error) {
	k, err := ParseWritable(p, "path")
	if err == nil && strings.HasSuffix(p, "/") {
		return "", fault.OnField(
			fault.Invalid, "path", "the path %s ends with a slash like a folder, expected the name of a file",
			p,
		)
	}
	return k, err
}

// readableKey parses a path to read; fault.NotFound for the private files of the gallery.
func readableKey(p string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err == nil && isPrivate(k) {
		return "", fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}
