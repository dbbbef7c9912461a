package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
)

// TagFiles adds tags to files and removes others; all other tags stay. Tags are compared without case. fault.Invalid for an
// invalid tag, and for one that is both added and removed.
func (g *Gallery) TagFiles(ctx context.Context, paths, add, remove []string) ([]*BulkResult, error) {
	retag, err := notes.Retag(add, remove)
	if err != nil {
		return nil, err
	}
	return updateFiles(ctx, g, paths, UpdateFileInput{Retag: retag})
}

// RateFiles sets the rating of files, 0 to 5, their favorite mark, or both; nil stays unchanged. fault.Invalid for another
// rating, and if both are nil.
func (g *Gallery) RateFiles(ctx context.Context, paths []string, rating *int32, favorite *bool) ([]*BulkResult, error) {
	in := UpdateFileInput{Rating: rating, Favorite: favorite}
	if rating == nil && favorite == nil {
		return nil, fault.OnField(fault.Invalid, "rating", "neither rating nor favorite is given, expected one of them")
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	return updateFiles(ctx, g, paths, in)
}

// updateFiles makes the same change to each file.
func updateFiles(ctx context.Context, g *Gallery, paths []string, in UpdateFileInput) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) (err error) {
		one := in
		one.Path = p
		r.updated, err = g.UpdateFile(ctx, one)
		return err
	})
}
