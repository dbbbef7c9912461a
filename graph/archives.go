package graph

import (
	"context"

	"github.com/safelight/safelight/graph/model"
)

// CreateArchive answers createArchive.
func (m mutation) CreateArchive(ctx context.Context, in model.CreateArchiveInput) (*model.CreateArchivePayload, error) {
	made, err := m.rules.Archives.Create(ctx, in.Paths, value(in.Name.Value()))
	p := &model.CreateArchivePayload{Archive: made}
	return p, refuse(&p.UserErrors, err)
}
