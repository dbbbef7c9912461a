package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/timeline"
	"github.com/safelight/safelight/graph/model"
)

// Timeline answers timeline.
func (q query) Timeline(
	ctx context.Context,
	folder *string,
	recursive *bool,
	filter *search.Filter,
	search *string,
	by *timeline.Unit,
	order *model.SortOrder,
) ([]*timeline.Bucket, error) {
	return q.rules.Gallery.Timeline(
		ctx,
		gallery.BrowseOptions{Folder: value(folder), Recursive: recursive == nil || *recursive, Filter: value(filter),
			Search: value(search), Descending: value(order) != model.SortOrderAsc},
		value(by),
	)
}
