package gallery

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsText reports whether a user-supplied text has 1 to most characters, at least one of them visible, and
// none that changes how the surrounding text is displayed. breaks are the allowed control characters.
func IsText(text string, most int, breaks string) bool {
	visible := func(c rune) bool {
		return unicode.In(c, unicode.L, unicode.N, unicode.P, unicode.S) && !isBlank(c)
	}
	refused := func(c rune) bool {
		return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp) && !strings.ContainsRune(breaks, c) ||
			c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069' // embeddings, overrides and isolates
	}
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && strings.ContainsFunc(text, visible) &&
		!strings.ContainsFunc(text, refused)
}

// isBlank reports whether a letter or symbol is displayed as blank: Hangul fillers and the blank Braille
// pattern.
func isBlank(c rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c) || c == '\u2800'
}
