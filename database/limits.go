package database

import (
	"strings"

	"github.com/safelight/safelight/fault"
)

// maxSearchText is the maximum length of a search text in bytes. It is longer than any path, and below the
// limit of SQLite's LIKE.
const maxSearchText = 2000

// CheckNotNegative returns fault.Invalid for a negative number.
func CheckNotNegative(field string, n int) error {
	if n < 0 {
		return fault.OnField(fault.Invalid, field, "%s is %d, expected 0 or more", field, n)
	}
	return nil
}

// CheckSearchText returns fault.Invalid for a text that a database cannot search for: one that is too long,
// or that contains a NUL, at which SQLite would truncate it.
func CheckSearchText(field, text string) error {
	if strings.ContainsRune(text, 0) {
		return fault.OnField(fault.Invalid, field, "%s contains the character U+0000, which is not allowed", field)
	}
	if len(text) > maxSearchText {
		return fault.OnField(
			fault.Invalid, field, "%s has %d bytes, expected at most %d", field, len(text), maxSearchText,
		)
	}
	return nil
}
