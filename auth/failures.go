package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// Limits of failed logins in a failureWindow, and of what is remembered.
const (
	maxFailuresOfName    = 10  // from one address for one username
	maxFailuresOfAddress = 100 // from one address for all usernames
	maxFailuresOfShared  = 50  // from all addresses for a shared password, before each address may fail only once
	failureWindow        = time.Minute
	maxFailureKeys       = 50_000 // of each kind
	maxWaitingOfAddress  = 200    // attempts from one address that wait for others to finish
)

// Failures limits failed logins to 10 a minute from one address for one username, and to 100 a minute from
// one address in total. An IPv6 /64 counts as one address. An address without failures is never rejected,
// regardless of the failures of others. Its memory is bounded, and its methods are safe for concurrent use.
type Failures struct {
	now func() time.Time

	mu        sync.Mutex
	names     tallies
	addresses tallies
	shared    tallies
	waiting   map[limitKey]int // logins by address
}

// limitKey is the hash of a key: usernames come from callers and may be long.
type limitKey [16]byte

// NewFailures returns a limiter. A nil now is time.Now.
func NewFailures(now func() time.Time) *Failures {
	if now == nil {
		now = time.Now
	}
	return &Failures{now: now, names: newTallies(maxFailuresOfName), addresses: newTallies(maxFailuresOfAddress),
		shared: newTallies(maxFailuresOfShared), waiting: map[limitKey]int{}}
}

// Attempt calls verify for a login from an address for a username, and returns its results. ok says whether
// the password is correct. An error of verify counts as neither a success nor a failure.
//
// Attempts wait while the failures and the attempts in progress together reach the limit, so that parallel
// attempts cannot exceed it. Attempt returns fault.RateLimited with RetryAfter after too many failures or if
// too many attempts are waiting, and fault.Canceled or fault.Timeout if ctx ends before it calls verify.
func (f *Failures) Attempt(
	ctx context.Context, address, name string, verify func() (ok bool, err error),
) (ok bool, err error) {
	return f.attempt(ctx, address, name, nil, verify)
}

// AttemptShared is Attempt for a password that many people use, such as that of a link, and that may be
// guessed from many addresses at once. After 50 failures a minute from all addresses, each address may fail
// once a minute instead of 10 times. Nobody can lock out others: an address without failures may always try.
func (f *Failures) AttemptShared(
	ctx context.Context, address, name string, verify func() (ok bool, err error),
) (ok bool, err error) {
	shared := keyOf(name)
	return f.attempt(ctx, address, name, &shared, verify)
}

func (f *Failures) attempt(
	ctx context.Context, address, name string, shared *limitKey, verify func() (ok bool, err error),
) (ok bool, err error) {
	network := NetworkOf(address)
	end, err := f.begin(ctx, keyOf(network), keyOf(network+"\x00"+name), shared)
	if err != nil {
		return false, err
	}
	failed := true // unless verify returns
	defer func() { end(failed) }()
	ok, err = verify()
	failed = err == nil && !ok
	return ok, err
}

// begin waits until another attempt is allowed, and counts it as in progress until end is called. shared is
// nil unless the password is shared.
func (f *Failures) begin(
	ctx context.Context, ofAddress, ofName limitKey, shared *limitKey,
) (end func(failed bool), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		now := f.now()
		names := f.names
		if shared != nil && f.shared.isFull(*shared, now) {
			names.limit = 1
		}
		wait, err := names.full(ofName, now)
		if err != nil {
			return nil, err
		}
		waitToo, err := f.addresses.full(ofAddress, now)
		if err != nil {
			return nil, err
		}
		if wait == nil {
			wait = waitToo
		}
		if wait == nil {
			break
		}
		if err := f.wait(ctx, ofAddress, wait); err != nil {
			return nil, err
		}
	}
	now := f.now()
	name, address := f.names.begin(ofName, now), f.addresses.begin(ofAddress, now)
	var all *tally
	if shared != nil {
		all = f.shared.begin(*shared, now)
	}
	return func(failed bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		now := f.now()
		f.names.end(ofName, name, failed, now)
		f.addresses.end(ofAddress, address, failed, now)
		if all != nil {
			f.shared.end(*shared, all, failed, now)
		}
	}, nil
}

// wait waits until ended is closed or ctx ends. It unlocks mu while it waits.
func (f *Failures) wait(ctx context.Context, ofAddress limitKey, ended <-chan struct{}) error {
	if f.waiting[ofAddress] >= maxWaitingOfAddress {
		return limited(time.Second, "too many logins at once, try again in a moment")
	}
	f.waiting[ofAddress]++
	f.mu.Unlock()
	var err error
	select {
	case <-ended:
	case <-ctx.Done():
		err = endedEarly(ctx.Err())
	}
	f.mu.Lock()
	if f.waiting[ofAddress]--; f.waiting[ofAddress] == 0 {
		delete(f.waiting, ofAddress)
	}
	return err
}

// limited returns fault.RateLimited with a delay after which the caller may retry.
func limited(after time.Duration, message string) error {
	f := fault.New(fault.RateLimited, "%s", message)
	f.RetryAfter = after
	return f
}

// NetworkOf returns the unit to which the limits apply: an IPv6 /64 or an IPv4 address. It returns any other
// text unchanged.
func NetworkOf(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return address
	}
	return p.String()
}

func keyOf(text string) limitKey {
	sum := sha256.Sum256([]byte(text))
	return limitKey(sum[:16])
}
