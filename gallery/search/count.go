package search

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
)

// The classes of names in the table entry_counts, which triggers maintain (ent/migrations).
const (
	classTemplate = 1
	classPreview  = 2 // 3: other names that start with a dot
)

// CountLimit is the maximum number of matches of a search or a filter that are counted, unless the exact
// number is requested.
const CountLimit = 1000

// Count counts the entries that Of selects. If triggers maintain the number, it is exact and takes the same
// time for a million files: everything or a folder, with all or some formats, with or without templates.
// Matches of a search or another filter are counted row by row, up to CountLimit. known is false if there are
// more. exact counts all of them.
func (c *Conditions) Count(ctx context.Context, kind int8, visible, exact bool) (n int, known bool, err error) {
	if err := c.readFolders(ctx); err != nil {
		return 0, false, err
	}
	if !c.narrowed {
		switch {
		case !c.Partial():
			t, err := total(ctx, c.db, c.ofFolders(kind, visible))
			return t.N, true, err
		case kind == KindFolder && c.isFlat():
			return len(c.children), true, nil
		case kind == KindFile && c.types == nil:
			if n = c.files; c.noTemplates {
				n -= c.templates
			}
			return n, true, nil
		case kind == KindFile:
			query, args := c.viewableCount("sum(n)")
			n, err = number(ctx, c.db, query, args...)
			return n, true, err
		}
		exact = true // there are few folders, compared with files
	}
	if c.Candidates == nil && c.someMatches != nil && !exact && !c.Partial() { // the caller may view only few of them
		part := *c
		part.Candidates, part.someMatches = c.someMatches, nil
		if n, known, err = part.Count(ctx, kind, visible, false); err != nil || !known {
			return n, known, err
		}
	}
	s := entsql.Dialect(c.db.Dialect()).Select().AppendSelectExpr(entsql.Raw("1")).From(entsql.Table(entry.Table))
	c.unordered().Of(kind, visible)(s)
	if !exact {
		s.Limit(CountLimit + 1)
	}
	matches, args := s.Query()
	n, err = number(ctx, c.db, "SELECT count(*) FROM ("+matches+") AS matches", args...)
	return n, exact || n <= CountLimit, err
}

// viewableCount returns a statement with sums over the counts of the files that the caller may view. It
// supports only conditions on formats and templates.
func (c *Conditions) viewableCount(sums ...string) (query string, args []any) {
	for i, sum := range sums {
		sums[i] = "CAST(coalesce(" + sum + ", 0) AS BIGINT)"
	}
	query = "SELECT " + strings.Join(sums, ", ") + " FROM entry_counts WHERE " + c.kinds(KindFile, true) +
		" AND parent_id"
	switch {
	case c.isFlat():
		return "SELECT 0", nil
	case c.parents != nil:
		if c.db.IsPostgres() && len(c.parents) > 0 {
			// With a list, PostgreSQL would base its estimate on the number of items and read the whole
			// table.
			return query + " = ANY ((SELECT '{" + numbers(c.parents) + "}'::bigint[])::bigint[])", nil
		}
		return query + isOneOf(c.db.IsPostgres(), c.parents), nil
	}
	in, arg := inViewable(c.db.Dialect(), c.scope.Below(c.path()))
	return c.db.Numbered(query + in), []any{arg}
}

// Size returns the total size in bytes of the non-hidden files that Of selects.
func (c *Conditions) Size(ctx context.Context) (int64, error) {
	if err := c.readFolders(ctx); err != nil {
		return 0, err
	}
	s := entsql.Dialect(c.db.Dialect()).
		Select().
		AppendSelectExpr(entsql.Raw("CAST(coalesce(sum(size), 0) AS BIGINT)")).
		From(entsql.Table(entry.Table))
	c.unordered().Of(KindFile, true)(s)
	query, args := s.Query()
	n, err := number(ctx, c.db, query, args...)
	return int64(n), err
}

// kinds returns the condition on the counts of these entries in all folders.
func (c *Conditions) kinds(kind int8, visible bool) string {
	where := fmt.Sprintf("kind = %d AND parent_id <> 0", kind) // the root is not in a folder
	if len(c.types) > 0 {                                      // names of formats consist of letters and digits
		where += " AND type IN ('" + strings.Join(c.types, "', '") + "')"
	}
	if c.noTemplates {
		where += fmt.Sprintf(" AND class <> %d", classTemplate)
	}
	if visible {
		where += " AND NOT hidden"
	}
	return where
}

// ofFolders returns the condition on the counts of the folders that contain the entries that Of selects.
func (c *Conditions) ofFolders(kind int8, visible bool) string {
	where := c.kinds(kind, visible)
	switch {
	case c.folder == nil || c.deep && c.folder.Path == "":
	case c.deep:
		where += fmt.Sprintf(
			" AND parent_id IN (WITH RECURSIVE below(id) AS (SELECT CAST(%d AS BIGINT) UNION ALL %s) SELECT id FROM "+
				"below)",
			c.folder.ID, foldersIn("below", "e.id"),
		)
	default:
		where += fmt.Sprintf(" AND parent_id = %d AND class < %d", c.folder.ID, classPreview)
	}
	return where
}

// number returns the result of a query for a single number.
func number(ctx context.Context, db *database.DB, query string, args ...any) (n int, err error) {
	err = database.Row(ctx, db, query, args, &n)
	return n, err
}
