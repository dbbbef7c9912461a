package moves

import (
	"strings"
	"testing"
)

// TestDocuments checks the normalization of JSON: values keep all digits, and values that lose digits or that
// PostgreSQL cannot store are rejected.
func TestDocuments(t *testing.T) {
	for _, c := range []struct{ in, want, refused string }{
		{in: `"six characters: \\u0000"`, want: `"six characters: \\u0000"`},
		{in: `{"\\u0000": 1}`, want: `{"\\u0000":1}`},
		{in: `["a\u0000b"]`, refused: "U+0000"},
		{in: `{"a":{"b\u0000":1}}`, refused: "U+0000"},
		{in: `{"b": 1.50, "a": [1e3, 15e-1, -0.0, 0e9]}`, want: `{"a":[1000,1.5,0,0],"b":1.5}`},
		{in: `[-9223372036854775808, 9007199254740993]`, want: `[-9223372036854775808,9007199254740993]`},
		{in: `[1e30, 1000000000000000000000000000000]`, want: `[1e+30,1e+30]`},
		{in: `9007199254740993.0`, refused: "float64"},
		{in: `[18446744073709551615]`, refused: "float64"},
		{in: `{"a":0.12345678901234567891}`, refused: "float64"},
		{in: `1e400`, refused: "float64"},
		{in: `1e-400`, refused: "float64"},
		{in: `{"a":1}{`, refused: "more than one"},
		{in: `{`, refused: "not JSON"},
	} {
		got, err := convert(column{"c", documents, false}, c.in)
		if err == nil && c.refused == "" && got == document(c.want) {
			continue
		}
		if err == nil || c.refused == "" || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, %v; expected %s%s", c.in, got, err, c.want, c.refused)
		}
	}
}
