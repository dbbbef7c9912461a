package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
)

// MapClusters resolves mapClusters.
func (q query) MapClusters(
	ctx context.Context,
	bounds search.Bounds,
	zoom int32,
	folder *string,
	recursive *bool,
	filter *search.Filter,
	search *string,
) ([]*gallery.Cluster, error) {
	return q.rules.Gallery.Clusters(
		ctx,
		gallery.BrowseOptions{Folder: value(folder), Recursive: recursive == nil || *recursive, Filter: value(filter),
			Search: value(search)},
		bounds, int(zoom),
	)
}

// MapTiles resolves mapTiles.
func (q query) MapTiles(context.Context) (*model.MapTiles, error) { return q.rules.MapTiles, nil }
