package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// apiTokenPrefix is the prefix of all API tokens, so that people and secret scanners recognize them.
const apiTokenPrefix = "slt_"

// apiTokenBytes is the number of random bytes: 256 bits.
const apiTokenBytes = 32

// NewAPIToken returns a new token, its hash for the database, and its prefix for display.
func NewAPIToken() (token, hash, prefix string) {
	secret := make([]byte, apiTokenBytes)
	_, _ = rand.Read(secret) // never fails: without randomness Go ends the program
	token = apiTokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
	return token, HashAPIToken(token), token[:len(apiTokenPrefix)+6]
}

// IsAPIToken reports whether a bearer token has the format of an API token.
func IsAPIToken(token string) bool { return strings.HasPrefix(token, apiTokenPrefix) }

// HashAPIToken returns the hash that identifies a token in the database, or an empty text if the text cannot
// be a token.
func HashAPIToken(token string) string {
	if text, ok := strings.CutPrefix(token, apiTokenPrefix); !ok ||
		len(text) != base64.RawURLEncoding.EncodedLen(apiTokenBytes) {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
