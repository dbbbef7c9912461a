package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keyFile is what the key file holds: the keys of tokens, the signing one first, and the key that
// seals secrets in the database.
type keyFile struct {
	Tokens []tokenKey `json:"tokens"`
	Seal   []byte     `json:"seal"`

	info fs.FileInfo // of the file when it was read; nil when it was not
}

type tokenKey struct {
	ID      string    `json:"id"`
	Key     []byte    `json:"key"`
	Made    time.Time `json:"made"`
	Retired time.Time `json:"retired,omitzero"`
}

func newTokenKey(now time.Time) tokenKey {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: Go ends the program where there is no randomness
	return tokenKey{ID: rand.Text()[:12], Key: key, Made: now.UTC()}
}

// openKeyFile reads the file, or makes it.
func openKeyFile(name string, now time.Time, log *slog.Logger) (*keyFile, error) {
	f, err := readKeyFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeyFile(name, now, log)
	}
	if err != nil {
		return nil, err
	}
	return f, closeToOthers(name, f.info, log)
}

func readKeyFile(name string) (*keyFile, error) {
	// before the reading: a file that is replaced in between is then seen as changed, and read again
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	f := &keyFile{info: info}
	if err := json.Unmarshal(data, f); err != nil || !f.sound() {
		return nil, fmt.Errorf("the key file %s is damaged, expected what this program wrote: restore it, or remove it and with it all logins and sealed secrets", name)
	}
	return f, nil
}

func (f *keyFile) sound() bool {
	for _, k := range f.Tokens {
		if k.ID == "" || len(k.Key) < 32 {
			return false
		}
	}
	return len(f.Tokens) > 0 && len(f.Seal) == 32
}

// closeToOthers takes the file from everyone but its owner, and says so: what others have read may
// be in use. It returns an error for a file that cannot be closed.
func closeToOthers(name string, info fs.FileInfo, log *slog.Logger) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return fmt.Errorf("the key file %s has mode %#o and cannot be closed to others, expected 0600: %w", name, info.Mode().Perm(), err)
	}
	log.Warn("the key file was open to others and is closed now", "file", name, "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
	return nil
}

// makeKeyFile writes a new file; where two programs start at once, the file of the first one holds for both.
func makeKeyFile(name string, now time.Time, log *slog.Logger) (*keyFile, error) {
	f := &keyFile{Tokens: []tokenKey{newTokenKey(now)}, Seal: newTokenKey(now).Key}
	temp, err := f.writeTemp(name)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, name); errors.Is(err, fs.ErrExist) {
		return openKeyFile(name, now, log)
	} else if err != nil {
		return f, f.write(name) // a file system without links
	}
	return f, nil
}

// write replaces the file as a whole.
func (f *keyFile) write(name string) error {
	temp, err := f.writeTemp(name)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		os.Remove(temp)
		return fmt.Errorf("writing the key file: %w", err)
	}
	return nil
}

func (f *keyFile) writeTemp(name string) (temp string, err error) {
	t, err := os.CreateTemp(filepath.Dir(name), ".keys-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("writing the key file: %w", err)
	}
	err = json.NewEncoder(t).Encode(f)
	err = errors.Join(err, t.Sync(), t.Close())
	if err != nil {
		os.Remove(t.Name())
		return "", fmt.Errorf("writing the key file: %w", err)
	}
	return t.Name(), nil
}

// rotated returns a copy with a new signing key, without those that no living token can bear.
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

// sealed marks text that Seal made.
const sealed = "sealed:"

// Seal encrypts a secret for the database with AES-256-GCM and a key of the key file. It returns
// an error only when there is no cipher, which no machine shows.
func (k *Keyring) Seal(plain string) (string, error) {
	gcm, err := k.cipher()
	if err != nil {
		return "", err
	}
	return sealed + base64.RawStdEncoding.EncodeToString(gcm.Seal(nil, nil, []byte(plain), nil)), nil
}

// Unseal decrypts what Seal made; an error when it was made with another key or changed.
func (k *Keyring) Unseal(text string) (string, error) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, sealed))
	if err != nil || !strings.HasPrefix(text, sealed) {
		return "", errors.New("a stored secret is not sealed")
	}
	gcm, err := k.cipher()
	if err != nil {
		return "", err
	}
	plain, err := gcm.Open(nil, nil, data, nil)
	if err != nil {
		return "", fmt.Errorf("a stored secret was sealed with another key file: %w", err)
	}
	return string(plain), nil
}

func (k *Keyring) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.keys.Load().Seal)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
