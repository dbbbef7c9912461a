package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// plainFold and plainSplit process every rune. Fold and Split avoid copies for simple texts, and must return
// the same.
func plainFold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func plainSplit(text string) (list []string) {
	var word []rune
	for _, r := range plainFold(text) + " " {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			if len(word) > 0 {
				list = append(list, string(word[:min(len(word), maxWord)]))
			}
			word, list = nil, append(list, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.So, r) && r > 0x2000:
			word = append(word, r)
		default:
			if len(word) > 0 {
				list = append(list, string(word[:min(len(word), maxWord)]))
			}
			word = nil
		}
	}
	return list
}

func plainIndex(text string) string {
	var list, parts []string
	for _, w := range plainSplit(text) {
		pieces := []string{w}
		if at := strings.IndexFunc(w, unicode.IsDigit); at > 0 {
			pieces = append(pieces, w[:at], w[at:])
		}
		for _, p := range pieces {
			if !slices.Contains(list, p) && len(list) < maxWords {
				list = append(list, p)
			}
		}
	}
	for _, w := range list {
		runes := []rune(w)
		for i := 1; i <= len(runes)-2 && len(runes) <= maxSplit; i++ {
			if end := string(runes[i:]); !slices.Contains(list, end) && !slices.Contains(parts, end) &&
				len(parts) < maxParts {
				parts = append(parts, end)
			}
		}
	}
	return strings.Join(append(list, parts...), " ")
}

func TestIndex(t *testing.T) {
	if got, want := Index("IMG_2034.jpg", "Sunset"), "img 2034 jpg sunset mg 034 34 pg unset nset set et"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	letters := []rune("aZ09_-. éÉßŁıİ ÅΩ中ひカไต😀\u0301\u200d\xff漢x1")
	texts := []string{
		"",
		"\xff\xfe",
		strings.Repeat("x", 70),
		strings.Repeat("é", 33) + "1",
		"A" + strings.Repeat("b", 31),
		strings.Repeat("w1 ", 500),
	}
	for range 3000 {
		var b strings.Builder
		for range rand.IntN(40) {
			b.WriteRune(letters[rand.IntN(len(letters))])
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		if got, want := Fold(text), plainFold(text); got != want {
			t.Fatalf("%q is folded to %q, expected %q", text, got, want)
		}
		if got, want := Split(text), plainSplit(text); !slices.Equal(got, want) {
			t.Fatalf("%q is split into %q, expected %q", text, got, want)
		}
		if got, want := Index(text), plainIndex(text); got != want {
			t.Fatalf("%q has the words %q, expected %q", text, got, want)
		}
	}
}
