package search

import (
	"fmt"
	"strings"
	"unicode/utf8"

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

// visibleIn returns the condition, after a column, that it is the id of a folder at or below some paths, without hidden
// ones. It has a question mark for its argument.
func visibleIn(dialectName string, roots []string) (condition string, arg any) {
	in, arg := database.TextsIn(dialectName, roots)
	return " IN (WITH RECURSIVE visible(id) AS (SELECT id FROM entries WHERE path" + in +
		" AND kind = 0 AND NOT hidden UNION ALL " + foldersIn("visible") + " AND NOT e.hidden) SELECT id FROM visible)", arg
}

// write writes a condition with a question mark for its argument.
func write(b *entsql.Builder, condition string, arg any) {
	before, after, _ := strings.Cut(condition, "?")
	b.WriteString(before).Arg(arg).WriteString(after)
}

// foldersIn is the step of a recursive statement that reads the ids of the folders in those of a table. SQLite does not
// reorder a CROSS JOIN: without statistics it would otherwise read all folders for each one in the table.
func foldersIn(table string) string {
	return "SELECT e.id FROM " + table + " CROSS JOIN entries e WHERE e.parent_id = " + table + ".id AND e.kind = 0"
}

// Visible returns a condition to append to a statement with question marks, on the column with the id of the folder that
// holds a file: that the file may be seen. It is empty if everything may be.
func Visible(db *database.DB, s access.Scope, parent string) (condition string, args []any) {
	if s.Whole() {
		return "", nil
	}
	if len(s.Below("")) == 0 {
		return " AND 1 = 0", nil
	}
	in, arg := visibleIn(db.Dialect(), s.Below(""))
	return " AND " + parent + in, []any{arg}
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
		b.Ident(column)
		in, arg := visibleIn(b.Dialect(), c.scope.Below(c.path()))
		write(b, in, arg)
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
		s.Where(pathIn(s, c.scope.Children(folder)))
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
			all = entsql.Or(all, pathIn(s, steps))
		}
		s.Where(all)
	}
}

// pathIn is the condition that an entry has one of some paths.
func pathIn(s *entsql.Selector, paths []string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		b.Ident(s.C(entry.FieldPath))
		in, arg := database.TextsIn(b.Dialect(), paths)
		write(b, in, arg)
	})
}

// Within is the condition that a column holds the path of one of some folders, or one below them. It looks for the starts
// of the path, of each length that a folder has, instead of comparing it with each folder.
func Within(column string, folders []string) *entsql.Predicate {
	if len(folders) == 0 {
		return entsql.ExprP("1 = 0")
	}
	starts := make([]string, len(folders))
	seen := map[int]bool{}
	var lengths []string
	for i, folder := range folders {
		starts[i] = folder + "/"
		// substr counts characters
		if n := utf8.RuneCountInString(starts[i]); !seen[n] {
			seen[n] = true
			lengths = append(lengths, fmt.Sprintf("(%d)", n))
		}
	}
	return entsql.P(func(b *entsql.Builder) {
		b.WriteString("EXISTS (SELECT 1 FROM (VALUES " + strings.Join(lengths, ", ") + ") AS length WHERE substr(").
			Ident(column).
			WriteString(" || '/', 1, length.column1)")
		in, arg := database.TextsIn(b.Dialect(), starts)
		write(b, in+")", arg)
	})
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
