package accounts

import (
	"testing"
	"time"
)

// TestTOTP uses the test vectors of RFC 6238, appendix B, truncated to six digits.
func TestTOTP(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if got := totpCode(secret, at/totpPeriod); got != code {
			t.Errorf("the code at %d is %s, expected %s", at, got, code)
		}
	}
}

// TestTOTPStep checks that clocks may differ by one step, and that no code is accepted twice.
func TestTOTPStep(t *testing.T) {
	secret, now := []byte("12345678901234567890"), time.Unix(1_700_000_010, 0)
	current := now.Unix() / totpPeriod
	for skew := int64(-3); skew <= 3; skew++ {
		step, ok := totpStep(secret, totpCode(secret, current+skew), now, 0)
		if near := skew >= -1 && skew <= 1; ok != near || ok && step != current+skew {
			t.Errorf("a code of %d steps from now: step %d, accepted %v", skew, step-current, ok)
		}
	}
	for _, last := range []int64{current, current + 1} {
		if _, ok := totpStep(secret, totpCode(secret, current), now, last); ok {
			t.Errorf("a code of step %d is accepted after one of step %d", current, last)
		}
	}
	for _, code := range []string{"", "0", "12345", "1234567", "abcdef"} {
		if _, ok := totpStep(secret, code, now, 0); ok {
			t.Errorf("the code %q is accepted", code)
		}
	}
}
