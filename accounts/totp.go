package accounts

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"time"
)

const (
	totpPeriod = 30 // seconds that a code is valid
	totpDigits = 6
	totpBytes  = 20 // length of a secret, as recommended by RFC 4226
)

// totpCode returns the code for a step, which is the number of periods since 1970 (RFC 6238 with SHA-1, which
// all apps support).
func totpCode(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000)
}

// totpStep returns the step of a code: the current one, or the one before or after it, because clocks differ.
// It returns false for a wrong code, and for a used one, whose step is not later than last.
func totpStep(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	current := now.Unix() / totpPeriod
	for s := current - 1; s <= current+1; s++ {
		if subtle.ConstantTimeCompare([]byte(totpCode(secret, s)), []byte(code)) == 1 && s > last {
			step, ok = s, true
		}
	}
	return step, ok
}
