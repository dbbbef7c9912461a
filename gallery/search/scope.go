package search

import (
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/gallery/access"
)

// This file limits what is found to what a caller may see. Files may be seen by the folder that holds them, so that a
// condition on parent_id is enough. The folders are read from their paths on, by the index of the folders in a folder:
// nothing has to be kept in step when grants or folders change.

// writeVisible writes the ids of the folders at and below some paths, without hidden ones.
func writeVisible(roots []string, sql func(string), arg func(any)) {
	sql("WITH RECURSIVE visible(id) AS (SELECT id FROM entries WHERE path IN (")
	for i, path := range roots {
		if i > 0 {
			sql(", ")
		}
		arg(path)
	}
	sql(") AND kind = 0 AND NOT hidden UNION ALL " + foldersIn("visible") + " AND NOT e.hidden) SELECT id FROM visible")
}

// foldersIn is the step of a recursive statement that reads the ids of the folders in those of a table. SQLite does not
// reorder a CROSS JOIN: without statistics it would otherwise read all folders for each one in the table.
func foldersIn(table string) string {
	return "SELECT e.id FROM " + table + " CROSS JOIN entries e WHERE e.parent_id = " + table + ".id AND e.kind = 0"
}

// Visible returns a condition to append to a statement with question marks, on the column with the id of the folder that
// holds a file: that the file may be seen. It is empty if everything may be.
func Visible(s access.Scope, parent string) (condition string, args []any) {
	if s.Whole() {
		return "", nil
	}
	if len(s.Below("")) == 0 {
		return " AND 1 = 0", nil
	}
	var b strings.Builder
	b.WriteString(" AND " + parent + " IN (")
	writeVisible(s.Below(""), func(text string) { b.WriteString(text) }, func(v any) {
		b.WriteString("?")
		args = append(args, v)
	})
	b.WriteString(")")
	return b.String(), args
}

// inVisible is the condition that a column holds the id of a folder that may be seen. byOrder prevents the database from
// reading the files folder by folder, if there are too many of them.
func (c *Conditions) inVisible(column string, byOrder bool) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		postgres := b.Dialect() == dialect.Postgres
		switch {
		case byOrder && postgres:
			b.WriteString("CASE WHEN ")
		case byOrder:
			b.WriteString("+")
		}
		b.Ident(column).WriteString(" IN (")
		writeVisible(c.scope.Below(c.path()), func(text string) { b.WriteString(text) }, func(v any) { b.Arg(v) })
		b.WriteString(")")
		if byOrder && postgres {
			b.WriteString(" THEN TRUE ELSE FALSE END")
		}
	})
}

// path returns that of the folder; empty for everything.
func (c *Conditions) path() string {
	if c.folder == nil {
		return ""
	}
	return c.folder.Path
}

// Partial reports whether the caller may see some entries only of those that the folder selects.
func (c *Conditions) Partial() bool { return !c.scope.Sees(c.path()) }

// isFlat reports whether one folder is selected without those in it.
func (c *Conditions) isFlat() bool { return c.folder != nil && !c.deep }

// seen selects the entries of a kind that the caller may see.
func (c *Conditions) seen(s *entsql.Selector, kind int8) {
	folder := c.path()
	switch {
	case len(c.scope.Below(folder)) == 0 || kind == KindFile && c.isFlat():
		s.Where(entsql.ExprP("1 = 0"))
	case c.isFlat():
		entsql.FieldIn(entry.FieldPath, c.scope.Children(folder)...)(s)
	case kind == KindFile:
		s.Where(c.inVisible(s.C(entry.FieldParentID), !c.fewFiles))
		if !c.fewFiles { // the indexes of an order over the whole gallery begin with it
			s.Where(entsql.EQ(s.C(entry.FieldHidden), false))
			return
		}
		WithoutDot(s)
		WithoutPreviews(s)
	default:
		all := c.inVisible(s.C(entry.FieldID), false)
		if steps := c.scope.Steps(folder); len(steps) > 0 {
			list := make([]any, len(steps))
			for i, path := range steps {
				list[i] = path
			}
			all = entsql.Or(all, entsql.In(s.C(entry.FieldPath), list...))
		}
		s.Where(all)
	}
}

// Seen selects the files that a caller may see, hidden ones only if the caller may see everything.
func Seen(db *database.DB, scope access.Scope) predicate.Entry {
	return func(s *entsql.Selector) {
		if c := New(db, scope); c.Partial() {
			c.seen(s, KindFile)
		}
	}
}

// byFolder returns the conditions for a statement that reads all matches.
func (c *Conditions) byFolder() *Conditions {
	all := *c
	all.fewFiles = true
	return &all
}
