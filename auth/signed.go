package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// SignValue encodes a value and signs it with a secret, so that a client can keep it. ReadSigned decodes it.
func SignValue(secret string, v any) (string, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(body) + "." +
		base64.RawURLEncoding.EncodeToString(valueSignature(secret, body)), nil
}

// ReadSigned decodes a text of SignValue into v. It reports whether the text was signed with one of the
// secrets.
func ReadSigned(text string, secrets []string, v any) bool {
	encoded, signature, _ := strings.Cut(text, ".")
	body, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return false
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	for _, secret := range secrets {
		if hmac.Equal(given, valueSignature(secret, body)) {
			return json.Unmarshal(body, v) == nil
		}
	}
	return false
}

func valueSignature(secret string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}
