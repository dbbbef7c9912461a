package gallery

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// ScanState is the progress of a scan.
type ScanState string

// The states of a scan.
const (
	ScanWaiting ScanState = "WAITING"
	ScanRunning ScanState = "RUNNING"
	ScanDone    ScanState = "DONE"
	ScanFailed  ScanState = "FAILED"
)

// Scan is a recursive read of a folder of the storage.
type Scan struct {
	Path       string
	State      ScanState
	Folders    int32 // read so far
	Entries    int32 // seen so far
	StartedAt  *time.Time
	FinishedAt *time.Time
	within     context.Context // the scan stops when it ends; nil: the scan is not limited
}

// IndexStatus describes how up to date the index of this server is.
type IndexStatus struct {
	g *Gallery
	// Scan is the latest scan; nil if there was none since the start.
	Scan    *Scan
	pending *int32 // nil: not counted yet
}

// scans holds the scans of this process: one running and one queued.
type scans struct {
	mu      sync.Mutex
	last    *Scan
	waiting map[string]*Scan
	wake    chan struct{}
}

func (s *scans) signal() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	return s.wake
}

// Rescan queues a scan of a folder and returns immediately. It returns fault.NotFound if it does not exist.
func (g *Gallery) Rescan(ctx context.Context, p string) (*Scan, error) {
	k, err := g.scannable(ctx, p)
	if err != nil {
		return nil, err
	}
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	if !s.IsFolder {
		return nil, fault.OnField(fault.NotFound, "path", "%s is a file, expected a folder", k)
	}
	return g.queueScan(k, nil), nil
}

// scannable parses the path of a folder that the caller may edit.
func (g *Gallery) scannable(ctx context.Context, p string) (storage.Key, error) {
	k, scope, err := g.index.openable(ctx, p)
	if err == nil && scope.On(string(k)) < access.Edit {
		err = fault.OnField(fault.Forbidden, "path", "you may view the folder %s, but not change it",
			fault.Quote(string(k)))
	}
	return k, err
}

// queueScan queues a scan that stops when within ends. nil means no limit.
func (g *Gallery) queueScan(k storage.Key, within context.Context) *Scan {
	wake := g.scans.signal()
	g.scans.mu.Lock()
	defer g.scans.mu.Unlock()
	if g.scans.waiting == nil {
		g.scans.waiting = map[string]*Scan{}
	}
	scan, ok := g.scans.waiting[string(k)]
	if !ok {
		scan = &Scan{Path: string(k), State: ScanWaiting, within: within}
		g.scans.waiting[string(k)] = scan
		if g.scans.last == nil || g.scans.last.State != ScanRunning {
			g.scans.last = scan
		}
	}
	if within == nil {
		scan.within = nil
	}
	select {
	case wake <- struct{}{}:
	default:
	}
	c := *scan
	return &c
}

// ScanNow reads a folder of the storage recursively and returns when the scan is complete.
func (g *Gallery) ScanNow(ctx context.Context, p string) error {
	k, err := g.scannable(ctx, p)
	if err != nil {
		return err
	}
	return g.scanFolder(ctx, k, &Scan{})
}

// IndexStatus describes how up to date the index is. It only includes scans of folders that the caller may
// see.
func (g *Gallery) IndexStatus(ctx context.Context) (*IndexStatus, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	g.scans.mu.Lock()
	defer g.scans.mu.Unlock()
	s := &IndexStatus{g: g}
	if g.scans.last != nil && scope.Sees(g.scans.last.Path) {
		c := *g.scans.last
		s.Scan = &c
	}
	return s, nil
}

// PendingFiles counts the pictures that the caller may see and that are not analyzed yet.
func (s *IndexStatus) PendingFiles(ctx context.Context) (int32, error) {
	if s.pending != nil {
		return *s.pending, nil
	}
	scope, err := s.g.Access.Scope(ctx)
	if err != nil {
		return 0, err
	}
	seen, err := search.ViewableFiles(ctx, s.g.db, scope)
	if err != nil {
		return 0, err
	}
	n, err := s.g.db.Entry.Query().
		Where(entry.MetaState(metaPending), entry.Kind(kindFile), seen).
		Count(ctx)
	return int32(n), database.Translate(err)
}

// SharedStatus is IndexStatus with a number of pending files that may be cached for up to age, so that many
// callers share one count.
func (g *Gallery) SharedStatus(ctx context.Context, age time.Duration) (*IndexStatus, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	s, err := g.IndexStatus(ctx)
	if err != nil || !scope.Whole() {
		return s, err
	}
	n, err := g.pending.get(age, func() (int32, error) { return s.PendingFiles(ctx) })
	if err != nil {
		return nil, err
	}
	s.pending = &n
	return s, nil
}

// requestScans queues a scan of everything immediately and after every interval, until ctx ends.
func (g *Gallery) requestScans(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		g.queueScan("", ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// scanner runs queued scans, one at a time, until ctx ends.
func (g *Gallery) scanner(ctx context.Context) {
	wake := g.scans.signal()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			for scan := g.nextScan(); scan != nil && ctx.Err() == nil; scan = g.nextScan() {
				g.scan(ctx, scan)
				// do this before the user who requested the scan opens its folders
				if err := g.db.Upkeep(ctx); err != nil && ctx.Err() == nil {
					g.log.WarnContext(ctx, "vacuuming after a scan", "error", err)
				}
			}
		}
	}
}

// nextScan takes a scan from the queue; nil if it is empty.
func (g *Gallery) nextScan() *Scan {
	g.scans.mu.Lock()
	defer g.scans.mu.Unlock()
	for path, scan := range g.scans.waiting {
		delete(g.scans.waiting, path)
		now := g.config.Now()
		scan.State, scan.StartedAt = ScanRunning, &now
		g.scans.last = scan
		return scan
	}
	return nil
}

func (g *Gallery) scan(ctx context.Context, scan *Scan) {
	if scan.within != nil {
		ctx = scan.within
	}
	err := g.scanFolder(ctx, storage.Key(scan.Path), scan)
	g.scans.mu.Lock()
	defer g.scans.mu.Unlock()
	now := g.config.Now()
	scan.State, scan.FinishedAt = ScanDone, &now
	if err != nil {
		scan.State = ScanFailed
		if ctx.Err() == nil {
			g.log.WarnContext(ctx, "a scan ended early", "path", scan.Path, "error", err)
		}
	}
}
