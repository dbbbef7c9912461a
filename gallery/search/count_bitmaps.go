package search

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/bitmaps"
)

// countByBitmaps counts the visible files with words, types and tags by the bitmaps of these; false if they do not know.
func (c *Conditions) countByBitmaps(ctx context.Context) (int, bool, error) {
	q := bitmaps.Query{WithoutTemplates: c.templates}
	for _, word := range c.words {
		q.All = append(q.All, []string{word})
	}
	for _, key := range c.tags {
		q.All = append(q.All, []string{bitmaps.Tag(key)})
	}
	for _, list := range c.types {
		var terms []string
		for _, t := range list {
			terms = append(terms, bitmaps.Type(t))
		}
		q.All = append(q.All, terms)
	}
	s := entsql.Dialect(c.db.Dialect()).Select().From(entsql.Table(entry.Table))
	c.Of(KindFile, true)(s)
	q.Rows = s.P()
	return bitmaps.Count(ctx, c.db, q)
}
