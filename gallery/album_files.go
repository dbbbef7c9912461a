package gallery

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/album"
	"github.com/safelight/safelight/ent/albumitem"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/feed"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// AlbumPage is a page of the files of an album.
type AlbumPage struct {
	First *int32 // 1..100; nil is 50
	After string // a cursor; empty: from the start
	Skip  int32  // how many files to skip after the cursor; 0 or more

	Pictures bool // leaves out hidden files and files that are not pictures, as the filter Pictures does
}

// Files returns a page of the files of the album that the caller may see, in the order of the album.
func (a *Album) Files(ctx context.Context, p AlbumPage) (*FileConnection, error) {
	b, first, err := a.browse(ctx, p)
	if err != nil {
		return nil, err
	}
	if _, err := b.read(ctx, first); err != nil {
		return nil, err
	}
	a.g.requestMetadata(b.rows)
	return connect(b, func(r *ent.Entry, l *loader) *File { return &File{row: r, g: a.g, loader: l} }), nil
}

// browse returns a query for the album's files that the caller may see, and the maximum number of files on the
// page.
func (a *Album) browse(ctx context.Context, p AlbumPage) (*browse, int, error) {
	scope, err := a.g.Access.Scope(ctx)
	if err != nil {
		return nil, 0, err
	}
	o := BrowseOptions{
		Recursive: true, Sort: a.SortedBy(), Descending: a.Descending(), First: p.First, After: p.After, Skip: p.Skip,
	}
	if a.row.Smart {
		o.Recursive = a.row.Recursive
	}
	b, first, err := a.g.newBrowse(kindFile, o)
	if err != nil {
		return nil, 0, err
	}
	if b.where, err = a.conditions(ctx, scope, o, p.Pictures); err != nil {
		return nil, 0, err
	}
	if !a.row.Smart {
		b.album = a.row
	}
	if o.Sort == SortManual {
		err = b.findPlace(ctx, scope)
	}
	return b, first, err
}

// conditions returns the conditions that select the album's files that scope may see.
func (a *Album) conditions(
	ctx context.Context, scope access.Scope, o BrowseOptions, pictures bool,
) (*search.Conditions, error) {
	c, err := a.all(ctx, scope, o)
	if err != nil || !pictures {
		return c, err
	}
	return c, c.Filter(ctx, Pictures())
}

func (a *Album) all(ctx context.Context, scope access.Scope, o BrowseOptions) (*search.Conditions, error) {
	c := search.New(a.g.db, scope)
	if !a.row.Smart {
		c.Album(a.row.ID)
		return c, nil
	}
	filter, err := search.DecodeFilter(a.row.Filter)
	if err != nil {
		return nil, err
	}
	o.Filter, o.Search = filter, a.row.Search
	if !scope.Leads(a.row.Folder) { // the folder does not exist for this caller
		c.Nothing()
		return c, nil
	}
	_, found, err := a.g.index.conditionsIn(ctx, scope, storage.Key(a.row.Folder), kindFile, o)
	if isMissing(err) {
		c.Nothing()
		return c, nil
	}
	return found, err
}

// Has reports whether the album contains f and the caller may see it.
func (a *Album) Has(ctx context.Context, f *File) (bool, error) {
	among, err := a.Among(ctx, []int{f.row.ID})
	return among[f.row.ID], err
}

// Among returns which of the entries are files of the album that the caller may see.
func (a *Album) Among(ctx context.Context, entries []int) (map[int]bool, error) {
	b, _, err := a.browse(ctx, AlbumPage{})
	if err != nil {
		return nil, err
	}
	rows, err := b.query().Where(entry.IDIn(entries...)).Select(entry.FieldID).All(ctx)
	among := map[int]bool{}
	for _, row := range rows {
		among[row.ID] = true
	}
	return among, database.Translate(err)
}

// FileCount returns how many files of the album the caller may see. It is nil for a smart album with more
// than search.CountLimit files.
func (a *Album) FileCount(ctx context.Context) (*int32, error) {
	b, _, err := a.browse(ctx, AlbumPage{})
	if err != nil {
		return nil, err
	}
	return b.TotalCount(ctx, false)
}

// Cover returns the file that was chosen as the cover, or else the first one. It is nil if the caller may see no file
// of the album.
func (a *Album) Cover(ctx context.Context) (*File, error) {
	one := int32(1)
	b, _, err := a.browse(ctx, AlbumPage{First: &one})
	if err != nil {
		return nil, err
	}
	if a.row.CoverID != nil {
		row, err := b.query().Where(entry.ID(*a.row.CoverID)).Select(listColumns...).Only(ctx)
		if err == nil {
			return newFile(a.g, row), nil
		}
		if !ent.IsNotFound(err) {
			return nil, database.Translate(err)
		}
	}
	if _, err := b.read(ctx, 1); err != nil || len(b.rows) == 0 {
		return nil, err
	}
	a.g.requestMetadata(b.rows)
	return newFile(a.g, b.rows[0]), nil
}

// maxAlbumPages bounds the work of Paths.
const maxAlbumPages = maxAlbumFiles / database.MaxPage

// Paths returns the paths of the files of the album that the caller may see, in the order of the album. It
// returns fault.TooLarge for a smart album with more files than maxAlbumFiles.
func (a *Album) Paths(ctx context.Context) ([]string, error) {
	most := int32(database.MaxPage)
	p := AlbumPage{First: &most}
	var paths []string
	for range maxAlbumPages {
		c, err := a.Files(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, e := range c.Edges {
			paths, p.After = append(paths, e.Node.Path()), e.Cursor
		}
		if !c.more {
			return paths, nil
		}
	}
	return nil, fault.New(
		fault.TooLarge, "the album %s has more than %d files, expected fewer", fault.Quote(a.Title()), maxAlbumFiles,
	)
}

// A cursor in an album's own order holds a file and how many files precede the next one. It does not hold the
// file's position: gaps between positions would reveal files that the caller may not see.

// rankOf returns the cursor of row i of the page.
func (b *browse) rankOf(i int) cursor {
	return cursor{
		Sort: SortManual, Deep: true, Number: int64(b.rank) + int64(b.o.Skip) + int64(i) + 1, ID: b.rows[i].ID,
	}
}

// findPlace looks up the current position of the cursor's file. If the file left the album, or the caller may
// not see it, findPlace skips by count instead. Otherwise a forged cursor could be used to find hidden files.
func (b *browse) findPlace(ctx context.Context, scope access.Scope) error {
	if b.from == nil {
		return nil
	}
	rank := int32(max(0, min(b.from.Number, maxAlbumFiles)))
	item, err := b.g.db.AlbumItem.Query().
		Where(albumitem.AlbumID(b.album.ID), albumitem.EntryID(b.from.ID)).
		Only(ctx)
	path := ""
	if err == nil {
		path, err = b.g.db.Entry.Query().Where(entry.ID(b.from.ID)).Select(entry.FieldPath).String(ctx)
	}
	switch {
	case ent.IsNotFound(err) || err == nil && !scope.Sees(path): // a file in the trash keeps its position
		b.from, b.o.Skip = nil, min(b.o.Skip, math.MaxInt32-rank)+max(0, rank-1)
		return nil
	case err != nil:
		return database.Translate(err)
	}
	b.from.Number, b.rank = item.Position, rank
	return nil
}

// WatchAlbums sends the id of an album whenever an album that the caller may see changes. It closes the
// channel when ctx ends. An empty id, which is sent first, means that all albums must be read again.
//
// With an id, only changes of that album are sent. Its id is also sent when files that the caller may see
// change, because they may be in the album. WatchAlbums returns fault.NotFound if the caller may not see the
// album.
func (g *Gallery) WatchAlbums(ctx context.Context, id *uuid.UUID) (<-chan string, error) {
	ctx = access.Again(ctx) // rights may change while somebody watches
	folder := albumNotices
	if id != nil {
		folder = ""
	}
	s := g.changes.Subscribe(folder, true)
	if id != nil {
		if _, err := g.Album(ctx, *id); err != nil {
			s.Close()
			return nil, err
		}
	}
	var receiver atomic.Pointer[access.Scope] // what the receiver could see at the last change
	s.Only(func(k storage.Key) bool {
		if noticeNames.Holds(k) {
			return albumNotices.Holds(k) && mayKnowOf(ctx, k)
		}
		scope := receiver.Load()
		return scope == nil || scope.Sees(string(k))
	})
	return sendNotices(ctx, s, func() []string { return g.changedAlbums(ctx, s, id, &receiver) }), nil
}

// sendNotices sends the results of take whenever the subscription reports a change. When ctx ends, it closes
// the channel and the subscription.
func sendNotices(ctx context.Context, s *feed.Subscription, take func() []string) <-chan string {
	changes := make(chan string)
	go func() {
		defer close(changes)
		defer s.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Wake():
			}
			for _, changed := range take() {
				if !send(ctx, changes, changed) {
					return
				}
			}
		}
	}()
	return changes
}

// FeedbackChanged notifies the owner of a share link, if they are watching, that its feedback has changed.
func (g *Gallery) FeedbackChanged(owner, link uuid.UUID) {
	g.changes.Publish(feedbackNotices.Join(owner.String()).Join(link.String()))
}

// WatchFeedback sends the id of a share link of the caller whenever its feedback changes. It closes the
// channel when ctx ends. An empty id, which is sent first, means that the feedback of all links must be read
// again.
func (g *Gallery) WatchFeedback(ctx context.Context) <-chan string {
	s := g.changes.Subscribe(feedbackNotices.Join(auth.FromContext(ctx).UserID.String()), true)
	return sendNotices(ctx, s, func() []string {
		reload, keys := s.Take()
		if reload {
			return []string{""}
		}
		list := make([]string, len(keys))
		for i, k := range keys {
			list[i] = k.Name()
		}
		return list
	})
}

// changedAlbums returns the ids of the albums that a subscription reports, as WatchAlbums sends them. It
// stores what the receiver may see. When that changes, a watcher of a single album gets an event, because the
// album may show different files.
func (g *Gallery) changedAlbums(
	ctx context.Context, s *feed.Subscription, id *uuid.UUID, receiver *atomic.Pointer[access.Scope],
) []string {
	reload, keys := s.Take()
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return []string{""}
	}
	before := receiver.Swap(&scope)
	if reload {
		return []string{""}
	}
	var list []string
	seen := map[string]bool{}
	if id != nil && before != nil && !scope.Equal(*before) {
		list, seen[id.String()] = append(list, id.String()), true
	}
	for _, k := range keys {
		changed := k.Name()
		switch {
		case !albumNotices.Holds(k):
			if noticeNames.Holds(k) || !scope.Sees(string(k)) {
				continue
			}
			changed = id.String() // only watchers of a single album receive changes of files
		case !mayKnowOf(ctx, k) || id != nil && changed != id.String():
			continue
		}
		if !seen[changed] {
			seen[changed] = true
			list = append(list, changed)
		}
	}
	return list
}

// mayKnowOf reports whether the caller may see the album that a notice is about, or could see it before the
// change.
func mayKnowOf(ctx context.Context, notice storage.Key) bool {
	i := auth.FromContext(ctx)
	owner := notice.Parent().Name()
	visibility := notice.Parent().Parent().Name()
	return seesAllAlbums(ctx) ||
		!i.IsAnonymous() && i.Role != auth.RoleGuest &&
			(owner == i.UserID.String() || visibility == string(album.VisibilityEveryone))
}
