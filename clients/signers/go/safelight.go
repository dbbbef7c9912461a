// Package safelight signs URLs of a Safelight image server. Copy the file: it needs the standard library only.
package safelight

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // HMAC-SHA1 is the default of thumbor-compatible servers
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"regexp"
	"strconv"
	"strings"
)

// Signer is how a server signs: the processor settings' secret, signer type and truncation. An empty Algorithm is SHA1;
// a Truncate of 0 keeps all characters.
type Signer struct {
	Secret    string
	Algorithm string // SHA1, SHA256 or SHA512
	Truncate  int
}

// Sign returns the signature of a path: operations and image, as the URL has them. An unknown algorithm is an error.
func (s Signer) Sign(path string) (string, error) {
	algorithms := map[string]func() hash.Hash{
		"":       sha1.New,
		"SHA1":   sha1.New,
		"SHA256": sha256.New,
		"SHA512": sha512.New,
	}
	algorithm, ok := algorithms[s.Algorithm]
	if !ok {
		return "", fmt.Errorf("the algorithm is %q, expected SHA1, SHA256 or SHA512", s.Algorithm)
	}
	mac := hmac.New(algorithm, []byte(s.Secret))
	mac.Write([]byte(path))
	signature := base64.URLEncoding.EncodeToString(mac.Sum(nil))
	if s.Truncate > 0 && s.Truncate < len(signature) {
		signature = signature[:s.Truncate]
	}
	return signature, nil
}

// URL returns the signed URL of a path, without the server.
func (s Signer) URL(path string) (string, error) {
	signature, err := s.Sign(path)
	return "/" + signature + "/" + path, err
}

// Family signs what a policy leaves open, such as `320w,640w,webp`, and returns the template for browsers. Its key is
// the Signer's secret, so a policy with `key=` needs the Signer of that key.
func (s Signer) Family(policy, path string) (template string, err error) {
	policy = "family(" + policy + ")"
	signature, err := s.Sign(policy + "/" + path)
	return "/" + signature + "/" + policy + "/{choice}/" + path, err
}

// Choice is one value of each dimension of a family; zero values are left out.
type Choice struct {
	Width   int // CSS pixels
	Density float64
	Format  string
	Quality string // low, medium or high
}

// FamilyURL returns one URL of a template.
func FamilyURL(template string, c Choice) string {
	var tokens []string
	if c.Width > 0 {
		tokens = append(tokens, strconv.Itoa(c.Width)+"w")
	}
	if c.Density > 0 {
		tokens = append(tokens, strconv.FormatFloat(c.Density, 'f', -1, 64)+"x")
	}
	for _, word := range []string{c.Format, c.Quality} {
		if word != "" {
			tokens = append(tokens, word)
		}
	}
	if len(tokens) == 0 {
		tokens = []string{"-"}
	}
	return strings.Replace(template, "{choice}", strings.Join(tokens, ","), 1)
}

// EncryptPath returns an image that only the server can read. The same path gives the same image. The key has 64 bytes:
// 32 for AES-256-CTR, 32 for HMAC-SHA256.
func EncryptPath(path, keyID string, key []byte) (string, error) {
	if len(key) != 64 {
		return "", errors.New("the key has " + strconv.Itoa(len(key)) + " bytes, expected 64")
	}
	mac := hmac.New(sha256.New, key[32:])
	mac.Write([]byte(path))
	iv := mac.Sum(nil)[:aes.BlockSize]
	block, err := aes.NewCipher(key[:32])
	if err != nil {
		return "", err
	}
	sealed := make([]byte, len(path))
	cipher.NewCTR(block, iv).XORKeyStream(sealed, []byte(path))
	return "enc:" + keyID + ":" + base64.RawURLEncoding.EncodeToString(append(iv, sealed...)), nil
}

var (
	grammar = regexp.MustCompile(
		`^(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?|` +
			`(adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}|` +
			`-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?)$`,
	)
	prefixes = regexp.MustCompile(`^(b64|enc|filters):`)
)

// EncodeImage returns an image's path as a URL has it: percent-encoded, and never taken for an operation.
func EncodeImage(image string) string {
	var b strings.Builder
	for i := range len(image) {
		if c := image[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			strings.IndexByte("-_.~/:@!$&'()*,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	encoded := prefixes.ReplaceAllString(b.String(), "$1%3A")
	if rest, ok := strings.CutPrefix(encoded, "family("); ok {
		encoded = "family%28" + rest
	}
	if first, _, more := strings.Cut(image, "/"); more && grammar.MatchString(first) {
		encoded = strings.Replace(encoded, "/", "%2F", 1)
	}
	return encoded
}
