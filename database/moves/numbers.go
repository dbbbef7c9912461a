package moves

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxZeros is how many zeros end an integer that is written without an exponent.
const maxZeros = 400

// oneForm returns a JSON number in one form of those with its value. It is a float64 if encoding that keeps the value,
// as in what this program writes; digits that a float64 does not hold are kept.
func oneForm(n json.Number) any {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i
	}
	sign, digits, exponent, err := decimalOf(string(n))
	if err != nil {
		return n
	}
	if digits == "0" {
		return int64(0) // -0.0 is a float64 with a sign
	}
	if f, err := n.Float64(); err == nil {
		s, d, e, err := decimalOf(strconv.FormatFloat(f, 'e', -1, 64))
		if err == nil && s == sign && d == digits && e == exponent {
			return f
		}
	}
	if exponent >= 0 && exponent <= maxZeros {
		return json.Number(sign + digits + strings.Repeat("0", exponent))
	}
	return json.Number(sign + digits + "e" + strconv.Itoa(exponent))
}

// decimalOf reads a number as digits without zeros at their ends, and a power of ten. Zero has the digits 0.
func decimalOf(s string) (sign, digits string, exponent int, err error) {
	s, negative := strings.CutPrefix(s, "-")
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		if exponent, err = strconv.Atoi(s[i+1:]); err != nil {
			return "", "", 0, err
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return "", "0", 0, nil
	}
	if negative {
		sign = "-"
	}
	return sign, trimmed, exponent, nil
}
