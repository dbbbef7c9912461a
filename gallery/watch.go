package gallery

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/feed"
	"github.com/safelight/safelight/gallery/search"
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

// FolderChange is a change in a watched folder.
type FolderChange struct {
	Kind ChangeKind
	Path string // path of the change; with KindReload, of the watched folder
	// Position is the result of ChangePosition with KindReload, and nil otherwise. A list that was loaded at
	// the same position is up to date.
	Position *string
	file     *File
}

// ChangePosition returns a text that differs after each change that watchers receive, and between servers.
// For a caller who may not see everything, it differs on each call, so that it does not reveal hidden
// changes.
func (g *Gallery) ChangePosition(ctx context.Context) string {
	if scope, err := g.Access.Scope(ctx); err != nil || !scope.Whole() {
		return rand.Text()
	}
	return g.changes.Position()
}

// File returns the file that changed; nil for a folder and for other kinds than KindChanged.
func (c *FolderChange) File() *File { return c.file }

// published returns a function that passes changes of visible files to watchers of folders.
func published(changes *feed.Hub) func(...storage.Key) {
	return func(keys ...storage.Key) {
		changes.Publish(slices.DeleteFunc(slices.Clone(keys), func(k storage.Key) bool {
			return search.IsHidden(string(k)) || isPrivate(k)
		})...)
	}
}

// WatchFolder sends the changes in a folder until ctx ends, and then closes the channel. Once the folder
// exists, it first sends KindReload, and then individual changes. If the receiver is slow, changes are
// merged.
func (g *Gallery) WatchFolder(ctx context.Context, folder string, recursive bool) (<-chan *FolderChange, error) {
	ctx = access.Again(ctx) // rights may change while somebody watches
	k, scope, err := g.index.openable(ctx, folder)
	if err != nil {
		return nil, err
	}
	// Subscribe before the folder is read, so that no change is missed. If the caller may only see parts of
	// the folder, each change is checked at its original path.
	s := g.changes.Subscribe(k, recursive || !scope.Sees(string(k)))
	_, err = g.index.folder(ctx, k)
	if err != nil && !isMissing(err) {
		s.Close()
		return nil, err
	}
	missing := err != nil
	changes := make(chan *FolderChange)
	go func() {
		defer close(changes)
		defer s.Close()
		w := folderWatch{g: g, folder: k, from: s, scope: scope, deep: recursive, missing: missing}
		w.seen.Store(&scope)
		s.Only(func(k storage.Key) bool { return w.seen.Load().Sees(string(k)) })
		w.run(ctx, changes)
	}()
	return changes, nil
}

// folderWatch sends the changes in a folder to one receiver.
type folderWatch struct {
	g       *Gallery
	folder  storage.Key
	from    *feed.Subscription
	scope   access.Scope                 // what the receiver could see at the last change
	seen    atomic.Pointer[access.Scope] // the last scope that could be read
	deep    bool                         // changes in subfolders are sent with their own paths
	missing bool                         // the folder has not existed so far
}

// run sends changes until ctx ends. For local storage, it checks every WatchInterval whether other programs
// have changed the folder.
func (w *folderWatch) run(ctx context.Context, changes chan<- *FolderChange) {
	var look <-chan time.Time
	if _, ok := storage.WatchedAt(w.g.store, w.folder); ok {
		tick := time.NewTicker(cmp.Or(w.g.config.WatchInterval, 5*time.Second))
		defer tick.Stop()
		look = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
			// This publishes the differences. The next listing reports an error again.
			_, err := w.g.index.folder(ctx, w.folder)
			if w.missing && err == nil {
				w.from.Reload()
			}
			continue
		case <-w.from.Wake():
		}
		reload, keys := w.from.Take()
		reload = w.readScope(ctx) || reload && w.scope.Leads(string(w.folder))
		if w.missing {
			if !w.scope.Leads(string(w.folder)) {
				continue
			}
			if _, err := w.g.index.folder(ctx, w.folder); err != nil {
				continue
			}
			w.missing, reload = false, true
		}
		if reload {
			keys = nil
		}
		for _, k := range w.viewable(keys) {
			// The receiver may have been slow with the previous change, and may have lost its rights in the
			// meantime.
			if reload = w.readScope(ctx); reload {
				break
			}
			c := &FolderChange{Kind: KindChanged, Path: string(k)}
			w.describe(ctx, c)
			if !send(ctx, changes, c) {
				return
			}
		}
		if reload {
			position := w.g.ChangePosition(ctx) // last, because a reload covers all changes up to this position
			if !send(ctx, changes, &FolderChange{Kind: KindReload, Path: string(w.folder), Position: &position}) {
				return
			}
		}
	}
}

// readScope reads what the receiver may see, and reports whether that has changed. While the database does
// not respond, the receiver may see nothing.
func (w *folderWatch) readScope(ctx context.Context) (changed bool) {
	scope, err := w.g.Access.Scope(ctx)
	if err != nil {
		scope = access.Scope{}
	} else {
		w.seen.Store(&scope)
	}
	changed = !scope.Equal(w.scope)
	w.scope = scope
	return changed
}

// send reports whether v was sent before ctx ended.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case <-ctx.Done():
		return false
	case to <- v:
		return true
	}
}

// viewable returns the changes of files that the receiver may view. Each change is reported with its own
// path, or with that of the subfolder that contains it.
func (w *folderWatch) viewable(keys []storage.Key) []storage.Key {
	keys = slices.DeleteFunc(keys, noticeNames.Holds)
	if w.scope.Whole() {
		return keys
	}
	var list []storage.Key
	for _, k := range keys {
		if !w.scope.Sees(string(k)) {
			continue
		}
		for !w.deep && k != w.folder && k.Parent() != w.folder && k != "" {
			k = k.Parent()
		}
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// describe reads what exists at the changed path now.
func (w *folderWatch) describe(ctx context.Context, c *FolderChange) {
	row, err := w.g.index.entry(ctx, c.Path)
	switch {
	case isMissing(err):
		c.Kind = KindRemoved
	case err == nil && row.Kind == kindFile:
		c.file = newFile(w.g, row)
		w.g.requestMetadata([]*ent.Entry{row})
	}
}
