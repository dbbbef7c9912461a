package imaging

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // HMAC-SHA1 is what thumbor-compatible clients sign with
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"

	"github.com/safelight/safelight/fault"
)

// SignerType is the hash function of a signature.
type SignerType string

// The signer types. SHA1 is thumbor's.
const (
	SHA1   SignerType = "SHA1"
	SHA256 SignerType = "SHA256"
	SHA512 SignerType = "SHA512"
)

// SignerConfig says how URLs are signed. An empty Type is SHA1. Truncate is how many characters of the signature are
// kept; 0: all. Otherwise it is at least 17, because a URL does not recognize shorter signatures.
type SignerConfig struct {
	Secret   string
	Type     SignerType
	Truncate int
}

// Signer signs paths with one secret. It is safe for concurrent use.
type Signer struct {
	key      []byte
	hash     func() hash.Hash
	truncate int
}

// NewSigner returns a signer; fault.Invalid names the invalid field.
func NewSigner(c SignerConfig) (*Signer, error) {
	if c.Secret == "" {
		return nil, fault.OnField(
			fault.Invalid, "secret", "the processor secret is empty, expected at least one character",
		)
	}
	s := &Signer{key: []byte(c.Secret), truncate: c.Truncate}
	switch c.Type {
	case SHA1, "":
		s.hash = sha1.New
	case SHA256:
		s.hash = sha256.New
	case SHA512:
		s.hash = sha512.New
	default:
		return nil, fault.OnField(
			fault.Invalid, "signerType", "signer type %q is unknown, expected SHA1, SHA256 or SHA512", c.Type,
		)
	}
	if full := base64.URLEncoding.EncodedLen(s.hash().Size()); c.Truncate != 0 &&
		(c.Truncate < minHash || c.Truncate > full) {
		return nil, fault.OnField(
			fault.Invalid, "signerTruncate",
			"signer truncation %d is out of range, expected 0 for none or %d to %d", c.Truncate, minHash,
			full,
		)
	}
	return s, nil
}

// Sign returns the signature of the bytes that follow it in a URL: base64url with padding,
// truncated as configured.
func (s *Signer) Sign(signed string) string {
	mac := hmac.New(s.hash, s.key)
	mac.Write([]byte(signed))
	sum := base64.URLEncoding.EncodeToString(mac.Sum(nil))
	if s.truncate > 0 {
		sum = sum[:s.truncate]
	}
	return sum
}

// Verify reports, in constant time, whether hash is the signature of signed.
func (s *Signer) Verify(hash, signed string) bool {
	return hmac.Equal([]byte(hash), []byte(s.Sign(signed)))
}

// KeySet signs with the current secret and accepts also previous secrets during a rotation.
type KeySet struct {
	signers []*Signer
}

// NewKeySet returns the set of a current signer and previous signers that are still accepted. It ignores nil signers.
func NewKeySet(current *Signer, previous ...*Signer) *KeySet {
	k := &KeySet{signers: []*Signer{current}}
	for _, p := range previous {
		if p != nil {
			k.signers = append(k.signers, p)
		}
	}
	return k
}

// Sign signs with the current secret.
func (k *KeySet) Sign(signed string) string { return k.signers[0].Sign(signed) }

// Verify reports whether any of the secrets made hash of signed.
func (k *KeySet) Verify(hash, signed string) bool {
	ok := false
	for _, s := range k.signers {
		// Every secret is tried, so that the time does not reveal which one matched.
		ok = s.Verify(hash, signed) || ok
	}
	return ok
}
