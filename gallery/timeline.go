package gallery

import (
	"context"

	"github.com/safelight/safelight/gallery/timeline"
)

// Timeline counts the files of a folder by date, as Files lists them in the order TAKEN: its options name the folder, the
// filter, the search and the direction.
func (g *Gallery) Timeline(ctx context.Context, o BrowseOptions, by timeline.Unit) ([]*timeline.Bucket, error) {
	_, where, err := g.index.conditions(ctx, o)
	if err != nil {
		return nil, err
	}
	return timeline.Count(ctx, g.db, timeline.Query{Where: where, Recursive: o.Recursive, By: by, Ascending: !o.Descending})
}
