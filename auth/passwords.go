package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// The cost of a password hash: argon2id with 64 MiB in one pass, which is above the minimum that OWASP
// recommends. It has one lane, so that a hash uses only one core. A hash takes about 50 ms. Hashes with other
// parameters are verified with their own parameters.
const (
	DefaultHashMemory = 64 << 10 // KiB

	hashTime    = 1
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
	maxPassword = 1024 // bytes; longer passwords would only cost CPU time
)

// Passwords hashes and verifies passwords. It limits the number of concurrent hashes, because each takes 64
// MiB. All methods are safe for concurrent use.
type Passwords struct {
	memory  uint32 // KiB per hash
	slots   chan struct{}
	waiting atomic.Int64
	decoy   string
}

// maxWaiting is how many hashes may wait per concurrent hash. That many hashes take about two seconds.
const maxWaiting = 40

// maxParallel limits the memory of hashes to 512 MiB.
const maxParallel = 8

// ParallelHashes returns how many hashes may run concurrently on a number of cores: half of them, 1 to 8.
// Each hash uses one core and 64 MiB.
func ParallelHashes(cores int) int { return max(1, min(cores/2, maxParallel)) }

// NewPasswords returns a hasher that runs at most parallel hashes concurrently, with memory KiB for each new
// hash. Only tests use less than DefaultHashMemory, because hashing would take most of their time.
func NewPasswords(parallel int, memory uint32) *Passwords {
	p := &Passwords{memory: memory, slots: make(chan struct{}, max(parallel, 1))}
	p.decoy = p.encode(make([]byte, saltLength), make([]byte, hashLength))
	return p
}

// acquire waits for a slot, which the caller must release. It returns fault.Overloaded if too many callers
// are waiting, and fault.Canceled or fault.Timeout if ctx ends first.
func (p *Passwords) acquire(ctx context.Context) error {
	if p.waiting.Add(1) > int64(cap(p.slots)*(maxWaiting+1)) {
		p.waiting.Add(-1)
		f := fault.New(fault.Overloaded, "too many logins at once, try again in a moment")
		f.RetryAfter = time.Second
		return f
	}
	err := ctx.Err()
	if err == nil {
		select {
		case p.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	p.waiting.Add(-1)
	return endedEarly(err)
}

// endedEarly converts the error of a context to fault.Timeout or fault.Canceled.
func endedEarly(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Timeout, "the login waited too long")
	}
	return fault.Wrap(err, fault.Canceled, "the login was canceled")
}

func (p *Passwords) release() {
	<-p.slots
	p.waiting.Add(-1)
}

// Hash returns the argon2id hash of a password as a PHC string. It returns fault.Overloaded, fault.Canceled or
// fault.Timeout if it gets no slot.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := p.acquire(ctx); err != nil {
		return "", err
	}
	defer p.release()
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	return p.encode(salt, derive(password, salt, hashTime, p.memory, hashThreads)), nil
}

func derive(password string, salt []byte, passes, memory uint32, threads uint8) []byte {
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, passes, memory, threads, hashLength)
}

func (p *Passwords) encode(salt, hash []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, hashTime, hashThreads,
		b64(salt), b64(hash))
}

// Verify reports whether password matches hash. An empty hash means that the account does not exist: Verify
// then takes the same time and returns false. It returns the errors of Hash, and an error for a malformed
// hash.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	known := hash != "" && len(password) <= maxPassword
	if !known {
		hash, password = p.decoy, ""
	}
	if err := p.acquire(ctx); err != nil {
		return false, err
	}
	defer p.release()
	var version int
	var memory, passes uint32
	var threads uint8
	var tail string
	if _, err := fmt.Sscanf(hash, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &passes, &threads,
		&tail); err != nil {
		return false, fmt.Errorf("a stored password hash is not argon2id: %w", err)
	}
	saltText, sumText, _ := strings.Cut(tail, "$")
	salt, err1 := base64.RawStdEncoding.DecodeString(saltText)
	sum, err2 := base64.RawStdEncoding.DecodeString(sumText)
	if err1 != nil || err2 != nil || len(sum) != hashLength || passes == 0 || threads == 0 {
		return false, fmt.Errorf("a stored password hash is damaged")
	}
	same := subtle.ConstantTimeCompare(derive(password, salt, passes, memory, threads), sum) == 1
	return same && known, nil
}
