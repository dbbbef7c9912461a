package database

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/fault"
)

// MaxPage is the maximum number of items on a page.
const MaxPage = 100

// Page is a page of a list.
type Page[T any] struct {
	Items         []T
	Cursors       []string // of the items; a list that is read after a cursor continues after its item
	Before, After bool     // whether there are items before and after the page
	// Count returns the total number of items on all pages. It is nil for lists that are never counted.
	Count func(context.Context) (int, error)
}

// CheckPage returns fault.Invalid unless first, the page size, is 1 to MaxPage.
func CheckPage(first int) error {
	if first < 1 || first > MaxPage {
		return fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to %d", first, MaxPage)
	}
	return nil
}

// FirstOf returns the page with the first items of a list. The query must read one more item, which shows
// whether another page follows.
func FirstOf[T any](list []T, cursor func(T) string, first int) *Page[T] {
	p := &Page[T]{Items: list[:min(first, len(list))], After: len(list) > first}
	for _, item := range p.Items {
		p.Cursors = append(p.Cursors, cursor(item))
	}
	return p
}

// PageOf returns the page of an in-memory list that starts with the item at start.
func PageOf[T any](list []T, cursor func(T) string, start, first int) *Page[T] {
	p := FirstOf(list[start:], cursor, first)
	p.Before, p.Count = start > 0, func(context.Context) (int, error) { return len(list), nil }
	return p
}

// WithItems returns a page with other items in the place of those of p, one for each. It leaves out nil.
func WithItems[T any, U comparable](p *Page[T], items []U) *Page[U] {
	var none U
	page := &Page[U]{Items: []U{}, Before: p.Before, After: p.After, Count: p.Count}
	for i, item := range items {
		if item != none {
			page.Items, page.Cursors = append(page.Items, item), append(page.Cursors, p.Cursors[i])
		}
	}
	return page
}

// Cursor returns the cursor of an item: the values by which the list is sorted.
func Cursor(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		return "" // numbers, texts, ids and times can be encoded
	}
	return string(text)
}

// ParseCursor stores the values of a cursor in the variables that values point to. It returns fault.Invalid
// for a text that is not a cursor with such values.
func ParseCursor(cursor string, values ...any) error {
	n := len(values)
	err := json.Unmarshal([]byte(cursor), &values)
	valid := err == nil && len(values) == n
	for _, v := range values {
		switch v := v.(type) {
		case *string:
			valid = valid && !strings.ContainsRune(*v, 0) // PostgreSQL has no text with a NUL
		case nil:
			valid = false
		}
	}
	if !valid {
		return fault.OnField(
			fault.Invalid, "after", "the cursor is not valid, expected pageInfo.endCursor of the previous page",
		)
	}
	return nil
}

// Order is the order of a list of rows by columns, all in the same direction. No two rows have the same values.
type Order[T any] struct {
	Columns    []string
	Descending bool
	Values     func(*T) []any // pointers to the values of the columns in a row
}

// rows is a query of ent.
type rows[Q any, P, O ~func(*sql.Selector), T any] interface {
	Clone() Q
	Where(...P) Q
	Order(...O) Q
	Limit(int) Q
	All(context.Context) ([]*T, error)
	Exist(context.Context) (bool, error)
	Count(context.Context) (int, error)
}

// ReadPage reads the page of 1 to MaxPage rows of a query that follows a cursor of the same order. Without a
// cursor, the page is the first one. The row of the cursor may have been deleted. ReadPage returns fault.Invalid
// for a page size out of range, and for a text that is not a cursor.
func ReadPage[Q rows[Q, P, O, T], P, O ~func(*sql.Selector), T any](
	ctx context.Context, query Q, o Order[T], first int, after string,
) (*Page[*T], error) {
	if err := CheckPage(first); err != nil {
		return nil, err
	}
	rest, before := query.Clone(), false
	if after != "" {
		last := o.Values(new(T))
		if err := ParseCursor(after, last...); err != nil {
			return nil, err
		}
		follows, precedes := ">", "<="
		if o.Descending {
			follows, precedes = "<", ">="
		}
		var err error
		if before, err = query.Clone().Where(o.compare(precedes, last)).Exist(ctx); err != nil {
			return nil, Translate(err)
		}
		rest.Where(o.compare(follows, last))
	}
	list, err := rest.Order(o.by).Limit(first + 1).All(ctx)
	if err != nil {
		return nil, Translate(err)
	}
	p := FirstOf(list, func(row *T) string { return Cursor(o.Values(row)...) }, first)
	p.Before = before
	p.Count = func(ctx context.Context) (int, error) {
		n, err := query.Clone().Count(ctx)
		return n, Translate(err)
	}
	return p, nil
}

// by sorts a query.
func (o Order[T]) by(s *sql.Selector) {
	for _, column := range o.Columns {
		if o.Descending {
			s.OrderBy(sql.Desc(s.C(column)))
		} else {
			s.OrderBy(sql.Asc(s.C(column)))
		}
	}
}

// compare selects the rows whose columns, compared one after the other, are on one side of the values.
func (o Order[T]) compare(operator string, values []any) func(*sql.Selector) {
	return func(s *sql.Selector) {
		s.Where(sql.P(func(b *sql.Builder) {
			b.Wrap(func(b *sql.Builder) { b.IdentComma(s.Columns(o.Columns...)...) })
			b.WriteString(" " + operator + " ")
			b.Wrap(func(b *sql.Builder) {
				for i, v := range values {
					if i > 0 {
						b.Comma()
					}
					b.Arg(reflect.ValueOf(v).Elem().Interface())
				}
			})
		}))
	}
}
