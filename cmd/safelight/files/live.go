package files

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/fault"
)

const (
	// retryInterval is the time between attempts to open a storage that cannot be used.
	retryInterval = 5 * time.Second
	// drainTime is how long requests, usually downloads, may keep using the previous storage.
	drainTime = time.Hour
)

// Work is what a server does when the files in use change.
type Work struct {
	// Serve makes new requests use f. idle is closed when the last request that uses the previous files has ended.
	// After an error, nothing has changed.
	Serve func(f *Files) (idle <-chan struct{}, err error)
	// Start starts the background work. stop stops it and waits for its end.
	Start func(f *Files) (stop func())
}

// Live holds the files of a server, which can be replaced while it runs. Create it with OpenLive. It is safe for
// concurrent use.
type Live struct {
	config    Config
	deps      Deps
	work      Work
	ctx       context.Context // of the server
	closing   chan struct{}   // closed when the last request was served
	replacing sync.Mutex      // held during a replacement
	current   atomic.Pointer[Files]
	problem   atomic.Pointer[error]
	wake      chan struct{} // buffers one wake-up
	retired   sync.WaitGroup
}

// OpenLive opens the storage for a server that runs until ctx ends.
func OpenLive(ctx context.Context, c Config, d Deps) (*Live, error) {
	l := &Live{config: c, deps: d, ctx: ctx, closing: make(chan struct{}), wake: make(chan struct{}, 1)}
	f, err := open(ctx, c, d, l)
	if err != nil {
		return nil, err
	}
	l.current.Store(f)
	return l, nil
}

// Files returns the files in use.
func (l *Live) Files() *Files { return l.current.Load() }

// Problem returns why the storage that was last chosen is not in use; nil if it is in use or has not been tried yet.
func (l *Live) Problem() error {
	if p := l.problem.Load(); p != nil {
		return *p
	}
	return nil
}

// Wake makes Run check at once whether another storage was chosen. It does not block.
func (l *Live) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run starts the background work, and switches to another storage when one is chosen, until the context of OpenLive
// ends or stop is called. stop ends the background work, but leaves the storage open. Files are not replaced before
// Run is called.
func (l *Live) Run(w Work) (stop func()) {
	l.replacing.Lock()
	l.work = w
	first := l.Files()
	first.start(w, first.Gallery.TestWrites(l.ctx))
	l.replacing.Unlock()
	ctx, cancel := context.WithCancel(l.ctx)
	var following sync.WaitGroup
	following.Go(func() { l.follow(ctx) })
	return func() {
		cancel()
		following.Wait()
		l.replacing.Lock() // no replacement begins from here on
		l.work = Work{}
		l.replacing.Unlock()
		l.Files().end()
	}
}

func (l *Live) follow(ctx context.Context) {
	tick := time.NewTicker(retryInterval)
	defer tick.Stop()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-tick.C:
			if !failed && l.Problem() == nil {
				continue
			}
		}
		failed = l.Use(ctx) != nil // Use has logged the error, unless the database does not respond
	}
}

// Close closes the storage and all replaced storages. Call it after stop, when the last request has ended.
func (l *Live) Close() error {
	close(l.closing)
	l.retired.Wait()
	return l.Files().Close()
}

// Use replaces the files if a storage other than the one in use was chosen. If that storage cannot be used, Use
// returns fault.Unavailable, and the previous files remain in use for reading only.
func (l *Live) Use(ctx context.Context) error {
	l.replacing.Lock()
	defer l.replacing.Unlock()
	if l.work.Serve == nil {
		return fault.New(fault.Unavailable, "the server is starting or shutting down")
	}
	before := l.Files()
	pending, err := before.isOutdated(ctx, l.deps)
	if err != nil {
		return err
	}
	if !pending {
		l.problem.Store(nil)
		return nil
	}
	if err := l.replace(before); err != nil {
		if last := l.Problem(); last == nil || last.Error() != err.Error() {
			l.deps.Log.ErrorContext(ctx, "the storage that an admin has chosen cannot be used: this server reads "+
				"from the previous one, and takes no changes", "error", err)
		}
		l.problem.Store(&err)
		return err
	}
	l.problem.Store(nil)
	return nil
}
