package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Flow is a sign-in in progress. The browser stores it in a cookie, so that the response of a provider is
// only accepted from the browser that started the sign-in.
type Flow struct {
	Provider string    `json:"p"`
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Next     string    `json:"to"`
	Ends     time.Time `json:"e"`
}

var errFlow = errors.New("the browser has no such flow")

// sign encodes and signs the flow. readFlow decodes it.
func (f Flow) sign(secret string) string {
	body, _ := json.Marshal(f) // cannot fail for texts and a time
	return encode(body) + "." + encode(signature(secret, body))
}

// readFlow decodes a flow that was signed with one of the secrets and has not expired.
func readFlow(text string, secrets []string, now time.Time) (*Flow, error) {
	encoded, mac, _ := strings.Cut(text, ".")
	body, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errFlow
	}
	given, err := base64.RawURLEncoding.DecodeString(mac)
	if err != nil {
		return nil, errFlow
	}
	for _, secret := range secrets {
		if !hmac.Equal(given, signature(secret, body)) {
			continue
		}
		var f Flow
		if err := json.Unmarshal(body, &f); err != nil {
			return nil, err
		}
		if !now.Before(f.Ends) {
			return nil, errFlow
		}
		return &f, nil
	}
	return nil, errFlow
}

func signature(secret string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
