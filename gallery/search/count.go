package search

import (
	"context"
	"fmt"

	"github.com/safelight/safelight/database"
)

// The classes of names in the table entry_counts, which triggers keep (ent/migrations).
const (
	classTemplate = 1
	classPreview  = 2
	classDot      = 3
)

// Count counts the entries that Of selects. Without a text, and with no filter but that of templates, it adds up what triggers count for
// each folder, which takes the same time for a million files.
func (c *Conditions) Count(ctx context.Context, kind int8, visible bool) (int, error) {
	if c.narrowed {
		n, err := c.db.Entry.Query().Where(c.Of(kind, visible)).Count(ctx)
		return n, database.Translate(err)
	}
	where := fmt.Sprintf("kind = %d AND parent_id <> 0", kind) // the root is in no folder
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
	return sum(ctx, c.db, where)
}

// CountFolder counts the entries of a kind directly in a folder; unless all, without names that start with a dot and previews of templates.
func CountFolder(ctx context.Context, db *database.DB, folder int, kind int8, all bool) (int, error) {
	where := fmt.Sprintf("parent_id = %d AND kind = %d", folder, kind)
	switch {
	case all:
	case kind == KindFolder:
		where += fmt.Sprintf(" AND class < %d", classDot)
	default:
		where += fmt.Sprintf(" AND class < %d", classPreview)
	}
	return sum(ctx, db, where)
}

func sum(ctx context.Context, db *database.DB, where string) (n int, err error) {
	rows, err := db.QueryContext(ctx, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM entry_counts WHERE "+where)
	if err != nil {
		return 0, database.Translate(err)
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&n)
	}
	if err == nil {
		err = rows.Err()
	}
	return n, database.Translate(err)
}
