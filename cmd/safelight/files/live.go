package files

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/fault"
)

const (
	// retryInterval is the time between tries to use a storage that does not open.
	retryInterval = 5 * time.Second
	// drainTime is how long requests that use the storage before may take to end: downloads, as a rule.
	drainTime = time.Hour
)

// Work is what a server does with the files in use.
type Work struct {
	// Serve makes new requests use f. idle is closed when the last request that uses those before has ended. After an
	// error nothing has changed.
	Serve func(f *Files) (idle <-chan struct{}, err error)
	// Start begins the work in the background. stop ends it, and waits for it.
	Start func(f *Files) (stop func())
}

// Live is the files of a server, which are replaced while it runs. Create it with OpenLive. It is safe for concurrent
// use.
type Live struct {
	config  Config
	deps    Deps
	work    Work
	ctx     context.Context // of the server
	closing chan struct{}   // closed when the last request was served
	one     sync.Mutex      // one replacement at a time
	now     atomic.Pointer[Files]
	problem atomic.Pointer[error]
	wake    chan struct{} // holds one
	retired sync.WaitGroup
}

// OpenLive opens the storage for a server that runs until ctx ends. After an error of the packages of rules it must
// not be used.
func OpenLive(ctx context.Context, c Config, d Deps) (*Live, error) {
	l := &Live{config: c, deps: d, ctx: ctx, closing: make(chan struct{}), wake: make(chan struct{}, 1)}
	f, err := open(ctx, c, d, l)
	if err != nil {
		return nil, err
	}
	l.now.Store(f)
	return l, nil
}

// Files returns the files in use.
func (l *Live) Files() *Files { return l.now.Load() }

// Problem returns why the storage that was chosen last is not in use; nil if it is, or was not tried yet.
func (l *Live) Problem() error {
	if p := l.problem.Load(); p != nil {
		return *p
	}
	return nil
}

// Wake makes Run look at once whether another storage was chosen. It does not block.
func (l *Live) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run starts the work in the background, and uses what is chosen, until the context of OpenLive ends. Then it stops
// that work, but leaves the storage open. Before Run, nothing is replaced.
func (l *Live) Run(w Work) (stop func()) {
	l.one.Lock()
	l.work = w
	first := l.Files()
	first.start(w)
	l.one.Unlock()
	ctx, cancel := context.WithCancel(l.ctx)
	var following sync.WaitGroup
	following.Go(func() { l.follow(ctx) })
	return func() {
		cancel()
		following.Wait()
		l.one.Lock() // no replacement begins after this
		l.work = Work{}
		l.one.Unlock()
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
		failed = l.Use(ctx) != nil // logged, unless the database does not answer
	}
}

// Close closes the storages, those that were replaced too. Call it after stop, when the last request was served.
func (l *Live) Close() error {
	close(l.closing)
	l.retired.Wait()
	return l.Files().Close()
}

// Use replaces the files if another storage was chosen than the one in use. It returns fault.Unavailable if that
// storage cannot be used: then those before remain, but take no changes.
func (l *Live) Use(ctx context.Context) error {
	l.one.Lock()
	defer l.one.Unlock()
	if l.work.Serve == nil {
		return fault.New(fault.Unavailable, "the server is about to stop, or is starting")
	}
	before := l.Files()
	pending, err := before.isOver(ctx, l.deps)
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
				"from the one before, and takes no changes", "error", err)
		}
		l.problem.Store(&err)
		return err
	}
	l.problem.Store(nil)
	return nil
}
