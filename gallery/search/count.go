package search

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/safelight/safelight/database"
)

// The classes of names in the table entry_counts, which triggers keep (ent/migrations).
const (
	classTemplate = 1
	classPreview  = 2
	classDot      = 3
)

// querier is a client, or one of a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Count counts the entries that Of selects. What triggers count takes the same time for a million files: everything or a folder, of all or some
// types; words that were counted before, of all or some types. So does a tag, nearly. Other conditions are counted by bitmaps if there are some, or
// row by row: so are those that a list of candidates meets, and small folders.
func (c *Conditions) Count(ctx context.Context, kind int8, visible bool) (int, error) {
	everything := (c.folder == nil || c.deep && c.folder.Path == "") && kind == KindFile && visible
	switch {
	case c.narrowed:
	case len(c.words) == 0 && len(c.tags) == 0:
		t, err := total(ctx, c.db, c.ofFolders(kind, visible))
		return t.N, err
	case everything:
		return c.countSearch(ctx)
	}
	large, err := c.large(ctx, kind, visible)
	if err != nil {
		return 0, err
	}
	if large {
		if n, known, err := c.countByBitmaps(ctx, visible); err != nil || known {
			return n, err
		}
	}
	return c.countByRows(ctx, kind, visible)
}

// large reports whether the entries are visible files among very many.
func (c *Conditions) large(ctx context.Context, kind int8, visible bool) (bool, error) {
	if kind != KindFile || c.Candidates != nil || c.onlyTemplates {
		return false, nil
	}
	if visible {
		return true, nil
	}
	if c.folder == nil || c.deep || c.folder.Hidden { // bitmaps have visible files only, which are all in a folder that is
		return false, nil
	}
	t, err := CountFolder(ctx, c.db, c.folder.ID, KindFile, true)
	return t.N > MaxCandidates, err
}

// countSearch counts the visible files with words or tags that very many have.
func (c *Conditions) countSearch(ctx context.Context) (int, error) {
	learns := len(c.tags) == 0 && len(c.counted()) <= maxCounted
	if learns {
		if n, known, err := c.known(ctx, c.db); err != nil || known {
			return n, database.Translate(err)
		}
	}
	n, known, err := c.countByBitmaps(ctx, true)
	switch {
	case err != nil || known:
		return n, err
	case learns:
		return c.countWords(ctx)
	case len(c.words) == 0 && len(c.tags) == 1 && len(c.types) == 0:
		return c.countTag(ctx)
	}
	return c.countByRows(ctx, KindFile, true)
}

func (c *Conditions) countByRows(ctx context.Context, kind int8, visible bool) (int, error) {
	n, err := c.db.Entry.Query().Where(c.Of(kind, visible)).Count(ctx)
	return n, database.Translate(err)
}

// ofFolders selects the counts of folders that are those of the entries that Of selects.
func (c *Conditions) ofFolders(kind int8, visible bool) string {
	where := fmt.Sprintf("kind = %d AND parent_id <> 0", kind) // the root is in no folder
	for _, list := range c.types {                             // names of formats: letters and digits
		where += " AND type IN ('" + strings.Join(list, "', '") + "')"
	}
	if c.templates {
		where += fmt.Sprintf(" AND class <> %d", classTemplate)
	}
	if visible {
		where += " AND NOT hidden"
	}
	switch {
	case c.folder == nil || c.deep && c.folder.Path == "":
	case c.deep:
		where += fmt.Sprintf(" AND parent_id IN (WITH RECURSIVE below(id) AS (SELECT CAST(%d AS BIGINT) UNION ALL "+
			"SELECT e.id FROM entries e JOIN below ON e.parent_id = below.id AND e.kind = %d) SELECT id FROM below)", c.folder.ID, KindFolder)
	default:
		where += fmt.Sprintf(" AND parent_id = %d AND class < %d", c.folder.ID, classPreview)
	}
	return where
}

// CountFolder counts the entries of a kind directly in a folder; unless all, without names that start with a dot and previews of templates.
func CountFolder(ctx context.Context, db *database.DB, folder int, kind int8, all bool) (Total, error) {
	where := fmt.Sprintf("parent_id = %d AND kind = %d", folder, kind)
	switch {
	case all:
	case kind == KindFolder:
		where += fmt.Sprintf(" AND class < %d", classDot)
	default:
		where += fmt.Sprintf(" AND class < %d", classPreview)
	}
	t, err := total(ctx, db, where)
	t.folder, t.kind = folder, kind
	return t, err
}

// numbers returns the columns of the row that a query has.
func numbers(ctx context.Context, db querier, columns int, query string, args ...any) ([]int, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list, into := make([]int, columns), make([]any, columns)
	for i := range list {
		into[i] = &list[i]
	}
	if rows.Next() {
		err = rows.Scan(into...)
	}
	if err == nil {
		err = rows.Err()
	}
	return list, err
}
