package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// apiTokenMark starts every API token, so that people and scanners of leaked secrets know one.
const apiTokenMark = "slt_"

// apiTokenBytes is how much of a token is random: 256 bits.
const apiTokenBytes = 32

// NewAPIToken returns a new token, its hash for the database, and how it starts, to show.
func NewAPIToken() (token, hash, prefix string) {
	secret := make([]byte, apiTokenBytes)
	_, _ = rand.Read(secret) // never fails: Go ends the program where there is no randomness
	token = apiTokenMark + base64.RawURLEncoding.EncodeToString(secret)
	return token, HashAPIToken(token), token[:len(apiTokenMark)+6]
}

// IsAPIToken reports whether a bearer token is meant to be an API token.
func IsAPIToken(token string) bool { return strings.HasPrefix(token, apiTokenMark) }

// HashAPIToken returns the hash by which a token is found; empty for one that NewAPIToken cannot have made.
func HashAPIToken(token string) string {
	if text, ok := strings.CutPrefix(token, apiTokenMark); !ok || len(text) != base64.RawURLEncoding.EncodedLen(apiTokenBytes) {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
