package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// SimilarFiles resolves similarFiles.
func (q query) SimilarFiles(
	ctx context.Context,
	path string,
	maxDistance, first *int32,
	after *string,
) (*model.SimilarFileConnection, error) {
	f, err := q.File(ctx, path)
	if err != nil {
		return nil, err
	}
	distance := 6
	if maxDistance != nil {
		distance = int(*maxDistance)
	}
	p, err := q.rules.Gallery.SimilarFiles(ctx, f, distance, sizeOf(first, defaultGroups), value(after))
	return connection(p, (*gallery.SimilarFile).Cursor, err)
}

// defaultGroups is the default page size for similar images and groups, if `first` is null.
const defaultGroups = 20

// Duplicates resolves duplicates.
func (q query) Duplicates(
	ctx context.Context,
	first *int32,
	after *string,
) (*model.DuplicateGroupConnection, error) {
	p, err := q.rules.Gallery.Duplicates(ctx, sizeOf(first, defaultGroups), value(after))
	return connection(p, (*gallery.DuplicateGroup).Cursor, err)
}

// SimilarGroups resolves similarGroups.
func (q query) SimilarGroups(
	ctx context.Context,
	first *int32,
	after *string,
) (*model.SimilarGroupConnection, error) {
	p, err := q.rules.Gallery.SimilarGroups(ctx, sizeOf(first, defaultGroups), value(after))
	return connection(p, (*gallery.SimilarGroup).Cursor, err)
}
