package search

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// This file reads a page of the files in many folders, each of which has an index of the order, without reading all
// files of these folders and without reading files of others.

// Merges reports whether First and FileAt find a page that ends at a place, counted from 1, sooner than the other ways:
// if they look up much fewer entries than the order over the whole gallery has up to there. They would test all files,
// and twice, if few may meet the conditions, and read all that have the same value, which many may: a rating,
// dimensions.
func (c *Conditions) Merges(o Order, place int) bool {
	if !c.Partial() || len(c.parents) == 0 || c.Candidates != nil || c.album ||
		c.byFolder && c.frequent < len(c.Predicates) ||
		o.Keys[0] == entry.FieldRating || o.Keys[0] == entry.FieldPixels {
		return false
	}
	const lookup = 4 // takes as long as reading so many entries in order
	return lookup*(2*len(c.parents)+3*place)*c.files <= place*c.last
}

// First returns the ids of the first files in an order across folders that meet the conditions and one more.
func (c *Conditions) First(ctx context.Context, after predicate.Entry, o Order, limit int) ([]int, error) {
	query, args := c.merged(after, o, []string{entry.FieldID}, 0, limit)
	rows, err := c.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var ids []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, database.Translate(err)
		}
		ids = append(ids, id)
	}
	return ids, database.Translate(rows.Err())
}

// FileAt is At for First.
func (c *Conditions) FileAt(ctx context.Context, after predicate.Entry, o Order, place int) (*ent.Entry, error) {
	query, args := c.merged(after, o, o.Keys, place, 1)
	return row(ctx, c.db, query, args)
}

// merged is the statement of First. If a page of 100 comes from 200 folders, no file of it is behind the hundredth of
// the first files of the folders, in their order. Only few files are before that one, and each folder is read up to it.
// From 10 folders, it is the tenth of their tenth files.
func (c *Conditions) merged(
	after predicate.Entry, o Order, columns []string, place, limit int,
) (query string, args []any) {
	one := *c
	one.oneFolder, one.byFolder = true, true
	s := entsql.Dialect(c.db.Dialect()).Select().AppendSelectExpr(entsql.Raw("1")).From(entsql.Table(entry.Table))
	one.Of(KindFile, true)(s)
	after(s)
	query, args = s.Query()
	_, where, _ := strings.Cut(query, " WHERE ")
	folders := "SELECT value FROM json_each('[%s]')"
	if c.db.IsPostgres() {
		folders = "SELECT unnest('{%s}'::bigint[])"
	} else {
		args = append(args, args...) // where stands in the statement twice, and numbers nothing
	}
	key, compare, direction, end := "entries."+o.Keys[0], "<=", "", "9223372036854775807"
	if o.Descending {
		compare, direction, end = ">=", " DESC", "-9223372036854775807"
	}
	if o.Keys[0] == entry.FieldNameKey {
		end = c.lastName(o.Descending)
	}
	count := place + limit
	each := (count + len(c.parents) - 1) / len(c.parents)
	return fmt.Sprintf(
		`WITH folder(id) AS (%[1]s), ends(k) AS MATERIALIZED (
			SELECT (SELECT %[2]s FROM entries WHERE (%[3]s) ORDER BY %[2]s%[4]s LIMIT 1 OFFSET %[5]d) FROM folder
		) SELECT entries.%[6]s FROM folder CROSS JOIN entries WHERE (%[3]s) AND %[2]s %[7]s (
			SELECT coalesce((SELECT k FROM ends WHERE k IS NOT NULL ORDER BY k%[4]s LIMIT 1 OFFSET %[8]d), %[9]s)
		) ORDER BY %[2]s%[4]s, entries.id%[4]s LIMIT %[10]d OFFSET %[11]d`,
		fmt.Sprintf(folders, numbers(c.parents)), key, where, direction, each-1,
		strings.Join(columns, ", entries."), compare, (count+each-1)/each-1, end, limit, place,
	), args
}

// lastName returns a name key behind all others, in SQL.
func (c *Conditions) lastName(descending bool) string {
	hex := "ff"
	if descending {
		hex = ""
	}
	if c.db.IsPostgres() {
		return `'\x` + hex + `'::bytea`
	}
	return "x'" + hex + "'"
}
