package auth_test

import (
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

func TestCheckNewUsername(t *testing.T) {
	for name, good := range map[string]bool{
		"admin": true, "Anna.Maria_2": true, "o'neill": true, "m\u00fcller": true, "\u0438\u0432\u0430\u043d": true,
		"\u03bd\u03af\u03ba\u03bf\u03c2": true,
		"\u7530\u4e2d\u3055\u3093":       true, "tanaka\u7530\u4e2d": true, "\uae40\uc9c0": true,
		"\u05d3\u05d5\u05d3": true,
		"user@example.com":   true, "42": true,
		"\u0430dmin":                     false, // Cyrillic a
		"admi\u0578":                     false, // Armenian vo
		"\u0441\u043e\u0441\u043e":       false, // Cyrillic that reads coco
		"\u0430\u0440\u0440\u04cf\u0435": false, // Cyrillic that reads apple
		"\u03bf\u03bf":                   false, // Greek
		"admin\u200b":                    false, // zero width space
		"ad\u00admin":                    false, // soft hyphen
		"\u202enimda":                    false, // direction
		"two words":                      false,
		"a\x00b":                         false,
		"\U0001F600":                     false,
		"\u0438\u0432\u0430\u043d\u03bd": false, // Cyrillic and Greek
	} {
		if err := auth.CheckNewUsername(name); (err == nil) != good || err != nil &&
			fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+q: %v", name, err)
		}
	}
}

func TestSkeleton(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"admin", "\u0430dmin", true}, {"admin", "Adm1n", true}, {"admin", "ADMIN", true}, {"admin", "adrnin", true},
		{"bob", "b0b", true},
		{"apple", "\u0430\u0440\u0440\u04cf\u0435", true}, {"paypal", "paypai", true},
		{"admin", "admins", false}, {"m\u00fcller", "muller", false}, {"anna.maria", "anna_maria", false},
		{"anna", "hanna", false}, {"\u0438\u0432\u0430\u043d", "\u0438\u0432\u0430", false}, {"user1", "user2", false},
		{"\u7530\u4e2d", "\u7530\u4e0a", false},
	} {
		if same := auth.Skeleton(c.a) == auth.Skeleton(c.b); same != c.same {
			t.Errorf("%+q and %+q: %v, expected %v (%q, %q)", c.a, c.b, same, c.same, auth.Skeleton(c.a),
				auth.Skeleton(c.b))
		}
	}
}
