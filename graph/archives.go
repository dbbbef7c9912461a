package graph

import (
	"context"

	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/graph/model"
)

// CreateArchive answers createArchive.
func (m mutation) CreateArchive(ctx context.Context, in model.CreateArchiveInput) (*model.CreateArchivePayload, error) {
	var made *archive.Archive
	made, err := m.rules.Archives.Create(ctx, in.Paths, value(in.Name.Value()))
	if err != nil {
		made = nil
	}
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.CreateArchivePayload{Archive: made, UserErrors: refused}, nil
}
