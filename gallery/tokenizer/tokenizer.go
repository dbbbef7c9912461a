// Package tokenizer splits texts into the words that searches compare, and folds names for sorting.
package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64   // runes of a word that searches compare
	maxWords = 400  // words of an entry that are indexed
	maxParts = 4000 // ends of the entry's words that are indexed
	maxSplit = 32   // runes of a word whose ends are indexed; longer words are usually hashes
)

// Fold removes differences in case and diacritics.
func Fold(s string) string {
	if isASCII(s) { // the common case
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// NameKey returns a sort key that ignores case. It is unique within a folder, because it ends with the name
// itself.
func NameKey(name string) []byte {
	return append(append([]byte(strings.ToLower(name)), 0), name...)
}

// Index returns the words of texts, separated by spaces. A word is a sequence of letters and digits. Where
// letters and digits meet, both parts are also words. The ends of all words follow, so that a search by
// prefix finds 2034 in IMG2034 and unset in sunset.
func Index(texts ...string) string {
	var list []string
	seen := make(map[string]bool, 64)
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
	return strings.Join(append(list, ends(list, seen)...), " ")
}

// ends returns the ends of words with at least two runes that are not in seen. A text that starts one of them
// occurs somewhere in a word.
func ends(list []string, seen map[string]bool) []string {
	var parts []string
	for _, w := range list {
		left := utf8.RuneCountInString(w)
		if left > maxSplit {
			continue
		}
		for end := w; left > 2; left-- {
			_, first := utf8.DecodeRuneInString(end)
			if end = end[first:]; !seen[end] && len(parts) < maxParts {
				seen[end] = true
				parts = append(parts, end)
			}
		}
	}
	return parts
}

// Split returns the folded words of a text. Each character of a script without spaces is a word.
func Split(text string) []string {
	text = Fold(text)
	var list []string
	from, to, runes := 0, 0, 0 // positions in the word and its length
	end := func() {
		if runes > 0 {
			list = append(list, text[from:to])
		}
		runes = 0
	}
	for at, r := range text {
		switch {
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.So, r) && r > 0x2000:
			if runes == 0 {
				from = at
			}
			if runes < maxWord {
				to = at + utf8.RuneLen(r)
			}
			runes++
		default:
			end()
		}
	}
	end()
	return list
}
