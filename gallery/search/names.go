package search

import (
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
)

// This file defines which names have a special meaning. The rules of templates, previews and dots exist a
// second time in the database, as the class of an entry (ent/migrations), for lists and counts of very many
// rows. HiddenSQL repeats IsHidden for a folder that moves. TestNamesInDatabases compares all implementations
// with unusual names on both databases.
//
// Rules that contain letters do not use LIKE, because it ignores case on SQLite but not on PostgreSQL.

// TemplateSuffix is the end of the name of a saved template, in any case. PreviewSuffix is the end of the
// name of its preview, in exactly this case.
const (
	TemplateSuffix = ".template.json"
	PreviewSuffix  = ".template.preview.webp"
)

// IsTemplate reports whether a name is that of a saved template.
func IsTemplate(name string) bool { return strings.HasSuffix(strings.ToLower(name), TemplateSuffix) }

// IsPreview reports whether a name is that of the preview of a template. Listings do not show previews.
func IsPreview(name string) bool { return strings.HasSuffix(name, PreviewSuffix) }

// IsHidden reports whether listings leave out a path: a segment starts with a dot, or the path is the preview
// of a template.
func IsHidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || IsPreview(path)
}

// HiddenSQL is IsHidden as an SQL condition on the column with the path.
func HiddenSQL(dialectName, column string) string {
	end := fmt.Sprintf("substr(%s, %d)", column, -len(PreviewSuffix))
	if dialectName == dialect.Postgres {
		end = fmt.Sprintf("right(%s, %d)", column, len(PreviewSuffix))
	}
	return fmt.Sprintf("(%[1]s LIKE '.%%' OR %[1]s LIKE '%%/.%%' OR %[2]s = '%[3]s')", column, end, PreviewSuffix)
}
