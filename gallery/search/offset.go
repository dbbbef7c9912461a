package search

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
)

// Total is a number of entries from entry_counts, with the condition that selects its rows. The zero value
// means that the number is unknown.
type Total struct {
	N      int
	where  string
	folder int // the folder that contains these entries; 0: several folders
	kind   int8
}

func (t Total) known() bool { return t.where != "" }

// total adds up the counts of folders that meet a condition.
func total(ctx context.Context, db *database.DB, where string) (Total, error) {
	n, err := number(ctx, db, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM entry_counts WHERE "+where)
	if err != nil {
		return Total{}, err
	}
	return Total{N: n, where: where}, nil
}

// Total returns the number of entries that Of selects if triggers maintain it. Otherwise it returns the zero
// value.
func (c *Conditions) Total(ctx context.Context, kind int8, visible bool) (Total, error) {
	if c.narrowed || c.Candidates != nil || c.Partial() {
		return Total{}, nil
	}
	t, err := total(ctx, c.db, c.ofFolders(kind, visible))
	if c.folder != nil && !c.deep {
		t.folder, t.kind = c.folder.ID, kind
	}
	return t, err
}

// Order is an order of entries by columns, all in the same direction. No two entries have the same keys.
type Order struct {
	Keys       []string
	Descending bool
	Plain      bool // see Conditions.Plain
}

// By adds the order to a query.
func (o Order) By(s *entsql.Selector) {
	for _, k := range o.Keys {
		s.OrderExprFunc(func(b *entsql.Builder) {
			if o.Plain {
				b.WriteString("+")
			}
			b.Ident(Column(s, k))
			if o.Descending {
				b.WriteString(" DESC")
			}
		})
	}
}

// At returns the columns of the order for the entry at an offset, from 0, or nil if there are fewer entries.
// It scans an index up to the offset, from the nearer end if t is known. If t counts all entries of a folder,
// which is the usual case, it does not evaluate conditions on names.
func At(
	ctx context.Context,
	db *database.DB,
	where func(*entsql.Selector),
	o Order,
	place int,
	t Total,
) (*ent.Entry, error) {
	if t.known() && place >= t.N {
		return nil, nil
	}
	if t.folder != 0 {
		if e, err := at(ctx, db, t.unlessSomeFail, o, place, t); e != nil || err != nil {
			return e, err
		}
	}
	return at(ctx, db, where, o, place, t)
}

// unlessSomeFail selects all entries of the folder, or none if t does not count all of them.
func (t Total) unlessSomeFail(s *entsql.Selector) {
	s.Where(
		entsql.And(
			entsql.EQ(s.C(entry.FieldParentID), t.folder),
			entsql.EQ(s.C(entry.FieldKind), t.kind),
			entsql.P(func(b *entsql.Builder) {
				b.WriteString(fmt.Sprintf(
					"NOT EXISTS (SELECT 1 FROM entry_counts WHERE parent_id = %d AND kind = %d AND n <> 0 AND NOT (%s))",
					t.folder, t.kind, t.where,
				))
			}),
		),
	)
}

// at is At from the nearer end. The statement computes t again, so that the number and the entries are
// consistent.
func at(
	ctx context.Context,
	db *database.DB,
	where func(*entsql.Selector),
	o Order,
	place int,
	t Total,
) (*ent.Entry, error) {
	offset := fmt.Sprint(place)
	if t.known() && place > t.N/2 {
		o.Descending = !o.Descending
		offset = fmt.Sprintf(
			"(SELECT CAST(CASE WHEN sum(n) > %[1]d THEN sum(n) - 1 - %[1]d ELSE %[2]d END AS BIGINT) "+
				"FROM entry_counts WHERE %[3]s)",
			place, noRow, t.where,
		)
	}
	s := entsql.Dialect(db.Dialect()).Select().From(entsql.Table(entry.Table))
	s.Select(s.Columns(o.Keys...)...)
	where(s)
	o.By(s)
	query, args := s.Query()
	return row(ctx, db, query+" LIMIT 1 OFFSET "+offset, args)
}

// noRow is an offset that is larger than any table.
const noRow = 1 << 40

// row returns the row of a query, or nil if there is none.
func row(ctx context.Context, db *database.DB, query string, args []any) (*ent.Entry, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var found []*ent.Entry
	if err := entsql.ScanSlice(rows, &found); err != nil || len(found) == 0 {
		return nil, database.Translate(err)
	}
	return found[0], nil
}
