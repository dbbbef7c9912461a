package auth_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
)

func TestAPITokens(t *testing.T) {
	token, hash, prefix := auth.NewAPIToken()
	if !auth.IsAPIToken(token) || len(token) != 47 || len(prefix) != 10 || !strings.HasPrefix(token, prefix) ||
		len(hash) != 64 || auth.HashAPIToken(token) != hash {
		t.Errorf("%q, hash %q, prefix %q", token, hash, prefix)
	}
	if other, _, _ := auth.NewAPIToken(); other == token {
		t.Error("two tokens are equal")
	}
	for _, bad := range []string{"", "slt_", token[:len(token)-1], token + "A", token[4:], "xxx_" + token[4:]} {
		if got := auth.HashAPIToken(bad); got != "" {
			t.Errorf("%q has the hash %q", bad, got)
		}
	}
}
