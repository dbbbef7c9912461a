package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"
)

// keyFile is the content of the key file: the token keys, the first of which signs, and the key that encrypts
// secrets in the database.
type keyFile struct {
	Tokens []tokenKey `json:"tokens"`
	Seal   []byte     `json:"seal"`

	info fs.FileInfo // of the file when it was read; nil if it was not read from a file
}

type tokenKey struct {
	ID      string    `json:"id"`
	Key     []byte    `json:"key"`
	Made    time.Time `json:"made"`
	Retired time.Time `json:"retired,omitzero"`
}

func newTokenKey(now time.Time) tokenKey {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: without randomness Go ends the program
	return tokenKey{ID: rand.Text()[:12], Key: key, Made: now.UTC()}
}

// openKeyFile reads the file, or creates it if it does not exist.
func openKeyFile(name string, now time.Time, log *slog.Logger) (*keyFile, error) {
	f, err := readKeyFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return createKeyFile(name, now, log)
	}
	if err != nil {
		return nil, err
	}
	return f, restrictMode(name, f.info, log)
}

func readKeyFile(name string) (*keyFile, error) {
	// Read the info before the file, so that a replacement in between is detected as a change.
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	f := &keyFile{info: info}
	if err := json.Unmarshal(data, f); err != nil || !f.isValid() {
		return nil, fmt.Errorf("the key file %s is damaged: restore it from a backup, or remove it, which ends all "+
			"sessions and loses all encrypted secrets", name)
	}
	return f, nil
}

func (f *keyFile) isValid() bool {
	for _, k := range f.Tokens {
		if k.ID == "" || len(k.Key) < 32 {
			return false
		}
	}
	return len(f.Tokens) > 0 && len(f.Seal) == 32
}

// restrictMode removes the permissions of everyone but the owner. If there were any, it logs a warning,
// because others may have copied the keys. It returns an error if it cannot change the mode.
func restrictMode(name string, info fs.FileInfo, log *slog.Logger) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return fmt.Errorf("the key file %s has mode %#o, and changing it to 0600 failed: %w", name, info.Mode().Perm(),
			err)
	}
	log.Warn("others could read the key file; its mode is 0600 now", "file", name, "mode",
		fmt.Sprintf("%#o", info.Mode().Perm()))
	return nil
}

// createKeyFile creates the file. If two processes do so concurrently, both use the file of the first.
func createKeyFile(name string, now time.Time, log *slog.Logger) (*keyFile, error) {
	f := &keyFile{Tokens: []tokenKey{newTokenKey(now)}, Seal: newTokenKey(now).Key}
	content, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("writing the key file: %w", err)
	}
	temp, err := writeTemp(name, content)
	if err != nil {
		return nil, fmt.Errorf("writing the key file: %w", err)
	}
	defer os.Remove(temp)
	if err := os.Link(temp, name); errors.Is(err, fs.ErrExist) {
		return openKeyFile(name, now, log)
	} else if err != nil {
		return f, f.write(name) // the file system does not support hard links
	}
	return f, nil
}

// write replaces the file atomically.
func (f *keyFile) write(name string) error {
	content, err := json.Marshal(f)
	if err == nil {
		err = ReplaceFile(name, content)
	}
	if err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	return nil
}

// rotated returns a copy with a new signing key, without the keys whose tokens have all expired.
func (f *keyFile) rotated(now time.Time, lifetime time.Duration) *keyFile {
	next := &keyFile{Tokens: []tokenKey{newTokenKey(now)}, Seal: f.Seal}
	for i, k := range f.Tokens {
		if i == 0 {
			k.Retired = now.UTC()
		}
		if now.Sub(k.Retired) <= lifetime {
			next.Tokens = append(next.Tokens, k)
		}
	}
	return next
}

// sealed is the prefix of the results of Seal.
const sealed = "sealed:"

// Seal encrypts a secret for the database with AES-256-GCM and the key in the key file. It only fails if the
// cipher is unavailable.
func (k *Keyring) Seal(plain string) (string, error) { return seal(k.keys.Load().Seal, plain) }

// SealShared is Seal with a key that is derived for a purpose, like those of Derive. All servers that accept
// each other's tokens can decrypt the result, even if their key files differ.
func (k *Keyring) SealShared(purpose, plain string) (string, error) {
	return seal([]byte(k.Derive(purpose)[0]), plain)
}

// Derive returns secrets for a purpose. Use the first one, and accept all of them. They are the same on all
// servers that accept each other's tokens, and do not change when the keys in the file are rotated.
func (k *Keyring) Derive(purpose string) []string {
	keys := [][]byte{k.keys.Load().Seal}
	if k.config.Secret != "" {
		keys = [][]byte{[]byte(k.config.Secret)}
	}
	if k.config.Previous != "" {
		keys = append(keys, []byte(k.config.Previous))
	}
	var secrets []string
	for _, key := range keys {
		secrets = append(secrets, deriveKey(key, purpose))
	}
	return secrets
}

func deriveKey(key []byte, purpose string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("safelight: " + purpose))
	return string(mac.Sum(nil))
}

// ErrOtherKeys is the error of Unseal for a secret that was encrypted with another key file, or modified.
var ErrOtherKeys = errors.New("a stored secret was sealed with another key file")

// ErrOtherSecret is the error of UnsealShared for a secret that was encrypted with another token secret or
// key file, or modified.
var ErrOtherSecret = errors.New("a stored secret was sealed with another token secret or key file")

// Unseal decrypts the result of Seal. It returns ErrOtherKeys if that was encrypted with another key or
// modified.
func (k *Keyring) Unseal(text string) (string, error) {
	return unseal([][]byte{k.keys.Load().Seal}, text, ErrOtherKeys)
}

// UnsealShared decrypts the result of SealShared, and returns ErrOtherSecret if it cannot. It also tries the
// previous token secret, and the key file, which is used while there is no token secret.
func (k *Keyring) UnsealShared(purpose, text string) (string, error) {
	var keys [][]byte
	for _, secret := range append(k.Derive(purpose), deriveKey(k.keys.Load().Seal, purpose)) {
		keys = append(keys, []byte(secret))
	}
	return unseal(keys, text, ErrOtherSecret)
}

func seal(key []byte, plain string) (string, error) {
	gcm, err := cipherOf(key)
	if err != nil {
		return "", err
	}
	return sealed + base64.RawStdEncoding.EncodeToString(gcm.Seal(nil, nil, []byte(plain), nil)), nil
}

// unseal decrypts with the first key that fits. If none does, it returns an error that wraps other.
func unseal(keys [][]byte, text string, other error) (string, error) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, sealed))
	if err != nil || !strings.HasPrefix(text, sealed) {
		return "", errors.New("a stored secret is not sealed")
	}
	for _, key := range keys {
		gcm, err := cipherOf(key)
		if err != nil {
			return "", err
		}
		plain, openErr := gcm.Open(nil, nil, data, nil)
		if openErr == nil {
			return string(plain), nil
		}
		other = fmt.Errorf("%w: %w", other, openErr)
	}
	return "", other
}

func cipherOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
