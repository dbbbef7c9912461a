package search

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/access"
)

// Values is what CountValues counts: Tags or a Model.
type Values string

// Tags are the tags of files.
const Tags Values = "tag"

// ValueCount is a value with the number of files that have it.
type ValueCount struct {
	Name  string
	Files int
}

// CountValues counts the files with each value, among those with the given ids. The values are sorted by
// name.
func CountValues(ctx context.Context, db *database.DB, of Values, ids []int) ([]ValueCount, error) {
	among := isOneOf(db.IsPostgres(), ids)
	query := "SELECT " + string(of) + ", count(*) FROM entries WHERE " + string(of) + " <> '' AND id" + among +
		" GROUP BY 1 ORDER BY 1"
	if of == Tags {
		query = "SELECT min(name), count(*) FROM taggings WHERE entry_id" + among + " GROUP BY key ORDER BY key"
	}
	return database.Rows(ctx, db, query, nil, func(c *ValueCount) []any { return []any{&c.Name, &c.Files} })
}

// CountEach counts the files that meet each filter, among at most MaxCandidates files with the given ids, in
// one statement. It returns the errors of Conditions.Filter.
func CountEach(ctx context.Context, db *database.DB, filters []*Filter, ids []int) ([]int32, error) {
	s := entsql.Dialect(db.Dialect()).Select().From(entsql.Table(entry.Table))
	for _, f := range filters {
		c := &Conditions{db: db, scope: access.Everything(), Candidates: slices.Clone(ids), listed: true}
		if err := c.Filter(ctx, *f); err != nil {
			return nil, err
		}
		s.AppendSelectExpr(entsql.ExprFunc(func(b *entsql.Builder) {
			b.WriteString("count(CASE WHEN ").Join(c.met(ids)).WriteString(" THEN 1 END)")
		}))
	}
	s.Where(entsql.ExprP(s.C(entry.FieldID) + isOneOf(db.IsPostgres(), ids)))
	query, args := s.Query()
	counts := make([]int32, len(filters))
	into := make([]any, len(counts))
	for i := range counts {
		into[i] = &counts[i]
	}
	return counts, database.Row(ctx, db, query, args, into...)
}

// met returns a predicate for the rows, among those with the given ids, that meet the conditions.
func (c *Conditions) met(ids []int) *entsql.Predicate {
	s := entsql.Dialect(c.db.Dialect()).Select().From(entsql.Table(entry.Table))
	s.Where(entsql.ExprP("TRUE"))
	for _, p := range c.Predicates {
		p(s)
	}
	if len(c.Candidates) < len(ids) {
		s.Where(entsql.P(func(b *entsql.Builder) { c.among(b, s.C(entry.FieldID)) }))
	}
	return s.P()
}

// IDs returns the ids of at most limit entries that Of selects, in no particular order. Without an error, the
// result is not nil.
func (c *Conditions) IDs(ctx context.Context, kind int8, visible bool, limit int) ([]int, error) {
	if err := c.readFolders(ctx); err != nil {
		return nil, err
	}
	s := entsql.Dialect(c.db.Dialect()).Select(entry.FieldID).From(entsql.Table(entry.Table)).Limit(limit)
	c.unordered().Of(kind, visible)(s)
	query, args := s.Query()
	return idsOf(ctx, c.db, query, args...)
}

// idsOf returns the ids that a query selects. Without an error, the result is not nil.
func idsOf(ctx context.Context, db *database.DB, query string, args ...any) ([]int, error) {
	return database.Rows(ctx, db, query, args, func(id *int) []any { return []any{id} })
}
