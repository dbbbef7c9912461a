// Package words prepares texts for search and sorting.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64  // runes of a word that searches distinguish
	maxWords = 400 // words of one entry
)

// Fold removes differences of case and diacritics.
func Fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// NameKey sorts names without case; it is unique in a folder, because the name itself follows.
func NameKey(name string) []byte {
	return append(append([]byte(strings.ToLower(name)), 0), name...)
}

// Index returns the words of texts, separated by spaces: every run of letters and digits and, where letters meet digits,
// both parts too, so that 2034 finds IMG2034.
func Index(texts ...string) string {
	var list []string
	seen := map[string]bool{}
	add := func(w string) {
		if w != "" && !seen[w] && len(list) < maxWords {
			seen[w] = true
			list = append(list, w)
		}
	}
	for _, t := range texts {
		for _, w := range Split(t) {
			add(w)
			if at := strings.IndexFunc(w, unicode.IsDigit); at > 0 {
				add(w[:at])
				add(w[at:])
			}
		}
	}
	return strings.Join(list, " ")
}

// Split returns the folded words of a text. Each character of a script without spaces is a word.
func Split(text string) []string {
	var list []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, string(word))
			word = nil
		}
	}
	for _, r := range Fold(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.So, r) && r > 0x2000:
			if len(word) < maxWord {
				word = append(word, r)
			}
		default:
			end()
		}
	}
	end()
	return list
}
