package auth

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/safelight/safelight/fault"
)

// KeyringConfig configures the key file and the tokens. If Secret is not empty, it signs tokens instead of
// the keys in the file, and tokens that were signed with Previous are accepted, too. Each secret must have at
// least 32 bytes. Lifetime must be at least a minute.
type KeyringConfig struct {
	File             string
	Secret, Previous string
	Issuer, Audience string
	Lifetime         time.Duration
	Now              func() time.Time // nil is time.Now
	Log              *slog.Logger     // nil is slog.Default
}

// Keyring signs and verifies tokens, and encrypts secrets for the database. It is safe for concurrent use.
type Keyring struct {
	config  KeyringConfig
	keys    atomic.Pointer[keyFile]
	loading sync.Mutex // held while the file is read or written
}

// Subject is the account and the session for which a token is issued.
type Subject struct {
	UserID  uuid.UUID
	Role    Role
	Session uuid.UUID
}

// OpenKeyring reads the key file, or creates it with mode 0600. If others can read the file, it removes their
// permissions and logs a warning. It returns an error that names the file if it cannot be read or its mode
// cannot be changed, and an error that names the setting if the secret is too short.
func OpenKeyring(c KeyringConfig) (*Keyring, error) {
	for _, secret := range []string{c.Secret, c.Previous} {
		if secret != "" && len(secret) < 32 {
			return nil, fmt.Errorf("the token secret has %d bytes, expected at least 32", len(secret))
		}
	}
	if c.Previous != "" && c.Secret == "" {
		return nil, errors.New("there is a previous token secret but no current one, expected both")
	}
	if c.Lifetime < time.Minute {
		return nil, fmt.Errorf("the token lifetime is %s, expected at least 1m", c.Lifetime)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	f, err := openKeyFile(c.File, c.Now(), c.Log)
	if err != nil {
		return nil, err
	}
	k := &Keyring{config: c}
	k.keys.Store(f)
	return k, nil
}

// signing returns the key that signs new tokens, and its id.
func (k *Keyring) signing() (kid string, key []byte) {
	if k.config.Secret != "" {
		return secretID(k.config.Secret), []byte(k.config.Secret)
	}
	f := k.keys.Load()
	return f.Tokens[0].ID, f.Tokens[0].Key
}

// secretID returns the key id of a configured secret.
func secretID(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return "secret-" + hex.EncodeToString(sum[:4])
}

// Issue returns a signed token for s, and its claims.
func (k *Keyring) Issue(s Subject) (string, *Claims, error) {
	now := k.config.Now().Truncate(time.Second)
	claims := &Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: k.config.Issuer, Audience: jwt.ClaimStrings{k.config.Audience}, Subject: s.UserID.String(),
			ID:       rand.Text(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(k.config.Lifetime)),
		},
		Session: s.Session.String(), Role: s.Role, Scopes: s.Role.Scopes(),
	}
	k.refresh()
	kid, key := k.signing()
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	t.Header["kid"] = kid
	token, err := t.SignedString(key)
	if err != nil {
		return "", nil, fmt.Errorf("signing a token: %w", err)
	}
	return token, claims, nil
}

// Lifetime returns how long a new token is valid.
func (k *Keyring) Lifetime() time.Duration { return k.config.Lifetime }

// KeyFunc returns a function that finds the key of a token by its kid. It only accepts HS256. If secrets are
// configured, only these are valid; otherwise the signing key of the file, and keys that were retired less
// than a token lifetime ago. A rotation by any process applies immediately.
func (k *Keyring) KeyFunc() jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if t.Method.Alg() != jwt.SigningMethodHS256.Alg() {
			return nil, errors.New("the token is not signed with HS256")
		}
		kid, _ := t.Header["kid"].(string)
		if key := k.key(kid); key != nil {
			return key, nil
		}
		k.refresh()
		if key := k.key(kid); key != nil {
			return key, nil
		}
		return nil, errors.New("the token's key is unknown")
	}
}

// key returns the key with an id, or nil if it does not exist or was retired more than a token lifetime ago.
func (k *Keyring) key(kid string) any {
	if id, key := k.signing(); id == kid {
		return key
	}
	if k.config.Secret != "" { // the keys of the file are then not valid
		if k.config.Previous != "" && kid == secretID(k.config.Previous) {
			return []byte(k.config.Previous)
		}
		return nil
	}
	for _, key := range k.keys.Load().Tokens[1:] {
		if key.ID == kid && k.config.Now().Sub(key.Retired) <= k.config.Lifetime {
			return key.Key
		}
	}
	return nil
}

// Parse verifies a token's signature, validity period, issuer and audience. It returns fault.Unauthenticated
// if any of them is wrong.
func (k *Keyring) Parse(token string) (*Claims, error) {
	claims := new(Claims)
	_, err := jwt.ParseWithClaims(token, claims, k.KeyFunc(),
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithTimeFunc(k.config.Now), jwt.WithExpirationRequired())
	if err != nil {
		return nil, fault.Wrap(err, fault.Unauthenticated, "the token is malformed or expired")
	}
	return claims, k.Check(claims)
}

// Check verifies issuer, audience and Claims.Validate for claims whose signature and validity period were
// already verified. It returns fault.Unauthenticated if anything is wrong.
func (k *Keyring) Check(c *Claims) error {
	if err := c.Validate(); err != nil {
		return fault.Wrap(err, fault.Unauthenticated, "the token is malformed or expired")
	}
	if c.Issuer != k.config.Issuer || len(c.Audience) != 1 || c.Audience[0] != k.config.Audience {
		return fault.New(fault.Unauthenticated, "the token was not issued for this server")
	}
	if !k.config.Now().Before(c.ExpiresAt.Time) {
		return fault.New(fault.Unauthenticated, "the token is malformed or expired")
	}
	return nil
}

// Rotate creates a new signing key, which all processes with this key file use from now on. Tokens of the
// previous key are accepted for a token lifetime. It returns fault.Conflict if a secret is configured, and an
// error if the file cannot be written.
func (k *Keyring) Rotate() error {
	if k.config.Secret != "" {
		return fault.New(fault.Conflict, "tokens are signed with the setting token-secret: "+
			"rotate that setting (docs/guides/security.md#rotate-secrets)")
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	// Another process may have rotated the keys. Its new key must not be lost.
	f, err := readKeyFile(k.config.File)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = k.keys.Load(), nil
	}
	if err != nil {
		return err
	}
	f = f.rotated(k.config.Now(), k.config.Lifetime)
	if err := f.write(k.config.File); err != nil {
		return err
	}
	k.keys.Store(f)
	return nil
}

// refresh reloads the key file if another process has changed it. If the file is missing or damaged, the keys in memory
// remain valid.
func (k *Keyring) refresh() {
	info, err := os.Stat(k.config.File)
	if err != nil || k.keys.Load().isOf(info) {
		return
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	if k.keys.Load().isOf(info) {
		return
	}
	f, err := readKeyFile(k.config.File)
	if err == nil && !bytes.Equal(f.Seal, k.keys.Load().Seal) {
		err = errors.New("the new file has another key for the secrets in the database: restart the server to use it")
	}
	if err != nil {
		k.config.Log.Warn("the key file was changed but cannot be used, so the previous keys remain valid", "file",
			k.config.File, "error", err)
		kept := *k.keys.Load()
		kept.info = info // log the problem only once
		f = &kept
	}
	k.keys.Store(f)
}

// isOf reports whether the keys were read from the current file.
func (f *keyFile) isOf(info os.FileInfo) bool {
	return f.info != nil && os.SameFile(f.info, info) && f.info.Size() == info.Size() &&
		f.info.ModTime().Equal(info.ModTime())
}
