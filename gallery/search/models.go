package search

import (
	"context"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// Model is a type of device whose model EXIF names. The value is its column.
type Model string

// The models.
const (
	Camera Model = entry.FieldCamera
	Lens   Model = entry.FieldLens
)

// maxModels is the maximum number of different names of a model that are considered, in the order of the
// database.
const maxModels = 10_000

// ModelNames returns at most limit names of a model that contain all words. Without words, it returns all
// names. It only considers pictures that the caller may see.
func ModelNames(
	ctx context.Context, db *database.DB, scope access.Scope, m Model, words []string, limit int,
) ([]string, error) {
	all, err := distinct(ctx, db, scope, string(m), maxModels)
	names := slices.DeleteFunc(all, func(name string) bool { return !HasWords(name, words) })
	return names[:min(limit, len(names))], err
}

// distinct returns the distinct, non-empty values of a text column in ascending order. It jumps through the
// index from value to value, so that the number of files per value does not matter. If the caller may not see
// everything, it cannot do this.
func distinct(
	ctx context.Context, db *database.DB, scope access.Scope, column string, limit int,
) ([]string, error) {
	next := "(SELECT min(" + column + ") FROM entries WHERE " + column + " <> '' AND " + column + " > "
	query := "WITH RECURSIVE name(v) AS (SELECT " + next + "'') UNION ALL SELECT " + next +
		"name.v) FROM name WHERE name.v IS NOT NULL) SELECT v FROM name WHERE v IS NOT NULL LIMIT ?"
	viewable, args, err := Viewable(ctx, db, scope, "parent_id")
	if err != nil {
		return nil, err
	}
	if viewable != "" {
		query = "SELECT DISTINCT " + column + " FROM entries WHERE " + column + " <> '' AND hidden = FALSE" + viewable +
			" ORDER BY " + column + " LIMIT ?"
	}
	return database.Rows(
		ctx, db, db.Numbered(query), append(args, limit), func(value *string) []any { return []any{value} },
	)
}

// HasWords reports whether each of words is the start of a word in a text, or of the end of a word.
func HasWords(text string, words []string) bool {
	stored := " " + tokenizer.Index(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(stored, " "+w) })
}

// model selects pictures by the models with the name text. If there is no such model, it selects pictures by
// the models whose names contain all words of text.
func (c *Conditions) model(ctx context.Context, m Model, text string) error {
	words, err := wordsOf(text, "filter."+string(m))
	if err != nil {
		return err
	}
	names, err := ModelNames(ctx, c.db, c.scope, m, words, maxModels)
	if err != nil {
		return err
	}
	wanted := tokenizer.Fold(strings.TrimSpace(text))
	whole := func(name string) bool { return tokenizer.Fold(name) == wanted }
	if slices.ContainsFunc(names, whole) {
		names = slices.DeleteFunc(names, func(name string) bool { return !whole(name) })
	}
	some := func(s *entsql.Selector) {
		s.Where(entsql.ExprP(s.C(string(m)) + " <> ''")) // the condition of the partial index
		entsql.FieldIn(string(m), names...)(s)
	}
	c.add(some)
	return c.resolveFew(ctx, some)
}

// CountModel counts the visible pictures by the model with a name, up to CountLimit + 1.
func CountModel(ctx context.Context, db *database.DB, scope access.Scope, m Model, name string) (int, error) {
	viewable, args, err := Viewable(ctx, db, scope, "parent_id")
	if err != nil {
		return 0, err
	}
	query := db.Numbered("SELECT count(*) FROM (SELECT 1 FROM entries WHERE " + string(m) + " <> '' AND " + string(m) +
		" = ? AND hidden = FALSE" + viewable + " LIMIT ?) AS found")
	return number(ctx, db, query, slices.Concat([]any{name}, args, []any{CountLimit + 1})...)
}
