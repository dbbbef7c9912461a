package search

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
)

// Total is a number of entries from entry_counts, with the condition that selects its rows. The zero value is an
// unknown number.
type Total struct {
	N      int
	where  string
	folder int // whose entries of a kind these are, or some of them; 0: of several folders
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

// Total returns the number of entries that Of selects if triggers keep it, else the zero value.
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

// Order is the order of entries by these columns, all in one direction. They leave no two entries equal.
type Order struct {
	Keys       []string
	Descending bool
	Plain      bool // of Conditions
}

// By orders a query.
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

// At returns the columns of the order for the entry at an offset, from 0; nil if there are fewer entries. It reads an
// index entry by entry up to there: from the nearer end if t is known, and without evaluating conditions on names if t
// counts all entries of a folder, as it usually does.
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

// unlessSomeFail selects all entries of the folder, and none if t does not count some of them.
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

// at is At from the nearer end. The statement adds up t once more, so that the number and the entries are of one
// moment.
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

// noRow is a place that no table reaches.
const noRow = 1 << 40

// row returns the row that a query has; nil if it has none.
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
