package gallery

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery/timeline"
)

// TagCount is a tag and the number of its files.
type TagCount struct {
	Name  string
	Count int32
}

// Tags returns the tags of visible files, most used first, at most 1000.
func (g *Gallery) Tags(ctx context.Context) ([]*TagCount, error) {
	rows, err := g.db.QueryContext(ctx, "SELECT min(t.name), count(*) FROM taggings t JOIN entries e ON e.id = t.entry_id WHERE NOT e.hidden GROUP BY t.key ORDER BY count(*) DESC, t.key LIMIT 1000")
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	list := []*TagCount{}
	for rows.Next() {
		t := &TagCount{}
		if err := rows.Scan(&t.Name, &t.Count); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, database.Translate(rows.Err())
}

// Timeline counts the files of a folder by date, as Files lists them in the order TAKEN: its options name the folder, the
// filter, the search and the direction.
func (g *Gallery) Timeline(ctx context.Context, o BrowseOptions, by timeline.Unit) ([]*timeline.Bucket, error) {
	_, where, err := g.index.conditions(ctx, o)
	if err != nil {
		return nil, err
	}
	return timeline.Count(ctx, g.db, timeline.Query{Where: where, Recursive: o.Recursive, By: by, Ascending: !o.Descending})
}
