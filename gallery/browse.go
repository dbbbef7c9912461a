package gallery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/albumitem"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// Sort is the key that files and folders are sorted by: FileSort and AlbumSort of the API.
type Sort string

// The sort keys. Empty means SortName.
const (
	SortName       Sort = "NAME"
	SortSize       Sort = "SIZE"
	SortModified   Sort = "MODIFIED"
	SortTaken      Sort = "TAKEN"
	SortDimensions Sort = "DIMENSIONS"
	SortRating     Sort = "RATING"
	SortManual     Sort = "MANUAL" // of an album only
)

// sortKeys maps each sort key to its column and, for cursors, to its numeric value in a row. The function is
// nil for texts.
var sortKeys = map[Sort]struct {
	column string
	number func(*ent.Entry) int64
}{
	SortName:       {column: entry.FieldNameKey},
	SortSize:       {entry.FieldSize, func(e *ent.Entry) int64 { return e.Size }},
	SortModified:   {entry.FieldModified, func(e *ent.Entry) int64 { return e.Modified }},
	SortTaken:      {entry.FieldTakenKey, func(e *ent.Entry) int64 { return e.TakenKey }},
	SortDimensions: {entry.FieldPixels, func(e *ent.Entry) int64 { return e.Pixels }},
	SortRating:     {entry.FieldRating, func(e *ent.Entry) int64 { return int64(e.Rating) }},
	SortManual:     {column: albumitem.FieldPosition},
}

// defaultPage is the size of a page by default.
const defaultPage = 50

// BrowseOptions selects files or folders, their order, and a page of them.
type BrowseOptions struct {
	Folder     string // empty: the root
	Recursive  bool
	Filter     search.Filter // for files
	Search     string
	Sort       Sort
	Descending bool
	First      *int32 // 1..100; nil is 50
	After      string // a cursor; empty: from the start
	Skip       int32  // how many entries to skip after the cursor; 0 or more
}

// cursor is the position of a row: its key, and a tie-breaker among rows with the same key.
type cursor struct {
	Sort       Sort   `json:"o"`
	Descending bool   `json:"d,omitempty"`
	Deep       bool   `json:"r,omitempty"`
	Number     int64  `json:"k,omitempty"`
	Name       []byte `json:"n,omitempty"`
	ID         int    `json:"i"`
}

func (c cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // it always can
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor parses After. It returns fault.Invalid for anything but a cursor of the same order.
func (o BrowseOptions) parseCursor() (*cursor, error) {
	if o.After == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(o.After)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, fault.OnField(fault.Invalid, "after", "the cursor is not valid")
	}
	if c.Sort != o.Sort || c.Descending != o.Descending || c.Deep != o.Recursive {
		return nil, fault.OnField(fault.Invalid, "after", "the cursor belongs to a list in another order")
	}
	return &c, nil
}

// cursor returns the cursor of row i of the page.
func (b *browse) cursor(i int) string {
	if b.o.Sort == SortManual {
		return b.rankOf(i).String()
	}
	return b.o.position(b.rows[i]).String()
}

func (o BrowseOptions) position(e *ent.Entry) *cursor {
	c := &cursor{Sort: o.Sort, Descending: o.Descending, Deep: o.Recursive, ID: e.ID}
	if number := sortKeys[o.Sort].number; number != nil {
		c.Number = number(e)
	}
	if o.Sort == SortName || !o.Recursive {
		c.Name = e.NameKey
	}
	return c
}

// keys returns the columns of the order and the tie-breaker, which match the indexes: the name within one
// folder, the id across folders.
func (o BrowseOptions) keys() []string {
	tie := entry.FieldID
	if !o.Recursive {
		tie = entry.FieldNameKey
	}
	if o.Sort == SortName && !o.Recursive {
		return []string{tie}
	}
	return []string{sortKeys[o.Sort].column, tie}
}

func (c cursor) values(keys []string) []any {
	values := make([]any, len(keys))
	for i, k := range keys {
		switch k {
		case entry.FieldNameKey:
			values[i] = c.Name
		case entry.FieldID:
			values[i] = c.ID
		default:
			values[i] = c.Number
		}
	}
	return values
}

// browse is a query for one page.
type browse struct {
	g     *Gallery
	o     BrowseOptions
	kind  int8
	where *search.Conditions
	from  *cursor    // nil: from the start
	album *ent.Album // an album with manually added files; nil: no such album
	rank  int32      // for an album in its own order: how many files precede those after the cursor
	rows  []*ent.Entry
	more  bool
}

// newBrowse validates the requested page. It also returns the maximum number of rows on the page.
func (g *Gallery) newBrowse(kind int8, o BrowseOptions) (b *browse, first int, err error) {
	if o.Sort == "" {
		o.Sort = SortName
	}
	first = defaultPage
	if o.First != nil {
		first = int(*o.First)
		if err := database.CheckPage(first); err != nil {
			return nil, 0, err
		}
	}
	if o.Skip < 0 {
		return nil, 0, fault.OnField(fault.Invalid, "skip", "skip is %d, expected 0 or more", o.Skip)
	}
	from, err := o.parseCursor()
	return &browse{g: g, o: o, kind: kind, from: from}, first, err
}

// browse returns a page of files or of folders.
func (g *Gallery) browse(ctx context.Context, kind int8, o BrowseOptions) (*browse, error) {
	b, first, err := g.newBrowse(kind, o)
	if err != nil {
		return nil, err
	}
	folder, where, err := g.index.conditions(ctx, kind, o)
	if err != nil {
		return nil, err
	}
	b.where = where
	if past, err := b.read(ctx, first); past || err != nil {
		return b, err
	}
	if kind != kindFile || o.Recursive {
		return b, nil
	}
	changed, err := g.index.verify(ctx, folder, b.rows)
	if database.IsMoving(err) {
		return b, nil // reads keep working during a database move, without an update of the index
	}
	if changed && err == nil {
		err = b.load(ctx, first)
	}
	return b, err
}

// read skips entries and loads the rows of the page. past reports that fewer entries follow than were to be
// skipped.
func (b *browse) read(ctx context.Context, first int) (past bool, err error) {
	if b.o.Skip > 0 && b.o.Sort != SortManual && !b.merges(int(b.o.Skip)+first+1) {
		if past, err := b.skip(ctx); past || err != nil {
			return past, err
		}
	}
	return false, b.load(ctx, first)
}

// load reads at most first rows of the page.
func (b *browse) load(ctx context.Context, first int) (err error) {
	skip := int(b.o.Skip)
	query := b.g.db.Entry.Query().Order(b.order().By)
	switch {
	case b.merges(skip + first + 1):
		query = query.Where(b.where.Merged(b.after(), b.order(), skip, first+1))
		b.rows, err = query.Select(listColumns...).All(ctx)
	case b.kind == kindFile && b.where.Partial() || b.album != nil: // ids first: an index has the columns of the order
		var ids []int
		if ids, err = query.Where(b.matches()).Offset(skip).Limit(first + 1).IDs(ctx); err != nil {
			return database.Translate(err)
		}
		b.rows, err = b.g.db.Entry.Query().Where(entry.IDIn(ids...)).Select(listColumns...).All(ctx)
		slices.SortFunc(b.rows, func(x, y *ent.Entry) int { return slices.Index(ids, x.ID) - slices.Index(ids, y.ID) })
	default:
		b.rows, err = query.Where(b.matches()).Offset(skip).Limit(first + 1).Select(listColumns...).All(ctx)
	}
	if b.more = len(b.rows) > first; b.more {
		b.rows = b.rows[:first]
	}
	return database.Translate(err)
}

// conditions returns the conditions for entries of a kind in a folder that match the filter and the search,
// and the row of the folder. The row is empty if the whole gallery is searched.
func (x *index) conditions(
	ctx context.Context,
	kind int8,
	o BrowseOptions,
) (folder *ent.Entry, c *search.Conditions, err error) {
	k, scope, err := x.openable(ctx, o.Folder)
	if err != nil {
		return nil, nil, fault.WithField(err, "folder")
	}
	return x.conditionsIn(ctx, scope, k, kind, o)
}

// conditionsIn is conditions for a folder that the caller may open.
func (x *index) conditionsIn(
	ctx context.Context, scope access.Scope, k storage.Key, kind int8, o BrowseOptions,
) (folder *ent.Entry, c *search.Conditions, err error) {
	folder = &ent.Entry{}
	if k != "" || !o.Recursive { // a search over everything does not need the root
		if folder, err = x.folder(ctx, k); err != nil {
			return nil, nil, fault.WithField(err, "folder")
		}
	}
	c = search.New(x.db, scope)
	if err := c.Folder(ctx, folder, o.Recursive); err != nil {
		return nil, nil, err
	}
	if err := c.Filter(ctx, o.Filter); err != nil {
		return nil, nil, err
	}
	return folder, c, c.Text(ctx, kind, o.Search)
}

// query selects the entries without order and page. Across folders, it leaves out hidden entries and the
// content of hidden folders. Within one folder, which may be hidden itself, Conditions.In only leaves out
// entries with hidden names.
func (b *browse) query() *ent.EntryQuery {
	return b.g.db.Entry.Query().Where(b.where.Of(b.kind, b.o.Recursive))
}

// matches selects the entries after the cursor.
func (b *browse) matches() predicate.Entry {
	return entry.And(b.where.Of(b.kind, b.o.Recursive), b.after())
}

// after selects what is after the cursor.
func (b *browse) after() predicate.Entry {
	if b.from == nil {
		return func(*entsql.Selector) {}
	}
	return b.beyond(*b.from, ">", "<")
}

// merges reports whether the files of several folders are merged up to a place.
func (b *browse) merges(place int) bool {
	return b.kind == kindFile && b.where.Merges(b.order(), place)
}

// fewSkipped is how many entries may be skipped without counting all matches first. For more, the total
// decides from which end the rows are read.
const fewSkipped = 500

// skip moves the cursor to the last skipped entry, so that nothing remains to be skipped. past reports that
// no entry follows.
func (b *browse) skip(ctx context.Context) (past bool, err error) {
	var all search.Total
	if b.from == nil && b.o.Skip > fewSkipped {
		if all, err = b.where.Total(ctx, b.kind, b.o.Recursive); err != nil {
			return false, err
		}
	}
	last, err := search.At(ctx, b.g.db, b.matches(), b.order(), int(b.o.Skip)-1, all)
	if last == nil || err != nil {
		return err == nil, err
	}
	b.from, b.o.Skip = b.o.position(last), 0
	return false, nil
}

func (b *browse) order() search.Order {
	return search.Order{Keys: b.o.keys(), Descending: b.o.Descending, Plain: b.where.Plain()}
}

// beyond selects the rows whose keys compare with the cursor by the operator of the sort direction.
func (b *browse) beyond(c cursor, ascending, descending string) func(*entsql.Selector) {
	keys := b.o.keys()
	values, operator := c.values(keys), ascending
	if b.o.Descending {
		operator = descending
	}
	return func(s *entsql.Selector) {
		s.Where(entsql.P(func(p *entsql.Builder) {
			p.WriteString("(")
			for i, k := range keys {
				if i > 0 {
					p.Comma()
				}
				p.Ident(search.Column(s, k))
			}
			p.WriteString(") " + operator + " (")
			p.Args(values...).WriteString(")")
		}))
	}
}

// verify compares the files of a page with local storage, because overwriting a file in place does not change
// the version of its folder. It updates the rows that differ, and reports whether there were any.
func (x *index) verify(ctx context.Context, folder *ent.Entry, rows []*ent.Entry) (changed bool, err error) {
	if _, ok := storage.WatchedAt(x.store, storage.Key(folder.Path)); !ok {
		return false, nil
	}
	var d difference
	before := x.changes.Load()
	for _, r := range rows {
		if storage.IsUnchanged(x.store, storage.Key(r.Path), r.Etag, r.Size) {
			continue
		}
		s, err := x.store.Stat(ctx, storage.Key(r.Path))
		switch {
		case isMissing(err):
			d.gone = append(d.gone, r)
		case err != nil:
			return false, err
		case !same(r, s):
			d.changed = append(d.changed, found{Stat: s})
		}
	}
	if d.changed, err = x.settle(ctx, storage.Key(folder.Path), d.changed, true); err != nil {
		return false, err
	}
	if d.empty() {
		return false, nil
	}
	err = x.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := x.lockFolders(ctx, tx.Client(), storage.Key(folder.Path)); err != nil {
			return err
		}
		_, err := x.apply(ctx, tx.Client(), folder.ID, d, before)
		return err
	})
	if err == nil {
		err = x.checkWritten(ctx, storage.Key(folder.Path), d, before)
	}
	return true, err
}
