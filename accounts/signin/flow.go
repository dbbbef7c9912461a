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

// Flow is a sign-in that is under way. The browser keeps it in a cookie, so that the answer of a provider is accepted
// only from the browser that asked.
type Flow struct {
	Provider string    `json:"p"`
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Next     string    `json:"to"`
	Ends     time.Time `json:"e"`
}

var errFlow = errors.New("the browser has no such flow")

// sign returns the flow as text that readFlow accepts.
func (f Flow) sign(secret string) string {
	body, _ := json.Marshal(f) // of texts and a time, which cannot fail
	return encode(body) + "." + encode(signature(secret, body))
}

// readFlow returns the flow of a text that one of the secrets has signed, until it ends.
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
