// Package sealed encrypts the paths of images in URLs, so that a URL does not reveal what it shows: `enc:<key
// id>:<base64url>`. Encryption is deterministic, so that caches work. docs/guides/families.md describes the format,
// which needs nothing but a standard library.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

// KeySize is the length of a key in bytes: one half encrypts, the other authenticates.
const KeySize = 64

// Key encrypts paths.
type Key struct {
	ID    string // 1 to 32 of A-Z, a-z, 0-9, - and _; visible in URLs
	bytes [KeySize]byte
}

// String returns the id, so that a key is never printed.
func (k Key) String() string { return k.ID }

// GoString returns the id, so that a key is never printed.
func (k Key) GoString() string { return k.ID }

// Keys are the keys of a server: the first one encrypts, all of them decrypt.
type Keys []Key

// ErrForm is the error of text that does not contain keys in the expected form.
var ErrForm = errors.New("expected ID:KEY, with keys of 64 bytes in hex or base64, and each id once")

// ParseKeys reads `ID:KEY,ID:KEY`, with keys in hex or base64. Errors never contain a key.
func ParseKeys(text string) (Keys, error) {
	var all Keys
	for one := range strings.SplitSeq(text, ",") {
		id, encoded, _ := strings.Cut(strings.TrimSpace(one), ":")
		data, err := decodeKey(encoded)
		if _, ok := all.find(id); ok || err != nil || !family.IsKeyID(id) {
			return nil, ErrForm
		}
		k := Key{ID: id}
		copy(k.bytes[:], data)
		all = append(all, k)
	}
	return all, nil
}

// decodeKey decodes the bytes of a key.
func decodeKey(text string) ([]byte, error) {
	if data, err := hex.DecodeString(text); err == nil && len(data) == KeySize {
		return data, nil
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if data, err := base64.RawStdEncoding.DecodeString(text); err == nil && len(data) == KeySize {
		return data, nil
	}
	return nil, ErrForm
}

func (all Keys) find(id string) (Key, bool) {
	for _, k := range all {
		if k.ID == id {
			return k, true
		}
	}
	return Key{}, false
}

// Encrypt returns the image of a URL with the encrypted path; fault.Invalid without keys.
func (all Keys) Encrypt(path string) (image string, err error) {
	if len(all) == 0 {
		return "", fault.OnField(
			fault.Invalid, "encrypted", "paths cannot be encrypted without a key, set encryption-keys",
		)
	}
	k := all[0]
	text := append(k.iv(path), path...)
	k.crypt(text)
	return imaging.EncryptedPrefix + k.ID + ":" + base64.RawURLEncoding.EncodeToString(text), nil
}

// Decrypt returns the path that is encrypted in an image of a URL. If none of the keys has encrypted it, it returns
// fault.SignatureMismatch, which is the same for every reason.
func (all Keys) Decrypt(image string) (path string, err error) {
	refused := fault.New(fault.SignatureMismatch, "the path of the image cannot be decrypted")
	id, encoded, _ := strings.Cut(strings.TrimPrefix(image, imaging.EncryptedPrefix), ":")
	k, ok := all.find(id)
	text, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(text) <= aes.BlockSize {
		return "", refused
	}
	k.crypt(text)
	path = string(text[aes.BlockSize:])
	if !hmac.Equal(text[:aes.BlockSize], k.iv(path)) {
		return "", refused
	}
	return path, nil
}

// Blind returns a keyed hash of a text, which changes with the text and does not reveal it. Its key is derived from
// both halves of a key, so that the hash is never the initialization vector of a path, which can be any text.
func (all Keys) Blind(text string) string {
	if len(all) == 0 {
		return ""
	}
	key := mac(all[0].bytes[:], "safelight blind 2")
	return base64.RawURLEncoding.EncodeToString(mac(key, text)[:18])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// iv returns the initialization vector of a path, with which decryption is verified.
func (k Key) iv(path string) []byte {
	return mac(k.bytes[KeySize/2:], path)[:aes.BlockSize:aes.BlockSize]
}

// crypt encrypts or decrypts the bytes that follow the initialization vector.
func (k Key) crypt(text []byte) {
	block, _ := aes.NewCipher(k.bytes[:KeySize/2]) // fails only for other key sizes
	cipher.NewCTR(block, text[:aes.BlockSize]).XORKeyStream(text[aes.BlockSize:], text[aes.BlockSize:])
}
