package search

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/gallery/access"
)

// This file restricts results to what the caller may view. The right depends on the folder that contains a
// file, so a condition on parent_id is enough. The ids of these folders are cached with the scope
// (access.Scope.Folders). If there are more than maxFolders, each statement reads the ids itself, starting
// from the paths. "Visible" means not hidden.

// maxFolders is the maximum number of folders whose ids are written into a statement.
const maxFolders = 10_000

// viewableFolders returns the start of a statement that reads the ids of the non-hidden folders at or below
// some paths, and for each the path where it was found. It contains a question mark for its argument.
func viewableFolders(dialectName string, roots []string) (with string, arg any) {
	in, arg := database.TextsIn(dialectName, roots)
	return "WITH RECURSIVE viewable(root, id) AS (SELECT path, id FROM entries WHERE path" + in +
		" AND kind = 0 AND NOT hidden UNION ALL " + foldersIn("viewable", "viewable.root, e.id") +
		" AND NOT e.hidden) ", arg
}

// inViewable returns the condition, to be written after a column, that the value is one of these ids.
func inViewable(dialectName string, roots []string) (condition string, arg any) {
	with, arg := viewableFolders(dialectName, roots)
	return " IN (" + with + "SELECT id FROM viewable)", arg
}

// write writes a condition that contains a question mark for its argument.
func write(b *entsql.Builder, condition string, arg any) {
	before, after, _ := strings.Cut(condition, "?")
	b.WriteString(before).Arg(arg).WriteString(after)
}

// foldersIn is the step of a recursive statement that reads columns of the subfolders of a table's folders.
// SQLite does not reorder a CROSS JOIN. Without statistics, it would otherwise read all folders for each one
// in the table.
func foldersIn(table, columns string) string {
	return "SELECT " + columns + " FROM " + table + " CROSS JOIN entries e WHERE e.parent_id = " + table +
		".id AND e.kind = 0"
}

// folders returns the ids of the folders below a folder whose files the caller may view, or nil if there are
// more than maxFolders. last is the estimated number of entries.
func folders(ctx context.Context, db *database.DB, s access.Scope, folder string) (ids []int, last int, err error) {
	return s.Folders(folder, func(roots []string) (*access.Folders, error) {
		with, arg := viewableFolders(db.Dialect(), roots)
		query := fmt.Sprintf("%sSELECT root, id FROM viewable LIMIT %d", with, maxFolders+1)
		type folder struct {
			root string
			id   int
		}
		found, err := database.Rows(
			ctx, db, db.Numbered(query), []any{arg}, func(f *folder) []any { return []any{&f.root, &f.id} },
		)
		if err != nil {
			return nil, err
		}
		all := &access.Folders{}
		if len(found) <= maxFolders {
			all.IDs = map[string][]int{}
			for _, f := range found {
				all.IDs[f.root] = append(all.IDs[f.root], f.id)
			}
		}
		all.LastID, err = number(ctx, db, lastID)
		return all, err
	})
}

// children returns the ids of the non-hidden subfolders of a folder that lead to what the caller may view.
func children(ctx context.Context, db *database.DB, s access.Scope, folder string) ([]int, error) {
	return s.ChildrenIDs(folder, func(paths []string) ([]int, error) {
		query := entsql.Dialect(db.Dialect()).Select(entry.FieldID).From(entsql.Table(entry.Table))
		query.Where(entsql.EQ(entry.FieldKind, KindFolder)).Where(pathIn(query, paths))
		WithoutDot(query)
		WithoutPreviews(query)
		text, args := query.Query()
		return idsOf(ctx, db, text, args...)
	})
}

// Viewable returns a condition to append to a statement with question marks. It means that the caller may
// view a file; column contains the id of the file's folder. The condition is empty if the caller may view
// everything.
func Viewable(
	ctx context.Context, db *database.DB, s access.Scope, parent string,
) (condition string, args []any, err error) {
	if s.Whole() {
		return "", nil, nil
	}
	ids, _, err := folders(ctx, db, s, "")
	switch {
	case err != nil:
		return "", nil, err
	case ids != nil:
		return " AND " + parent + isOneOf(db.IsPostgres(), ids), nil, nil
	}
	in, arg := inViewable(db.Dialect(), s.Below(""))
	return " AND " + parent + in, []any{arg}, nil
}

// isOneOf returns the condition, to be written after a column, that the value is one of some ids, none of
// which is 0.
func isOneOf(postgres bool, ids []int) string {
	if len(ids) == 0 {
		return " = 0"
	}
	if postgres { // a single literal, because PostgreSQL plans each item of a list
		return " = ANY ('{" + numbers(ids) + "}'::bigint[])"
	}
	return " IN (" + numbers(ids) + ")"
}

// numbers joins ids with commas.
func numbers(ids []int) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}

// lastID selects the highest id of all entries, which estimates their number.
const lastID = "SELECT coalesce(max(id), 0) FROM entries"

// readFolders finds the folders whose files the caller may view, and counts these files. For a single folder,
// it finds the subfolders that the caller may open.
func (c *Conditions) readFolders(ctx context.Context) (err error) {
	if !c.Partial() || c.foldersRead {
		return nil
	}
	c.foldersRead = true
	if c.isFlat() {
		c.children, err = children(ctx, c.db, c.scope, c.path())
		return err
	}
	if c.parents, c.last, err = folders(ctx, c.db, c.scope, c.path()); err != nil {
		return err
	}
	if c.album { // an album has few files, which are read first
		return nil
	}
	query, args := c.viewableCount("sum(n)", fmt.Sprintf("sum(CASE WHEN class = %d THEN n END)", classTemplate))
	err = database.Row(ctx, c.db, query, args, &c.files, &c.templates)
	c.byFolder = c.files <= MaxCandidates
	return err
}

// isInViewable is the condition that a column contains the id of a folder whose files the caller may view.
// byOrder prevents the database from reading the files folder by folder if there are too many.
func (c *Conditions) isInViewable(column string, byOrder bool) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		postgres := b.Dialect() == dialect.Postgres
		switch {
		case byOrder && postgres:
			b.WriteString("CASE WHEN ")
		case byOrder:
			b.WriteString("+")
		}
		b.Ident(column)
		switch {
		case c.oneFolder:
			b.WriteString(" = folder.id")
		case c.parents != nil:
			b.WriteString(isOneOf(postgres, c.parents))
		default:
			in, arg := inViewable(b.Dialect(), c.scope.Below(c.path()))
			write(b, in, arg)
		}
		if byOrder && postgres {
			b.WriteString(" THEN TRUE ELSE FALSE END")
		}
	})
}

// path returns the path of the selected folder; empty for everything.
func (c *Conditions) path() string {
	if c.folder == nil {
		return ""
	}
	return c.folder.Path
}

// Partial reports whether the caller may view only some of the entries that the folder selects.
func (c *Conditions) Partial() bool { return !c.scope.Sees(c.path()) }

// isFlat reports whether a single folder is selected without its subfolders.
func (c *Conditions) isFlat() bool { return c.folder != nil && !c.deep }

// viewable selects the non-hidden entries of a kind that the caller may view.
func (c *Conditions) viewable(s *entsql.Selector, kind int8) {
	folder := c.path()
	switch {
	case len(c.scope.Below(folder)) == 0 || kind == KindFile && c.isFlat():
		s.Where(entsql.ExprP("1 = 0"))
	case c.isFlat():
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.Ident(s.C(entry.FieldID)).WriteString(isOneOf(b.Dialect() == dialect.Postgres, c.children))
		}))
	case kind == KindFile:
		s.Where(c.isInViewable(s.C(entry.FieldParentID), !c.byFolder))
		if !c.byFolder { // the indexes of an order over the whole gallery start with this column
			s.Where(c.equal(s.C(entry.FieldHidden), false)) // SQLite would not use the index for NOT hidden
			return
		}
		WithoutDot(s)
		WithoutPreviews(s)
	default:
		all := c.isInViewable(s.C(entry.FieldID), false)
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

// Within is the condition that a column contains the path of one of some folders, or a path below one.
// Instead of comparing the path with each folder, it takes prefixes of the path with the lengths of the
// folders, and looks them up.
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

// ViewableFiles selects the files that the caller may view. It includes hidden files only if the caller may
// view everything.
func ViewableFiles(ctx context.Context, db *database.DB, scope access.Scope) (predicate.Entry, error) {
	c := New(db, scope)
	err := c.readFolders(ctx)
	return func(s *entsql.Selector) {
		if c.Partial() {
			c.viewable(s, KindFile)
		}
	}, err
}

// unordered returns the conditions for a statement that reads all matches in no particular order.
func (c *Conditions) unordered() *Conditions {
	all := *c
	all.byFolder = true
	return &all
}
