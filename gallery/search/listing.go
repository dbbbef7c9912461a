package search

import (
	"context"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// SortBy is the sort key of a listing.
type SortBy string

// The sort keys; the empty one is ByName. Folders come before files.
const (
	ByName     SortBy = "NAME"
	BySize     SortBy = "SIZE"
	ByModified SortBy = "MODIFIED_TIME"
)

// ListOptions selects entries of a folder. Offset and Limit count after filtering; a Limit of 0 is no limit.
type ListOptions struct {
	Offset, Limit          int
	OnlyFiles, OnlyFolders bool
	Extensions             []string // lower case, with or without the dot; empty is all
	ShowHidden             bool
	SortBy                 SortBy
	Descending             bool
}

// List returns the rows of a listing and how many there are in all. Folders and files are separate queries, so that each uses one index in
// every order.
func List(ctx context.Context, db *database.DB, folder int, o ListOptions) (rows []*ent.Entry, total int, err error) {
	skip, left := o.Offset, o.Limit
	for _, kind := range []int8{KindFolder, KindFile} {
		if kind == KindFolder && o.OnlyFiles || kind == KindFile && o.OnlyFolders {
			continue
		}
		q := listing{db, entry.And(entry.ParentID(folder), entry.Kind(kind), o.passes(kind)), Total{}, o}
		if len(o.Extensions) > 0 && kind == KindFile {
			q.total.N, err = db.Entry.Query().Where(q.where).Count(ctx)
		} else {
			q.total, err = CountFolder(ctx, db, folder, kind, o.ShowHidden)
		}
		if err != nil {
			return nil, 0, err
		}
		n := q.total.N
		total += n
		if (o.Limit == 0 || left > 0) && skip < n {
			page, err := q.page(ctx, skip, left)
			if err != nil {
				return nil, 0, err
			}
			rows, left = append(rows, page...), left-len(page)
		}
		skip = max(0, skip-n)
	}
	return rows, total, nil
}

// listing selects the entries of a kind in a folder.
type listing struct {
	db    *database.DB
	where predicate.Entry
	total Total
	o     ListOptions
}

// page returns rows after some. Where it begins is found in the index of the order alone: the rows before it are not read.
func (q listing) page(ctx context.Context, skip, limit int) ([]*ent.Entry, error) {
	page := q.db.Entry.Query().Where(q.where)
	if skip > 0 {
		first, err := At(ctx, q.db, q.where, q.o.order(), skip, q.total)
		if first == nil || err != nil {
			return nil, err
		}
		page.Where(q.from(first))
	}
	if limit > 0 {
		page.Limit(limit)
	}
	return page.Order(q.o.order().By).Select(entry.FieldID, entry.FieldPath, entry.FieldKind, entry.FieldSize, entry.FieldModified, entry.FieldEtag, entry.FieldFocalX, entry.FieldFocalY).All(ctx)
}

// passes is the condition of the options for entries of a kind.
func (o ListOptions) passes(kind int8) predicate.Entry {
	return func(s *entsql.Selector) {
		if !o.ShowHidden {
			WithoutDot(s)
		}
		if kind != KindFolder && !o.ShowHidden {
			WithoutPreviews(s)
		}
		if kind == KindFolder || len(o.Extensions) == 0 {
			return
		}
		var any []*entsql.Predicate
		for _, e := range o.Extensions {
			if e = strings.TrimPrefix(e, "."); e == "" {
				any = append(any, entsql.Not(entsql.Contains(s.C(entry.FieldName), ".")), entsql.HasSuffix(s.C(entry.FieldName), "."))
			} else {
				any = append(any, endsWith(s, "."+e))
			}
		}
		s.Where(entsql.Or(any...))
	}
}

// endsWith selects entries by the end of the name in any case. SQLite's lower() knows only ASCII, but the column that sorts names has them in
// lower case.
func endsWith(s *entsql.Selector, extension string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		if s.Dialect() == dialect.Postgres {
			b.WriteString("position(").Arg(ExtensionKey(extension)).WriteString(" in ").Ident(s.C(entry.FieldNameKey)).WriteString(") > 0")
		} else {
			b.WriteString("instr(").Ident(s.C(entry.FieldNameKey)).WriteString(", ").Arg(ExtensionKey(extension)).WriteString(") > 0")
		}
	})
}

// keys are the columns of the order: the key, then the name, so that pages never overlap.
func (o ListOptions) keys() []string {
	switch o.SortBy {
	case BySize:
		return []string{entry.FieldSize, entry.FieldNameKey}
	case ByModified:
		return []string{entry.FieldModified, entry.FieldNameKey}
	}
	return []string{entry.FieldNameKey}
}

func (o ListOptions) order() Order {
	return Order{Keys: o.keys(), Descending: o.Descending}
}

// from selects a row and what follows it in the order.
func (q listing) from(row *ent.Entry) predicate.Entry {
	operator := " >= "
	if q.o.Descending {
		operator = " <= "
	}
	values := map[string]any{entry.FieldSize: row.Size, entry.FieldModified: row.Modified, entry.FieldNameKey: row.NameKey}
	return func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("(")
			for i, k := range q.o.keys() {
				if i > 0 {
					b.Comma()
				}
				b.Ident(s.C(k))
			}
			b.WriteString(")" + operator + "(")
			for i, k := range q.o.keys() {
				if i > 0 {
					b.Comma()
				}
				b.Arg(values[k])
			}
			b.WriteString(")")
		}))
	}
}
