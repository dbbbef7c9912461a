package auth

import (
	"strings"
	"unicode"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// CheckNewUsername returns fault.Invalid for a name that could be mistaken for another: it contains
// characters that PRECIS (RFC 8265) does not allow in usernames, mixes scripts that are not used together, or
// consists of letters of another script that all look like Latin letters. Existing accounts are not affected.
func CheckNewUsername(name string) error {
	mapped, err := precis.UsernameCaseMapped.String(name)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "the username has characters that are not allowed, expected "+
			"letters, digits and punctuation without spaces")
	}
	scripts := scriptsOf(mapped)
	if !writtenTogether(scripts) {
		return fault.New(fault.Invalid,
			"the username mixes letters of scripts that are not written together, expected one script")
	}
	if looksLatin(mapped, scripts) {
		return fault.New(fault.Invalid,
			"every letter of the username looks like a Latin one, expected Latin letters or ones that look different")
	}
	return nil
}

// scriptsOf returns the scripts of a text, except for Common and Inherited, which can be combined with any
// script.
func scriptsOf(text string) map[string]bool {
	found := map[string]bool{}
	for _, r := range text {
		for name, table := range unicode.Scripts {
			if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
				found[name] = true
			}
		}
	}
	return found
}

// togetherWithLatin are the scripts that are used together with each other and with Latin, as in the "highly
// restrictive" profile of Unicode's UTS 39.
var togetherWithLatin = []string{"Latin Han Hiragana Katakana", "Latin Han Bopomofo", "Latin Han Hangul"}

func writtenTogether(scripts map[string]bool) bool {
	if len(scripts) <= 1 {
		return true
	}
	for _, list := range togetherWithLatin {
		within := true
		for name := range scripts {
			within = within && strings.Contains(" "+list+" ", " "+name+" ")
		}
		if within {
			return true
		}
	}
	return false
}

// latinLookalikes are lower-case letters of other scripts that look Latin in common fonts.
// Cyrillic
const latinLookalikes = "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf" +
	"\u0442\u043a\u043c\u043f\u0433" +
	"\u03bf\u03bd\u03c1\u03b1\u03b9\u03ba\u03c5\u03c7\u03b3\u03c4\u03c9" + // Greek
	"\u0585\u057d\u0578\u0570\u0581\u0575" // Armenian

// looksLatin reports whether all letters of a name that contains no Latin letters look like Latin letters.
func looksLatin(name string, scripts map[string]bool) bool {
	if scripts["Latin"] || len(scripts) == 0 {
		return false
	}
	for _, r := range name {
		if unicode.IsLetter(r) && !strings.ContainsRune(latinLookalikes, r) {
			return false
		}
	}
	return true
}

// skeletons replaces characters that look alike in common fonts by one representative.
var skeletons = strings.NewReplacer(
	"0", "o", "1", "l", "i", "l", "\u0131", "l", "rn", "m", "vv", "w",
	"\u0430", "a", "\u0435", "e", "\u043e", "o", "\u0440", "p", "\u0441", "c", "\u0443", "y", "\u0445", "x", "\u0456",
	"l", "\u0458", "j", "\u0455", "s",
	"\u04bb", "h", "\u0501", "d", "\u051b", "q", "\u051d", "w", "\u04cf", "l", "\u0442", "t", "\u043a", "k", "\u043c",
	"m", "\u043f", "n", "\u0433", "r",
	"\u03bf", "o", "\u03bd", "v", "\u03c1", "p", "\u03b1", "a", "\u03b9", "l", "\u03ba", "k", "\u03c5", "u", "\u03c7",
	"x", "\u03b3", "y", "\u03c4", "t", "\u03c9", "w",
	"\u0585", "o", "\u057d", "u", "\u0578", "n", "\u0570", "h", "\u0581", "g", "\u0575", "j",
)

// Skeleton returns the same text for names that could be mistaken for each other, because their letters and
// digits look alike or differ only in case. Use the result only for comparison.
func Skeleton(name string) string { return skeletons.Replace(strings.ToLower(norm.NFKC.String(name))) }
