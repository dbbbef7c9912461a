package search

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/bitmaps"
)

// countByBitmaps counts visible files by bitmaps; false if they do not know. Those directly in a folder are without previews, as listings show it.
func (c *Conditions) countByBitmaps(ctx context.Context, visible bool) (int, bool, error) {
	q := c.query
	q.All = slices.Clone(q.All)
	if c.templates {
		q.Without = append(q.Without, bitmaps.Templates)
	}
	if c.folder != nil && (!c.deep || c.folder.Path != "") {
		q.Folder, q.Deep = c.folder.ID, c.deep
	}
	if !visible {
		q.Without = append(q.Without, bitmaps.Previews)
	}
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
	c.Of(KindFile, visible)(s)
	q.Rows = s.P()
	return bitmaps.Count(ctx, c.db, q)
}
