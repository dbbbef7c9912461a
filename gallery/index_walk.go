package gallery

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// foldersAtOnce is how many folders a scan reads concurrently: while one waits for the storage or the
// database, the others continue.
const foldersAtOnce = 4

// A scan reads folders until one of these limits is reached. It then writes their rows in one transaction,
// which blocks other writers. A folder is never split.
const (
	writeRows  = 2500
	writeAfter = time.Second
)

// walk is a running scan.
type walk struct {
	g      *Gallery
	scan   *Scan
	mu     sync.Mutex // guards the fields below
	more   *sync.Cond // signals that a folder was read
	list   []storage.Key
	busy   int                  // number of folders that are being read
	down   map[storage.Key]bool // mounts that do not respond
	failed error                // errors of these mounts
	ended  error                // the error that ends the scan
}

// scanFolder reads a folder recursively. It keeps the rows of a folder that cannot be read. If that folder is
// in a mount, the scan continues with other folders.
func (g *Gallery) scanFolder(ctx context.Context, k storage.Key, scan *Scan) error {
	w := &walk{g: g, scan: scan, list: []storage.Key{k}, down: map[storage.Key]bool{}}
	w.more = sync.NewCond(&w.mu)
	var wg sync.WaitGroup
	for range foldersAtOnce {
		wg.Go(func() {
			for k, ok := w.next(ctx, true); ok; k, ok = w.next(ctx, true) {
				w.readFrom(ctx, k)
			}
		})
	}
	wg.Wait()
	return errors.Join(w.ended, w.failed)
}

// readFrom reads a folder, and more folders up to the limits of a transaction. Then it writes their rows in
// one transaction.
func (w *walk) readFrom(ctx context.Context, k storage.Key) {
	x, began := w.g.index, time.Now()
	var unwritten []*reading
	rows := 0
	for ok := true; ok; k, ok = w.next(ctx, false) {
		r, err := x.read(ctx, k)
		switch {
		case err != nil:
			w.done(k, nil, err)
		case r.current():
			w.done(k, r.entries, x.markSynced(ctx, r))
		default:
			if rows == 0 && !r.empty() {
				x.writing.Add(1)
				defer x.writing.Add(-1)
			}
			unwritten, rows = append(unwritten, r), rows+r.size()
		}
		if rows >= writeRows || time.Since(began) > writeAfter {
			break
		}
	}
	if len(unwritten) == 0 {
		return
	}
	err := x.write(ctx, unwritten...)
	for _, r := range unwritten {
		w.done(r.key, r.entries, err)
	}
}

// next returns a folder to read. It returns false at the end of the scan. If wait is false, it also returns
// false while all remaining folders are being read.
func (w *walk) next(ctx context.Context, wait bool) (storage.Key, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for wait && len(w.list) == 0 && w.busy > 0 {
			w.more.Wait()
		}
		if w.ended == nil {
			w.ended = ctx.Err()
		}
		if len(w.list) == 0 || w.ended != nil {
			return "", false
		}
		k := w.list[len(w.list)-1]
		w.list = w.list[:len(w.list)-1]
		if !w.down[storage.MountOf(w.g.store, k).Name] {
			w.busy++
			return k, true
		}
	}
}

// done adds the subfolders of a folder that was read.
func (w *walk) done(k storage.Key, entries []storage.Stat, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.more.Broadcast()
	w.busy--
	m := storage.MountOf(w.g.store, k)
	switch {
	case fault.CodeOf(err) == fault.Unavailable && m.Name != "":
		w.failed, w.down[m.Name] = errors.Join(w.failed, err), !m.Watched
		return
	case isMissing(err) && k != "":
		return // removed in the meantime
	case err != nil:
		w.ended = cmp.Or(w.ended, err)
		return
	}
	for _, s := range entries {
		if s.IsFolder && !s.Linked {
			w.list = append(w.list, s.Key)
		}
	}
	w.g.scans.mu.Lock()
	w.scan.Folders++
	w.scan.Entries += int32(len(entries))
	w.g.scans.mu.Unlock()
}
