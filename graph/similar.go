package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// SimilarFiles answers similarFiles.
func (q query) SimilarFiles(ctx context.Context, path string, maxDistance, first *int32) ([]*gallery.SimilarFile, error) {
	f, err := q.File(ctx, path)
	if err != nil {
		return nil, err
	}
	distance, n := 6, 20
	if maxDistance != nil {
		distance = int(*maxDistance)
	}
	if first != nil {
		n = int(*first)
	}
	return q.rules.Gallery.SimilarFiles(ctx, f, distance, n)
}

// Duplicates answers duplicates.
func (q query) Duplicates(ctx context.Context, first *int32, after *string) (*gallery.DuplicatePage, error) {
	n := 20
	if first != nil {
		n = int(*first)
	}
	return q.rules.Gallery.Duplicates(ctx, n, value(after))
}

// SimilarGroups answers similarGroups.
func (q query) SimilarGroups(ctx context.Context, first *int32, after *string) (*gallery.SimilarPage, error) {
	n := 20
	if first != nil {
		n = int(*first)
	}
	return q.rules.Gallery.SimilarGroups(ctx, n, value(after))
}

// RateFiles answers rateFiles.
func (m mutation) RateFiles(ctx context.Context, in model.RateFilesInput) (*model.RateFilesPayload, error) {
	results, err := m.rules.Gallery.RateFiles(ctx, in.Paths, in.Rating.Value(), in.Favorite.Value())
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RateFilesPayload{Results: results, UserErrors: refused}, nil
}

// TagFiles answers tagFiles.
func (m mutation) TagFiles(ctx context.Context, in model.TagFilesInput) (*model.TagFilesPayload, error) {
	results, err := m.rules.Gallery.TagFiles(ctx, in.Paths, in.Add, in.Remove)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.TagFilesPayload{Results: results, UserErrors: refused}, nil
}
