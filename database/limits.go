package database

import (
	"strings"

	"github.com/safelight/safelight/fault"
)

// maxSearchText limits the bytes of a search text: longer than any path, shorter than the limit of SQLite's LIKE.
const maxSearchText = 2000

// CheckNotNegative returns fault.Invalid for a number below 0.
func CheckNotNegative(field string, n int) error {
	if n < 0 {
		return fault.OnField(fault.Invalid, field, "%s is %d, expected 0 or more", field, n)
	}
	return nil
}

// CheckSearchText returns fault.Invalid for a text that a database cannot search for: too long, or with a NUL, at which
// SQLite would truncate it.
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
