package database

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// CheckWrite returns fault.Unavailable unless the database accepts a write. The write changes nothing.
func (db *DB) CheckWrite(ctx context.Context) error {
	err := db.Transact(ctx, func(tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE goose_db_version SET is_applied = is_applied WHERE version_id = 0")
		return err
	})
	if fault.CodeOf(err) == fault.Internal {
		return unavailable(err)
	}
	return err
}

// The times of a Probe.
const (
	probeInterval = 10 * time.Second // between tests while they succeed
	probeRetry    = time.Second      // between tests after one failed
	probePatience = 3 * time.Second  // a test in progress counts as failed after this time
)

// Probe runs a test in the background and caches its result. Err is cheap. If the test hangs, Err takes at
// most 3 s. It is safe for concurrent use.
type Probe struct {
	try func(context.Context) error
	now func() time.Time

	mu      sync.Mutex
	running chan struct{} // closed when the test in progress ends; nil if none is running
	ended   time.Time
	err     error
}

// NewProbe returns a probe that has not run its test yet. A nil now is time.Now.
func NewProbe(try func(context.Context) error, now func() time.Time) *Probe {
	if now == nil {
		now = time.Now
	}
	return &Probe{try: try, now: now}
}

// Err returns the result of the last test if it is at most 10 s old, or 1 s if it failed. Otherwise it waits for a new
// test, and returns fault.Unavailable if that takes longer than 3 s.
func (p *Probe) Err(ctx context.Context) error {
	running := p.start()
	if running != nil {
		patience := time.NewTimer(probePatience)
		defer patience.Stop()
		select {
		case <-running:
		case <-ctx.Done():
			return hangs()
		case <-patience.C:
			return hangs()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func hangs() error {
	return later(nil, time.Second, "the database accepts no writes: another program may have locked it")
}

// start starts a test if one is due. It returns a channel that is closed at the end of the test in progress,
// or nil if the last result is recent enough.
func (p *Probe) start() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	interval := probeInterval
	if p.err != nil {
		interval = probeRetry
	}
	if p.running != nil || !p.ended.IsZero() && p.now().Sub(p.ended) < interval {
		return p.running
	}
	p.running = make(chan struct{})
	go func(done chan struct{}) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err := p.try(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.err, p.ended, p.running = err, p.now(), nil
		close(done)
	}(p.running)
	return p.running
}
