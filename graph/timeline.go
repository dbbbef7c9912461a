package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
)

// Suggestions resolves suggestions.
func (q query) Suggestions(
	ctx context.Context,
	kind gallery.SuggestionKind,
	text *string,
	limit *int32,
	folder *string,
	filter *search.Filter,
	words *string,
) ([]*gallery.Suggestion, error) {
	return q.rules.Gallery.Suggestions(
		ctx, kind, value(text), sizeOf(limit, 8),
		gallery.BrowseOptions{Folder: value(folder), Recursive: true, Filter: value(filter), Search: value(words)},
	)
}

// FileCounts resolves fileCounts.
func (q query) FileCounts(
	ctx context.Context,
	folder *string,
	filter *search.Filter,
	words *string,
	each []*search.Filter,
) ([]int32, error) {
	return q.rules.Gallery.CountEach(
		ctx,
		gallery.BrowseOptions{Folder: value(folder), Recursive: true, Filter: value(filter), Search: value(words)},
		each,
	)
}

// Timeline resolves timeline.
func (q query) Timeline(
	ctx context.Context,
	folder *string,
	recursive *bool,
	filter *search.Filter,
	search *string,
	by *search.TimelineUnit,
	order *model.SortOrder,
) ([]*search.TimelineBucket, error) {
	return q.rules.Gallery.Timeline(
		ctx,
		gallery.BrowseOptions{Folder: value(folder), Recursive: recursive == nil || *recursive, Filter: value(filter),
			Search: value(search), Descending: value(order) != model.SortOrderAsc},
		value(by),
	)
}
