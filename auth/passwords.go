package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// The cost of a password hash: argon2id, RFC 9106's second recommendation with one pass less lanes
// than cores would allow, about 22 ms.
const (
	hashMemory  = 64 << 10 // KiB
	hashTime    = 1
	hashThreads = 4
	hashLength  = 32
	saltLength  = 16
	maxPassword = 1024 // bytes; longer ones only make us work
)

// Passwords hashes and checks passwords, a few at a time: each takes 64 MiB. It is safe for concurrent use.
type Passwords struct {
	slots chan struct{}
	decoy string
}

// NewPasswords returns a hasher that runs at most parallel hashes at once.
func NewPasswords(parallel int) *Passwords {
	p := &Passwords{slots: make(chan struct{}, max(parallel, 1))}
	p.decoy = encodeHash(make([]byte, saltLength), make([]byte, hashLength))
	return p
}

func (p *Passwords) acquire(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Canceled, "the login was given up")
	}
}

// Hash returns password as an argon2id hash in PHC string form; an error when ctx ends first.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := p.acquire(ctx); err != nil {
		return "", err
	}
	defer func() { <-p.slots }()
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	return encodeHash(salt, derive(password, salt, hashTime, hashMemory, hashThreads)), nil
}

func derive(password string, salt []byte, time, memory uint32, threads uint8) []byte {
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, time, memory, threads, hashLength)
}

func encodeHash(salt, hash []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashTime, hashThreads, b64(salt), b64(hash))
}

// Verify reports whether password made hash. An empty hash is nobody's: it takes the same time
// and is false. The error is not nil when ctx ends first or the hash is not one of ours.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	known := hash != "" && len(password) <= maxPassword
	if !known {
		hash, password = p.decoy, ""
	}
	if err := p.acquire(ctx); err != nil {
		return false, err
	}
	defer func() { <-p.slots }()
	var version int
	var memory, time uint32
	var threads uint8
	var tail string
	if _, err := fmt.Sscanf(hash, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &time, &threads, &tail); err != nil {
		return false, fmt.Errorf("a stored password hash is not argon2id: %w", err)
	}
	saltText, sumText, _ := strings.Cut(tail, "$")
	salt, err1 := base64.RawStdEncoding.DecodeString(saltText)
	sum, err2 := base64.RawStdEncoding.DecodeString(sumText)
	if err1 != nil || err2 != nil || len(sum) != hashLength || time == 0 || threads == 0 {
		return false, fmt.Errorf("a stored password hash is damaged")
	}
	same := subtle.ConstantTimeCompare(derive(password, salt, time, memory, threads), sum) == 1
	return same && known, nil
}
