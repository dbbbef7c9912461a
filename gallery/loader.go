package gallery

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
)

// loader loads a field for all entries of a response when the field is first requested for one of them.
type loader struct {
	g        *Gallery
	rows     []*ent.Entry
	parents  once[map[int]*Folder]
	branches once[[]int]
	exif     once[map[int]*ent.Entry]
}

// once caches the first value that load returned.
type once[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
}

func (o *once[T]) get(load func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.value, nil
	}
	v, err := load()
	if err == nil {
		o.value, o.done = v, true
	}
	return v, database.Translate(err)
}

// listColumns are the columns that every response loads. EXIF is left out, because it is large and rarely
// requested.
var listColumns = slices.DeleteFunc(
	slices.Clone(entry.Columns),
	func(c string) bool { return c == entry.FieldExif || c == entry.FieldWords },
)

func (p *loader) folders(ctx context.Context) (map[int]*Folder, error) {
	return p.parents.get(func() (map[int]*Folder, error) {
		var ids []int
		for _, r := range p.rows {
			if r.ParentID != 0 {
				ids = append(ids, r.ParentID)
			}
		}
		slices.Sort(ids)
		all, err := p.load(ctx, slices.Compact(ids), listColumns...)
		if err != nil {
			return nil, err
		}
		above, folders := &loader{g: p.g, rows: slices.Collect(maps.Values(all))}, map[int]*Folder{}
		for id, r := range all {
			folders[id] = &Folder{row: r, loader: above}
		}
		return folders, nil
	})
}

// exifs returns the rows with only their EXIF column.
func (p *loader) exifs(ctx context.Context) (map[int]*ent.Entry, error) {
	return p.exif.get(
		func() (map[int]*ent.Entry, error) { return p.load(ctx, p.ids(), entry.FieldID, entry.FieldExif) },
	)
}

// withFolders returns the ids of those folders of the page that contain visible folders, in no particular
// order.
func (p *loader) withFolders(ctx context.Context) (ids []int, err error) {
	err = p.g.db.Entry.Query().Where(entry.ParentIDIn(p.ids()...), entry.Kind(kindFolder), entry.Hidden(false)).
		GroupBy(entry.FieldParentID).Scan(ctx, &ids)
	return ids, err
}

func (p *loader) ids() []int {
	ids := make([]int, len(p.rows))
	for i, r := range p.rows {
		ids[i] = r.ID
	}
	return ids
}

// load returns these columns of rows by id.
func (p *loader) load(ctx context.Context, ids []int, columns ...string) (map[int]*ent.Entry, error) {
	rows, err := p.g.db.Entry.Query().Where(entry.IDIn(ids...)).Select(columns...).All(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[int]*ent.Entry, len(rows))
	for _, r := range rows {
		all[r.ID] = r
	}
	return all, nil
}
