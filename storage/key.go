package storage

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

const (
	maxKey  = 1024 // bytes
	maxName = 255  // bytes, the limit of file systems
)

// ParseKey returns the key of a path that a user wrote: normalized to NFC, without a final slash. The empty path is
// the root. It returns fault.Invalid on field path for a path that is not a valid Key.
func ParseKey(s string) (Key, error) {
	bad := func(format string, a ...any) (Key, error) {
		return "", fault.OnField(fault.Invalid, "path", format, a...)
	}
	if !utf8.ValidString(s) {
		return bad("the path is not UTF-8")
	}
	if strings.HasPrefix(s, "/") {
		return bad("the path starts with /, expected one relative to the storage root")
	}
	s = norm.NFC.String(strings.TrimSuffix(s, "/"))
	if s == "" {
		return "", nil
	}
	if len(s) > maxKey {
		return bad("the path has %d bytes, expected at most %d", len(s), maxKey)
	}
	for _, r := range s {
		if r == '\\' || unicode.IsControl(r) || r == utf8.RuneError {
			return bad("the path contains the character %U, which names may not contain", r)
		}
	}
	for name := range strings.SplitSeq(s, "/") {
		switch {
		case name == "":
			return bad("the path contains an empty name, expected single slashes between names")
		case name == "." || name == "..":
			return bad("the path contains %s, expected names only", name)
		case len(name) > maxName:
			return bad("a name of the path has %d bytes, expected at most %d", len(name), maxName)
		}
	}
	return Key(s), nil
}

// Name returns the last segment; empty for the root.
func (k Key) Name() string {
	if k == "" {
		return ""
	}
	return path.Base(string(k))
}

// Parent returns the folder that holds k; the root for the root.
func (k Key) Parent() Key {
	if i := strings.LastIndexByte(string(k), '/'); i >= 0 {
		return k[:i]
	}
	return ""
}

// Join returns the key of name in the folder k. name must consist of one or more valid segments.
func (k Key) Join(name string) Key {
	if k == "" {
		return Key(name)
	}
	return k + "/" + Key(name)
}

// IsHidden reports whether any segment starts with a dot.
func (k Key) IsHidden() bool {
	return strings.HasPrefix(string(k), ".") || strings.Contains(string(k), "/.")
}

// Holds reports whether k is other or one of the folders above it.
func (k Key) Holds(other Key) bool {
	return k == "" || k == other || strings.HasPrefix(string(other), string(k)+"/")
}
