package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// IndexStatus resolves indexStatus.
func (q query) IndexStatus(ctx context.Context) (*gallery.IndexStatus, error) {
	return q.rules.Gallery.IndexStatus(ctx)
}

// Rescan resolves rescan.
func (m mutation) Rescan(ctx context.Context, in model.RescanInput) (*model.RescanPayload, error) {
	scan, err := m.rules.Gallery.Rescan(ctx, value(in.Path.Value()))
	p := &model.RescanPayload{Scan: scan}
	return p, refuse(&p.UserErrors, err)
}
