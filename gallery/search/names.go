package search

import (
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
)

// This file is the one place where the code says which names mean something. A database repeats the rules of templates,
// previews and dots once, as the class of an entry (ent/migrations), for lists and counts of very many rows; HiddenSQL
// is IsHidden for a folder that moves. TestNamesInDatabases compares all of them over odd names on both databases.
//
// LIKE appears in no rule that has a letter: it ignores case on SQLite and not on PostgreSQL.

// TemplateSuffix ends the name of a saved template, in any case. PreviewSuffix ends the name of the preview beside it,
// in exactly this case.
const (
	TemplateSuffix = ".template.json"
	PreviewSuffix  = ".template.preview.webp"
)

// IsTemplate reports whether a name is that of a saved template.
func IsTemplate(name string) bool { return strings.HasSuffix(strings.ToLower(name), TemplateSuffix) }

// IsPreview reports whether a name is that of the preview of a template, which listings do not show.
func IsPreview(name string) bool { return strings.HasSuffix(name, PreviewSuffix) }

// IsHidden reports whether listings leave a path out: a segment starts with a dot, or it is the preview of a template.
func IsHidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || IsPreview(path)
}

// HiddenSQL is IsHidden as a condition on the column with the path.
func HiddenSQL(dialectName, column string) string {
	end := fmt.Sprintf("substr(%s, %d)", column, -len(PreviewSuffix))
	if dialectName == dialect.Postgres {
		end = fmt.Sprintf("right(%s, %d)", column, len(PreviewSuffix))
	}
	return fmt.Sprintf("(%[1]s LIKE '.%%' OR %[1]s LIKE '%%/.%%' OR %[2]s = '%[3]s')", column, end, PreviewSuffix)
}
