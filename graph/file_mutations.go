package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// CreateFolder answers createFolder.
func (m mutation) CreateFolder(ctx context.Context, in model.CreateFolderInput) (*model.CreateFolderPayload, error) {
	refused, err := userErrors(m.rules.Gallery.CreateFolder(ctx, in.Path))
	if err != nil {
		return nil, err
	}
	p := &model.CreateFolderPayload{UserErrors: refused}
	if len(refused) > 0 {
		return p, nil
	}
	if p.Folder, err = m.rules.Gallery.Folder(ctx, in.Path); fault.CodeOf(err) == fault.NotFound {
		return p, nil // it was created, and has been deleted since
	}
	return p, err
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
	p := &model.UpdateFilePayload{File: file}
	return p, refuse(&p.UserErrors, err)
}
