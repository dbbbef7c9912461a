package gallery

import "context"

// TagCount is a tag and how many files bear it.
type TagCount struct {
	Name  string
	Count int32
}

// Tags returns the tags that files bear, the most used first, 1000 at most.
func (g *Gallery) Tags(ctx context.Context) ([]*TagCount, error) {
	rows, err := g.db.QueryContext(ctx, "SELECT min(name), count(*) FROM taggings GROUP BY key ORDER BY count(*) DESC, key LIMIT 1000")
	if err != nil {
		return nil, translate(err)
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
	return list, translate(rows.Err())
}
