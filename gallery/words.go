package gallery

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64  // runes of a word that a search can tell apart
	maxWords = 400 // words of one entry
)

// fold makes texts that differ in case or in marks above letters the same.
func fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// nameKey sorts names without regard to case; it is unique in a folder, for the name itself follows.
func NameKey(name string) []byte {
	return append(append([]byte(strings.ToLower(name)), 0), name...)
}

// searchWords returns what a search looks at, separated by single spaces: every run of letters and digits of
// the texts, and where letters meet digits both parts too, so that 2034 finds IMG2034.
func searchWords(texts ...string) string {
	var words []string
	seen := map[string]bool{}
	add := func(w string) {
		if w != "" && !seen[w] && len(words) < maxWords {
			seen[w] = true
			words = append(words, w)
		}
	}
	for _, t := range texts {
		for _, w := range splitWords(t) {
			add(w)
			if at := strings.IndexFunc(w, unicode.IsDigit); at > 0 {
				add(w[:at])
				add(w[at:])
			}
		}
	}
	return strings.Join(words, " ")
}

// splitWords returns the folded words of a text. Each character of a script without spaces is one.
func splitWords(text string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	for _, r := range fold(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.So, r) && r > 0x2000:
			if len(word) < maxWord {
				word = append(word, r)
			}
		default:
			end()
		}
	}
	end()
	return words
}
