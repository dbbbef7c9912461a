package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// TrashFiles resolves trashFiles.
func (m mutation) TrashFiles(ctx context.Context, in model.TrashFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.TrashFiles(ctx, in.Paths))
}

// DeleteFiles resolves deleteFiles.
func (m mutation) DeleteFiles(ctx context.Context, in model.DeleteFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.DeleteFiles(ctx, in.Paths))
}

// MoveFiles resolves moveFiles.
func (m mutation) MoveFiles(ctx context.Context, in model.MoveFilesInput) (*model.BulkPayload, error) {
	to := gallery.Destination{Folder: in.Folder, Name: in.Name.Value(), OnConflict: in.OnConflict}
	return bulk(m.rules.Gallery.MoveFiles(ctx, in.Paths, to))
}

// CopyFiles resolves copyFiles.
func (m mutation) CopyFiles(ctx context.Context, in model.CopyFilesInput) (*model.BulkPayload, error) {
	to := gallery.Destination{Folder: in.Folder, Name: in.Name.Value(), OnConflict: in.OnConflict}
	return bulk(m.rules.Gallery.CopyFiles(ctx, in.Paths, to))
}

// RateFiles resolves rateFiles.
func (m mutation) RateFiles(ctx context.Context, in model.RateFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.RateFiles(ctx, in.Paths, in.Rating.Value(), in.Favorite.Value()))
}

// TagFiles resolves tagFiles.
func (m mutation) TagFiles(ctx context.Context, in model.TagFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.TagFiles(ctx, in.Paths, in.Add, in.Remove))
}

// bulk returns the payload of a mutation that processes several items.
func bulk(results []*gallery.BulkResult, err error) (*model.BulkPayload, error) {
	p := &model.BulkPayload{Results: results}
	return p, refuse(&p.UserErrors, err)
}

// bulkResults are the resolvers of ItemResult.
type bulkResults struct{}

// File resolves ItemResult.file.
func (bulkResults) File(ctx context.Context, r *gallery.BulkResult) (*gallery.File, error) {
	return r.File(ctx)
}

// Folder resolves ItemResult.folder.
func (bulkResults) Folder(ctx context.Context, r *gallery.BulkResult) (*gallery.Folder, error) {
	return r.Folder(ctx)
}

// Error resolves ItemResult.error. It also returns errors that are not user errors, with their code, because
// an error of the whole operation would hide that other items succeeded.
func (bulkResults) Error(_ context.Context, r *gallery.BulkResult) (*model.UserError, error) {
	if r.Err == nil {
		return nil, nil
	}
	return userError(faultOf(r.Err)), nil
}
