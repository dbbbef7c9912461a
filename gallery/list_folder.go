package gallery

import (
	"context"
	"errors"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// SortBy is the sort key of a listing.
type SortBy string

// The sort keys; the empty one is SortByName. Folders come before files.
const (
	SortByName     SortBy = "NAME"
	SortBySize     SortBy = "SIZE"
	SortByModified SortBy = "MODIFIED_TIME"
)

// ListFilesOptions selects entries of a folder. Offset and Limit count after filtering; a Limit of 0 is no limit.
type ListFilesOptions struct {
	Offset, Limit          int
	OnlyFiles, OnlyFolders bool
	Extensions             []string // lower case, with or without the dot; empty is all
	ShowHidden             bool
	SortBy                 SortBy
	Descending             bool
}

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
	rows, total, err := g.index.listRows(ctx, folder.ID, o)
	if err != nil {
		return nil, database.Translate(err)
	}
	changed, err := g.index.verify(ctx, folder, rows)
	if err != nil {
		return nil, err
	}
	if changed {
		if rows, total, err = g.index.listRows(ctx, folder.ID, o); err != nil {
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

// listRows returns the rows of a listing and how many there are in all. Folders and files are separate queries, so that each
// uses one index in every order.
func (x *index) listRows(ctx context.Context, folder int, o ListFilesOptions) (rows []*ent.Entry, total int, err error) {
	skip, left := o.Offset, o.Limit
	for _, kind := range []int8{kindFolder, kindFile} {
		if kind == kindFolder && o.OnlyFiles || kind == kindFile && o.OnlyFolders {
			continue
		}
		query := x.db.Entry.Query().Where(entry.ParentID(folder), entry.Kind(kind), entry.PathNEQ(""), o.passes(kind))
		n, err := x.countRows(ctx, folder, kind, o, query)
		if err != nil {
			return nil, 0, err
		}
		total += n
		if o.Limit == 0 || left > 0 {
			if skip < n {
				query = query.Order(o.order).Offset(skip)
				if o.Limit > 0 {
					query = query.Limit(left)
				}
				page, err := query.Select(entry.FieldID, entry.FieldPath, entry.FieldKind, entry.FieldSize, entry.FieldModified, entry.FieldEtag, entry.FieldFocalX, entry.FieldFocalY).All(ctx)
				if err != nil {
					return nil, 0, err
				}
				rows, left = append(rows, page...), left-len(page)
			}
			skip = max(0, skip-n)
		}
	}
	return rows, total, nil
}

// countRows counts the rows of a kind in a listing.
func (x *index) countRows(ctx context.Context, folder int, kind int8, o ListFilesOptions, query *ent.EntryQuery) (int, error) {
	if len(o.Extensions) > 0 && kind == kindFile {
		return query.Clone().Count(ctx)
	}
	return search.CountFolder(ctx, x.db, folder, kind, o.ShowHidden)
}

// passes is the condition of the options for entries of a kind.
func (o ListFilesOptions) passes(kind int8) predicate.Entry {
	return func(s *entsql.Selector) {
		if !o.ShowHidden {
			search.WithoutDot(s)
		}
		if kind != kindFolder && !o.ShowHidden {
			search.WithoutEnd(s, PreviewSuffix)
		}
		if kind == kindFolder || len(o.Extensions) == 0 {
			return
		}
		var any []*entsql.Predicate
		for _, e := range o.Extensions {
			if e = strings.TrimPrefix(e, "."); e == "" {
				any = append(any, entsql.Not(entsql.Contains(s.C(entry.FieldName), ".")), entsql.HasSuffix(s.C(entry.FieldName), "."))
			} else {
				any = append(any, entsql.HasSuffix(entsql.Lower(s.C(entry.FieldName)), "."+strings.ToLower(e)))
			}
		}
		s.Where(entsql.Or(any...))
	}
}

// order sorts by the key, then by name, so that pages never overlap.
func (o ListFilesOptions) order(s *entsql.Selector) {
	columns := []string{entry.FieldNameKey}
	switch o.SortBy {
	case SortBySize:
		columns = []string{entry.FieldSize, entry.FieldNameKey}
	case SortByModified:
		columns = []string{entry.FieldModified, entry.FieldNameKey}
	}
	for _, c := range columns {
		if o.Descending {
			s.OrderBy(entsql.Desc(s.C(c)))
		} else {
			s.OrderBy(entsql.Asc(s.C(c)))
		}
	}
}

// verify compares rows with a watched storage, because overwriting a file in place does not change its folder. It updates
// rows that differ and reports whether there were any.
func (x *index) verify(ctx context.Context, folder *ent.Entry, rows []*ent.Entry) (changed bool, err error) {
	if _, ok := storage.WatchedAt(x.store, storage.Key(folder.Path)); !ok {
		return false, nil
	}
	var d difference
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
	if d.empty() {
		return false, nil
	}
	return true, x.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := x.lockFolders(ctx, tx.Client(), storage.Key(folder.Path)); err != nil {
			return err
		}
		return x.apply(ctx, tx.Client(), folder.ID, d)
	})
}
