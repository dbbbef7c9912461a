package words

import (
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
)

// This file is the one place where the code says which names mean something. Next to each rule in Go is the same rule in SQL, for the
// statements that select or change very many rows. The triggers of the migrations repeat the rules of templates and previews, because
// a server of the version before may write rows too. TestNamesInDatabases compares all of them over odd names on both databases.
//
// LIKE appears in no rule that has a letter: it ignores case on SQLite and not on PostgreSQL.

// TemplateSuffix ends the name of a saved template, in any case. PreviewSuffix ends the name of the preview beside it, in exactly this case.
const (
	TemplateSuffix = ".template.json"
	PreviewSuffix  = ".template.preview.webp"
)

// IsTemplate reports whether a name is that of a saved template.
func IsTemplate(name string) bool { return strings.HasSuffix(strings.ToLower(name), TemplateSuffix) }

// TemplateSQL is IsTemplate as a condition on the column with the name.
func TemplateSQL(dialectName, column string) string {
	return fmt.Sprintf("lower(%s) = '%s'", end(dialectName, column, len(TemplateSuffix)), TemplateSuffix)
}

// IsPreview reports whether a name is that of the preview of a template, which listings do not show.
func IsPreview(name string) bool { return strings.HasSuffix(name, PreviewSuffix) }

// PreviewSQL is IsPreview as a condition on the column with the name or the path.
func PreviewSQL(dialectName, column string) string {
	return fmt.Sprintf("%s = '%s'", end(dialectName, column, len(PreviewSuffix)), PreviewSuffix)
}

// IsHidden reports whether listings leave a path out: a segment starts with a dot, or it is the preview of a template.
func IsHidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || IsPreview(path)
}

// HiddenSQL is IsHidden as a condition on the column with the path.
func HiddenSQL(dialectName, column string) string {
	return fmt.Sprintf("(%[1]s LIKE '.%%' OR %[1]s LIKE '%%/.%%' OR %[2]s)", column, PreviewSQL(dialectName, column))
}

// end is the SQL for the last n characters of a column.
func end(dialectName, column string, n int) string {
	if dialectName == dialect.Postgres {
		return fmt.Sprintf("right(%s, %d)", column, n)
	}
	return fmt.Sprintf("substr(%s, %d)", column, -n)
}

// ExtensionKey is what NameKey holds of exactly the names that end with an extension, without regard to case. The
// extension starts with a dot.
func ExtensionKey(extension string) []byte { return append([]byte(strings.ToLower(extension)), 0) }
