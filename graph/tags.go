package graph

import (
	"context"

	"github.com/safelight/safelight/graph/model"
)

// Tags resolves tags.
func (q query) Tags(ctx context.Context, first *int32, after *string) (*model.TagConnection, error) {
	last, err := tagCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Tags(ctx, sizeOf(first, defaultPage), last)
	return connection(p, tagCursors, err)
}
