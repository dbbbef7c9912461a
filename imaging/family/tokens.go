package family

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// maxKeyID is the max length of the id of a key in bytes.
const maxKeyID = 32

// IsKeyID reports whether text can be the id of a key: 1 to 32 of A-Z, a-z, 0-9, - and _.
func IsKeyID(text string) bool {
	return imaging.IsAlnum(text, "-_") && text != "" && len(text) <= maxKeyID
}

// value returns the quality on the scale of quality(); 0 for an unknown class.
func (q Quality) value() int {
	for _, one := range qualities {
		if one.Quality == q {
			return one.value
		}
	}
	return 0
}

// whole reads a positive whole number in canonical form.
func whole(text string, most int) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && n <= most && strconv.Itoa(n) == text
}

func parseWidth(token string) (n int, ok bool) {
	text, ok := strings.CutSuffix(token, "w")
	if !ok {
		return 0, false
	}
	return whole(text, MaxWidth)
}

func formatWidth(n int) string { return strconv.Itoa(n) + "w" }

// cutRange reads MIN-MAX-STEPw.
func cutRange(token string) (from, to, step int, ok bool) {
	text, ok := strings.CutSuffix(token, "w")
	parts := strings.Split(text, "-")
	if !ok || len(parts) != 3 {
		return 0, 0, 0, false
	}
	var n [3]int
	for i, part := range parts {
		if n[i], ok = whole(part, MaxWidth); !ok {
			return 0, 0, 0, false
		}
	}
	return n[0], n[1], n[2], true
}

func parseDensity(token string) (d float64, ok bool) {
	text, ok := strings.CutSuffix(token, "x")
	if !ok {
		return 0, false
	}
	d, err := strconv.ParseFloat(text, 64)
	if err != nil || !(d >= minDensity && d <= maxDensity) || math.Round(d*100)/100 != d {
		return 0, false
	}
	return d, formatDensity(d) == token
}

func formatDensity(d float64) string { return imaging.FormatDecimal(d) + "x" }

func ascending[T cmp.Ordered](list []T) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

func sorted[T cmp.Ordered](list []T) []T { return slices.Compact(slices.Sorted(slices.Values(list))) }

func unique[T comparable](list []T) []T {
	var out []T
	for _, one := range list {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

func repeats[T comparable](list []T) bool { return len(unique(list)) != len(list) }

func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return strings.Join(texts, " ")
}

func joinAll[T any](list []T, format func(T) string) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = format(one)
	}
	return strings.Join(texts, " ")
}
