package gallery

import (
	"context"
	"errors"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// SortBy is the sort key of a listing, ListFilesOptions selects entries of a folder.
type (
	SortBy           = search.SortBy
	ListFilesOptions = search.ListOptions
)

// The sort keys; the empty one is SortByName. Folders come before files.
const (
	SortByName     = search.ByName
	SortBySize     = search.BySize
	SortByModified = search.ByModified
)

// ListFiles returns a page of a folder from the index, which is synced first if the folder has changed. In a watched
// storage the returned entries are checked one by one.
func (g *Gallery) ListFiles(ctx context.Context, p string, o ListFilesOptions) (*FileList, error) {
	k, err := readableKey(p)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(database.CheckNotNegative("offset", o.Offset), database.CheckNotNegative("limit", o.Limit)); err != nil {
		return nil, err
	}
	if o.OnlyFiles && o.OnlyFolders {
		return nil, fault.OnField(fault.Invalid, "onlyFolders", "onlyFiles and onlyFolders exclude each other, expected one of them")
	}
	folder, err := g.index.folder(ctx, k)
	if err != nil {
		return nil, err
	}
	rows, total, err := search.List(ctx, g.db, folder.ID, o)
	if err != nil {
		return nil, database.Translate(err)
	}
	changed, err := g.index.verify(ctx, folder, rows)
	if err != nil {
		return nil, err
	}
	if changed {
		if rows, total, err = search.List(ctx, g.db, folder.ID, o); err != nil {
			return nil, database.Translate(err)
		}
	}
	list := &FileList{TotalCount: total, Items: make([]*FileItem, len(rows))}
	shared := &page{g: g, rows: rows}
	for i, r := range rows {
		list.Items[i] = itemOf(g, statOf(r), notes.FocalPointOf(r))
		list.Items[i].row, list.Items[i].page = r, shared
	}
	return list, nil
}

// statOf returns a row in the form of the storage.
func statOf(r *ent.Entry) storage.Stat {
	return storage.Stat{Key: storage.Key(r.Path), Size: r.Size, Modified: timeOf(r.Modified), ETag: r.Etag, IsFolder: r.Kind == kindFolder}
}

// verify compares rows with a watched storage, because overwriting a file in place does not change its folder. It updates
// rows that differ and reports whether there were any.
func (x *index) verify(ctx context.Context, folder *ent.Entry, rows []*ent.Entry) (changed bool, err error) {
	if _, ok := storage.WatchedAt(x.store, storage.Key(folder.Path)); !ok {
		return false, nil
	}
	var d difference
	before := x.changes.Load()
	for _, r := range rows {
		s, err := x.store.Stat(ctx, storage.Key(r.Path))
		switch {
		case isMissing(err):
			d.gone = append(d.gone, r)
		case err != nil:
			return false, err
		case same(r, s):
		case s.IsFolder && r.Kind == kindFolder:
			r.Modified = s.Modified.UnixNano()
			d.touched = append(d.touched, r)
		default:
			d.changed = append(d.changed, found{Stat: s})
		}
	}
	if d.changed, err = x.settle(ctx, storage.Key(folder.Path), d.changed, true); err != nil {
		return false, err
	}
	if d.empty() {
		return false, nil
	}
	return true, x.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := x.lockFolders(ctx, tx.Client(), storage.Key(folder.Path)); err != nil {
			return err
		}
		_, err := x.apply(ctx, tx.Client(), folder.ID, d, before)
		return err
	})
}
