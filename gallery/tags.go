package gallery

import (
	"context"

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

// Tags returns a page of 1 to 100 tags of visible files, sorted by use and then by key, the most used first, after
// a cursor.
func (g *Gallery) Tags(ctx context.Context, first int, after string) (*database.Page[*Tag], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	inUse, args, err := g.tagsInUse(ctx)
	if err != nil {
		return nil, err
	}
	rest, before := "", []*Tag(nil)
	if after != "" {
		var last Tag
		if err := database.ParseCursor(after, &last.Count, &last.Key); err != nil {
			return nil, err
		}
		args = append(args, last.Count, last.Count, last.Key)
		const until = " HAVING count(*) > ? OR count(*) = ? AND t.key <= ? LIMIT 1"
		if before, err = g.tags(ctx, inUse+until, args...); err != nil {
			return nil, err
		}
		rest = " HAVING count(*) < ? OR count(*) = ? AND t.key > ?"
	}
	const order = " ORDER BY count(*) DESC, t.key LIMIT ?"
	list, err := g.tags(ctx, inUse+rest+order, append(args, first+1)...)
	p := database.FirstOf(list, func(t *Tag) string { return database.Cursor(t.Count, t.Key) }, first)
	p.Before, p.Count = len(before) > 0, g.CountTags
	return p, err
}

func (g *Gallery) tags(ctx context.Context, query string, args ...any) ([]*Tag, error) {
	rows, err := database.Rows(
		ctx, g.db, g.db.Numbered(query), args, func(t *Tag) []any { return []any{&t.Name, &t.Count, &t.Key} },
	)
	list := make([]*Tag, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list, err
}

// CountTags returns the number of tags of visible files.
func (g *Gallery) CountTags(ctx context.Context) (n int, err error) {
	inUse, args, err := g.tagsInUse(ctx)
	if err != nil {
		return 0, err
	}
	count := g.db.Numbered("SELECT count(*) FROM (" + inUse + ") AS tags_in_use")
	err = database.Row(ctx, g.db, count, args, &n)
	return n, err
}
