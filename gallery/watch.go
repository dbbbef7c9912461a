package gallery

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// ChangeKind says what happened to a file or folder.
type ChangeKind string

// The kinds of changes.
const (
	KindChanged ChangeKind = "CHANGED"
	KindRemoved ChangeKind = "REMOVED"
	KindReload  ChangeKind = "RELOAD"
)

// FolderChange is a change in a folder that somebody watches.
type FolderChange struct {
	Kind ChangeKind
	Path string // with KindReload, of the watched folder
	file *File
}

// File returns the file that changed; nil for a folder and for other kinds than KindChanged.
func (c *FolderChange) File() *File { return c.file }

const (
	maxWaitingChanges = 1000            // of one watcher; with more it reloads
	watchInterval     = 5 * time.Second // between looks at a folder that others may change
)

// watchers are those who watch folders of this process.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]struct{}
}

// watcher collects the changes in one folder until they are sent.
type watcher struct {
	folder    storage.Key
	recursive bool
	mu        sync.Mutex
	waiting   map[storage.Key]struct{}
	order     []storage.Key
	reload    bool
	wake      chan struct{} // holds one
}

// publish tells those who watch that these files or folders have changed.
func (w *watchers) publish(keys ...storage.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		for _, k := range keys {
			one.add(k)
		}
	}
}

// add collects a change if it concerns the folder. What is deeper than its entries changes, if the watcher is not recursive, the
// folder in it: an upload may have created that.
func (w *watcher) add(k storage.Key) {
	if k == "" || hidden(k) || isPrivate(k) {
		return
	}
	prefix := ""
	if w.folder != "" {
		prefix = string(w.folder) + "/"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rest, inside := strings.CutPrefix(string(k), prefix)
	switch {
	case k == w.folder || strings.HasPrefix(string(w.folder), string(k)+"/"):
		w.reload = true
	case inside:
		if first, _, deeper := strings.Cut(rest, "/"); deeper && !w.recursive {
			k = storage.Key(prefix + first)
		}
		if _, known := w.waiting[k]; known || w.reload {
			return
		}
		if len(w.order) >= maxWaitingChanges {
			w.reload = true
			break
		}
		w.waiting[k] = struct{}{}
		w.order = append(w.order, k)
	default:
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns what was collected; after a reload there is nothing else to say.
func (w *watcher) take() (reload bool, keys []storage.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reload, keys = w.reload, w.order
	w.waiting, w.order, w.reload = map[storage.Key]struct{}{}, nil, false
	if reload {
		keys = nil
	}
	return reload, keys
}

// WatchFolder sends the changes in a folder until ctx ends, and then closes the channel: KindReload first, then one change at
// a time. Changes that the receiver is too slow for are joined. fault.NotFound if the folder does not exist.
func (g *Gallery) WatchFolder(ctx context.Context, folder string, recursive bool) (<-chan *FolderChange, error) {
	f, err := g.Folder(ctx, folder)
	if err != nil {
		return nil, err
	}
	w := &watcher{folder: storage.Key(f.Path()), recursive: recursive, waiting: map[storage.Key]struct{}{}, wake: make(chan struct{}, 1)}
	w.reload = true
	w.wake <- struct{}{}
	g.watchers.mu.Lock()
	if g.watchers.all == nil {
		g.watchers.all = map[*watcher]struct{}{}
	}
	g.watchers.all[w] = struct{}{}
	g.watchers.mu.Unlock()
	changes := make(chan *FolderChange)
	go func() {
		defer close(changes)
		defer func() {
			g.watchers.mu.Lock()
			defer g.watchers.mu.Unlock()
			delete(g.watchers.all, w)
		}()
		g.watch(ctx, w, changes)
	}()
	return changes, nil
}

// watch sends what w collects. In local storage it looks now and then whether anything else has changed the folder.
func (g *Gallery) watch(ctx context.Context, w *watcher, changes chan<- *FolderChange) {
	var look <-chan time.Time
	if _, ok := g.store.(storage.Watched); ok {
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		look = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
			_, _ = g.index.folder(ctx, w.folder) // publishes the differences; an error is that of the next listing too
			continue
		case <-w.wake:
		}
		reload, keys := w.take()
		list := make([]*FolderChange, 0, len(keys))
		if reload {
			list = append(list, &FolderChange{Kind: KindReload, Path: string(w.folder)})
		}
		for _, k := range keys {
			list = append(list, &FolderChange{Kind: KindChanged, Path: string(k)})
		}
		for _, c := range list {
			if c.Kind == KindChanged {
				g.describeChange(ctx, c)
			}
			select {
			case <-ctx.Done():
				return
			case changes <- c:
			}
		}
	}
}

// describeChange finds out what is at the path now.
func (g *Gallery) describeChange(ctx context.Context, c *FolderChange) {
	row, err := g.index.entry(ctx, c.Path)
	switch {
	case isMissing(err):
		c.Kind = KindRemoved
	case err == nil && row.Kind == kindFile:
		c.file = g.newFile(row)
		g.requestMetadata([]*ent.Entry{row})
	}
}
