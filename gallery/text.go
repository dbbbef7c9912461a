package gallery

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsText reports whether a text that people write and others see has 1 to most characters, of which one at least is
// visible and none changes how the text around it is read. breaks are the control characters that it may have.
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

// isBlank reports whether a letter or symbol is drawn as nothing: fillers of Hangul, and a pattern of Braille.
func isBlank(c rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c) || c == '\u2800'
}
