package auth

import (
	"crypto/rand"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// minPassword is the minimum length of a new password in characters.
const minPassword = 12

//go:embed common.txt
var commonWords string

// CheckPassword returns fault.Invalid on field password for a new password that is shorter than 12
// characters, longer than 1024 bytes, common, or derived from the username.
func CheckPassword(password, username string) error {
	bad := func(format string, a ...any) error { return fault.OnField(fault.Invalid, "password", format, a...) }
	password = norm.NFC.String(password)
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return bad("the password is not UTF-8")
	case n < minPassword:
		return bad("the password has %d characters, expected at least %d", n, minPassword)
	case len(password) > maxPassword:
		return bad("the password has %d bytes, expected at most %d", len(password), maxPassword)
	}
	plain := strings.ToLower(password)
	if name := strings.ToLower(username); utf8.RuneCountInString(name) >= 3 && strings.Contains(plain, name) {
		return bad("the password contains the username, expected one that does not")
	}
	if isCommon(plain) {
		return bad("the password is a common one, expected one that nobody would try first")
	}
	return nil
}

// GeneratePassword returns 24 random letters and digits that CheckPassword accepts for the username.
func GeneratePassword(username string) string {
	for {
		if password := rand.Text()[:24]; CheckPassword(password, username) == nil {
			return password
		}
	}
}

// isCommon reports whether a lowercase password is common: a common word, possibly repeated, surrounded by
// digits and signs, or with letters replaced by digits; or a sequence of keys or letters.
func isCommon(plain string) bool {
	if distinct(plain) <= 3 || isSequence(plain) {
		return true
	}
	core := strings.TrimFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) })
	if utf8.RuneCountInString(plain)-utf8.RuneCountInString(core) > 8 {
		core = plain // with so many other characters, the word does not matter
	}
	for _, word := range []string{plain, core} {
		if isListed(word) || isListed(period(word)) || isListed(unleet(word)) || isListed(period(unleet(word))) {
			return true
		}
	}
	return false
}

func isListed(word string) bool {
	return word != "" && !strings.Contains(word, "\n") && strings.Contains(commonWords, "\n"+word+"\n")
}

var leet = strings.NewReplacer(
	"0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// unleet replaces digits and signs by the letters that they represent.
func unleet(s string) string { return leet.Replace(s) }

// period returns the shortest text whose repetition is s, or s itself.
func period(s string) string {
	if s == "" {
		return s
	}
	return s[:strings.Index(s[1:]+s, s)+1]
}

func distinct(s string) int {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen)
}

// isSequence reports whether s is a sequence of neighbouring keys, letters of the alphabet or digits, in either
// direction.
func isSequence(s string) bool {
	const rows = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz 01234567890123456789012345678901234567890 " +
		"1234567890qwertyuiopasdfghjklzxcvbnm1234567890 qazwsxedcrfvtgbyhnujmikolp 1qaz2wsx3edc4rfv5tgb6yhn"
	reversed := []rune(rows)
	slices.Reverse(reversed)
	return strings.Contains(rows, s) || strings.Contains(string(reversed), s) ||
		strings.Contains("qwertyuiop[]asdfghjkl;'zxcvbnm,./qwertyuiop", s)
}
