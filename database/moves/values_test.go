package moves

import (
	"strings"
	"testing"
)

// TestDocuments holds the form of JSON on the way: values keep all digits, and only what PostgreSQL cannot store is
// refused.
func TestDocuments(t *testing.T) {
	for _, c := range []struct{ in, want, refused string }{
		{in: `"six characters: \\u0000"`, want: `"six characters: \\u0000"`},
		{in: `{"\\u0000": 1}`, want: `{"\\u0000":1}`},
		{in: `["a\u0000b"]`, refused: "U+0000"},
		{in: `{"a":{"b\u0000":1}}`, refused: "U+0000"},
		{in: `{"b": 1.50, "a": [1e3, 15e-1, -0.0, 0e9]}`, want: `{"a":[1000,1.5,0,0],"b":1.5}`},
		{in: `[-9223372036854775808, 9007199254740993, 9007199254740993.0]`, want: `[-9223372036854775808,9007199254740993,9007199254740993]`},
		{in: `[18446744073709551615, 1844674407370955161500e-2, -18446744073709551616]`, want: `[18446744073709551615,18446744073709551615,-18446744073709551616]`},
		{in: `[1e30, 1000000000000000000000000000000]`, want: `[1e+30,1e+30]`},
		{in: `[0.12345678901234567891, 1.2345678901234567891e-1]`, want: `[12345678901234567891e-20,12345678901234567891e-20]`},
		{in: `[1e400, 1e500, 1e-400]`, want: `[1` + strings.Repeat("0", 400) + `,1e500,1e-400]`},
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
