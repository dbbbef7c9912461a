package gallery

import (
	"context"
	"errors"
	"slices"

	"github.com/safelight/safelight/database"
)

// Tag is a tag and the number of its files.
type Tag struct {
	Name  string
	Count int32
	Key   string // folded name; tags that only differ in case have the same key
}

// tagsInUse returns the statement that counts the files of each tag that the caller may see.
func (g *Gallery) tagsInUse(ctx context.Context) (statement string, args []any, err error) {
	viewable, args, err := g.index.viewable(ctx, "e.parent_id")
	return "SELECT min(t.name), count(*), t.key FROM taggings t JOIN entries e ON e.id = t.entry_id " +
		"WHERE NOT e.hidden" + viewable + " GROUP BY t.key", args, err
}

// Tags returns 1 to 100 tags of visible files, sorted by use and then by key, the most used first. The page
// starts after a tag, of which it uses Count and Key; nil is the start.
func (g *Gallery) Tags(ctx context.Context, first int, after *Tag) (*database.Page[*Tag], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	inUse, seen, err := g.tagsInUse(ctx)
	if err != nil {
		return nil, err
	}
	const order = " ORDER BY count(*) DESC, t.key LIMIT ?"
	if after == nil {
		list, err := g.tags(ctx, inUse+order, append(seen, first+1)...)
		p := database.FirstOf(list, first)
		p.Count = g.CountTags
		return p, err
	}
	list, err := g.tags(
		ctx, inUse+" HAVING count(*) < ? OR count(*) = ? AND t.key > ?"+order,
		slices.Concat(seen, []any{after.Count, after.Count, after.Key, first + 1})...,
	)
	if err != nil {
		return nil, err
	}
	before, err := g.tags(
		ctx, inUse+" HAVING count(*) > ? OR count(*) = ? AND t.key <= ? LIMIT 1",
		slices.Concat(seen, []any{after.Count, after.Count, after.Key})...,
	)
	p := database.FirstOf(list, first)
	p.Before, p.Count = len(before) > 0, g.CountTags
	return p, err
}

func (g *Gallery) tags(ctx context.Context, query string, args ...any) ([]*Tag, error) {
	rows, err := g.db.QueryContext(ctx, g.db.Numbered(query), args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var list []*Tag
	for rows.Next() {
		t := &Tag{}
		if err := rows.Scan(&t.Name, &t.Count, &t.Key); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, database.Translate(rows.Err())
}

// CountTags returns the number of tags of visible files.
func (g *Gallery) CountTags(ctx context.Context) (n int, err error) {
	inUse, args, err := g.tagsInUse(ctx)
	if err != nil {
		return 0, err
	}
	rows, err := g.db.QueryContext(ctx, g.db.Numbered("SELECT count(*) FROM ("+inUse+") AS tags_in_use"), args...)
	if err != nil {
		return 0, database.Translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		err = rows.Scan(&n)
	}
	return n, database.Translate(errors.Join(err, rows.Err()))
}
