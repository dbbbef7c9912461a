package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// CreateFolder resolves createFolder.
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
		return p, nil // it was created, but deleted since
	}
	return p, err
}

// UpdateFile resolves updateFile.
func (m mutation) UpdateFile(ctx context.Context, in model.UpdateFileInput) (*model.UpdateFilePayload, error) {
	change := gallery.UpdateFileInput{Path: in.Path, Description: in.Description.Value()}
	if tags, ok := in.Tags.ValueOK(); ok && tags != nil { // null is different from an empty list of tags
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

// PinFolder resolves pinFolder. It also removes pins of folders that no longer exist.
func (m mutation) PinFolder(ctx context.Context, in model.PinFolderInput) (*model.PinFolderPayload, error) {
	folder, err := m.rules.Gallery.Folder(ctx, in.Path)
	p := &model.PinFolderPayload{}
	if err == nil {
		err = m.pin(ctx, folder.ID(), in.Pinned)
	}
	if err == nil {
		p.Folder = folder
	}
	return p, refuse(&p.UserErrors, err)
}

func (m mutation) pin(ctx context.Context, folder string, pinned bool) error {
	pins, err := m.rules.Accounts.PinnedFolders(ctx)
	if err != nil {
		return err
	}
	gone, err := m.rules.Gallery.Gone(ctx, pins)
	if err != nil {
		return err
	}
	return m.rules.Accounts.PinFolder(ctx, folder, pinned, gone)
}
