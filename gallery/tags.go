package gallery

import (
	"context"

	"github.com/safelight/safelight/database"
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
