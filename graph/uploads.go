package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/uploads"
)

// Upload resolves upload.
func (q query) Upload(ctx context.Context, id string) (*uploads.PendingUpload, error) {
	return q.rules.Uploads.Upload(ctx, id)
}

// AddFile resolves addFile.
func (m mutation) AddFile(ctx context.Context, in model.AddFileInput) (*model.AddFilePayload, error) {
	stored, err := m.rules.Uploads.AddFile(
		ctx,
		uploads.AddFileInput{Path: in.Path, Content: in.Content.File, OnConflict: in.OnConflict},
	)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	p := &model.AddFilePayload{UserErrors: refused}
	if len(refused) > 0 {
		return p, nil
	}
	if p.File, err = m.rules.Gallery.FileOf(ctx, stored); err == nil && p.File == nil {
		// Return an error instead of a success without a file.
		p.UserErrors, err = userErrors(fault.OnField(fault.NotFound, "path",
			"%s was stored, and was moved or deleted before this answer", stored.Key))
	}
	return p, err
}

// CreateUpload resolves createUpload.
func (m mutation) CreateUpload(ctx context.Context, in model.CreateUploadInput) (*model.CreateUploadPayload, error) {
	upload, err := m.rules.Uploads.CreateUpload(ctx, uploads.CreateUploadInput{
		Path:        in.Path,
		ContentType: in.ContentType,
		SizeBytes:   in.SizeBytes,
		OnConflict:  in.OnConflict,
		ClientKey:   in.ClientKey.Value(),
	})
	p := &model.CreateUploadPayload{Upload: upload}
	return p, refuse(&p.UserErrors, err)
}

// FinishUpload resolves finishUpload.
func (m mutation) FinishUpload(ctx context.Context, in model.FinishUploadInput) (*model.FinishUploadPayload, error) {
	upload, file, err := m.rules.Uploads.FinishUpload(ctx, in.ID)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	p := &model.FinishUploadPayload{Upload: upload, UserErrors: refused}
	p.File, err = m.rules.Gallery.FileOf(ctx, file)
	return p, err
}

// CancelUpload resolves cancelUpload.
func (m mutation) CancelUpload(ctx context.Context, in model.CancelUploadInput) (*model.CancelUploadPayload, error) {
	err := m.rules.Uploads.CancelUpload(ctx, in.ID)
	p := &model.CancelUploadPayload{CanceledID: changed(in.ID, err)}
	return p, refuse(&p.UserErrors, err)
}
