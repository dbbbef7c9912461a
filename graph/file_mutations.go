package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// UploadFile answers uploadFile.
func (m mutation) UploadFile(ctx context.Context, path string, content graphql.Upload) (*bool, error) {
	_, err := m.rules.Uploads.UploadFile(ctx, path, content.File)
	return yes(err)
}

// DeleteFile answers deleteFile.
func (m mutation) DeleteFile(ctx context.Context, path string) (*bool, error) {
	return yes(m.rules.Gallery.DeleteFile(ctx, path))
}

// CreateFolder answers createFolder.
func (m mutation) CreateFolder(ctx context.Context, path string) (*bool, error) {
	return yes(m.rules.Gallery.CreateFolder(ctx, path))
}

// CopyFile answers copyFile.
func (m mutation) CopyFile(ctx context.Context, sourcePath, destPath string) (*bool, error) {
	return yes(m.rules.Gallery.CopyFile(ctx, sourcePath, destPath))
}

// MoveFile answers moveFile.
func (m mutation) MoveFile(ctx context.Context, sourcePath, destPath string) (*bool, error) {
	return yes(m.rules.Gallery.MoveFile(ctx, sourcePath, destPath))
}

// UpdateFile answers updateFile.
func (m mutation) UpdateFile(ctx context.Context, in model.UpdateFileInput) (*model.UpdateFilePayload, error) {
	change := gallery.UpdateFileInput{Path: in.Path, Description: in.Description.Value()}
	if tags, ok := in.Tags.ValueOK(); ok && tags != nil { // null is not an empty list of tags
		change.Tags = &tags
	}
	change.Rating, change.Favorite = in.Rating.Value(), in.Favorite.Value()
	if point, ok := in.FocalPoint.ValueOK(); ok {
		change.FocalPoint = &point
	}
	file, err := m.rules.Gallery.UpdateFile(ctx, change)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.UpdateFilePayload{File: file, UserErrors: refused}, nil
}
