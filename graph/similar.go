package graph

import (
	"context"

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
	last, err := similarCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.SimilarFiles(ctx, f, distance, sizeOf(first, defaultGroups), last)
	return connection(p, similarCursors, err)
}

// defaultGroups is the default page size for similar images and groups, if `first` is null.
const defaultGroups = 20

// Duplicates resolves duplicates.
func (q query) Duplicates(
	ctx context.Context,
	first *int32,
	after *string,
) (*model.DuplicateGroupConnection, error) {
	last, err := duplicateCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Duplicates(ctx, sizeOf(first, defaultGroups), last)
	return connection(p, duplicateCursors, err)
}

// SimilarGroups resolves similarGroups.
func (q query) SimilarGroups(
	ctx context.Context,
	first *int32,
	after *string,
) (*model.SimilarGroupConnection, error) {
	last, err := similarGroupCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.SimilarGroups(ctx, sizeOf(first, defaultGroups), last)
	return connection(p, similarGroupCursors, err)
}
