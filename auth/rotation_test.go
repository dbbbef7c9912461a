package auth_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
)

// TestRetiredKeyExpires checks that a stolen retired key is accepted for only one token lifetime, whatever
// expiry a token claims.
func TestRetiredKeyExpires(t *testing.T) {
	c := &clock{time.Now()}
	k, _ := keyring(t, c, "")
	signed, _, err := k.Issue(auth.Subject{UserID: uuid.New(), Role: auth.RoleUser})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := jwt.NewParser().ParseUnverified(signed, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Rotate(); err != nil {
		t.Fatal(err)
	}
	for _, later := range []struct {
		after    time.Duration
		accepted bool
	}{{0, true}, {k.Lifetime() - time.Second, true}, {k.Lifetime(), true}, {k.Lifetime() + 1, false},
		{100 * k.Lifetime(), false}} {
		at := *c
		c.t = c.t.Add(later.after)
		if _, err := k.KeyFunc()(token); (err == nil) != later.accepted {
			t.Errorf("%s after its retirement the key is accepted: %v", later.after, err == nil)
		}
		*c = at
	}
}
