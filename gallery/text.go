package gallery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
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

// CheckNewName returns fault.Invalid, which names field, for the name of a new file or folder that would look like
// another name: one with an invisible character, or with one that changes the direction of text. Files of such names
// that exist are readable.
func CheckNewName(name, field string) error {
	if c, ok := misleading(name); ok {
		return fault.OnField(
			fault.Invalid, field, "the name %s contains the character %U, which is invisible or changes the direction "+
				"of text: remove it", fault.Quote(name), c,
		)
	}
	return nil
}

// misleading returns the first character of a name that CheckNewName rejects.
func misleading(name string) (rune, bool) {
	const flag, cancelTag = '\U0001f3f4', '\U000e007f' // a flag of a region is the black flag and the tags of its name
	var inFlag bool
	for _, c := range name {
		switch {
		case c == flag:
			inFlag = true
			continue
		case c >= '\U000e0020' && c <= cancelTag && inFlag:
			inFlag = c != cancelTag
			continue
		}
		inFlag = false
		if isMisleading(c) {
			return c, true
		}
	}
	return 0, false
}

// isMisleading reports whether a character has no place in a name: most of those that are not displayed
// (Default_Ignorable_Code_Point of Unicode), separators of lines, and blank letters. Scripts need some of the former:
// the joiners, the marks that tell the direction of punctuation, and the variants of letters and emoji.
func isMisleading(c rune) bool {
	switch {
	case c >= '\u200c' && c <= '\u200f', c == '\u061c', c == '\u180e', unicode.Is(unicode.Variation_Selector, c):
		return false
	case c >= '\U00013430' && c <= '\U00013440', unicode.Is(unicode.Prepended_Concatenation_Mark, c):
		return false // of the category Cf, but displayed
	}
	return unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) || isBlank(c)
}
