package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// TrashedFiles answers trashedFiles.
func (q query) TrashedFiles(ctx context.Context, first *int32, after *string) (*gallery.TrashPage, error) {
	before, err := trashCursors.parse(after)
	if err != nil {
		return nil, err
	}
	n := 50
	if first != nil {
		n = int(*first)
	}
	return q.rules.Gallery.TrashedFiles(ctx, n, before)
}

func trashCursor(t *gallery.TrashedFile) string { return trashCursors.of(t.ID) }

type trashPages struct{ *resolver }

// Edges answers TrashedFileConnection.edges.
func (trashPages) Edges(_ context.Context, p *gallery.TrashPage) ([]*model.TrashedFileEdge, error) {
	edges := make([]*model.TrashedFileEdge, len(p.Items))
	for i, t := range p.Items {
		edges[i] = &model.TrashedFileEdge{Node: t, Cursor: trashCursor(t)}
	}
	return edges, nil
}

// PageInfo answers TrashedFileConnection.pageInfo.
func (trashPages) PageInfo(_ context.Context, p *gallery.TrashPage) (*gallery.PageInfo, error) {
	return pageInfo(p.Items, trashCursor, p.Later, p.More), nil
}

// TotalCount answers TrashedFileConnection.totalCount.
func (r trashPages) TotalCount(ctx context.Context, _ *gallery.TrashPage) (*int32, error) {
	n, err := r.rules.Gallery.CountTrashedFiles(ctx)
	if err != nil {
		return nil, err
	}
	c := count(n)
	return &c, nil
}

// RestoreFiles answers restoreFiles.
func (m mutation) RestoreFiles(ctx context.Context, in model.RestoreFilesInput) (*model.RestoreFilesPayload, error) {
	results, err := m.rules.Gallery.RestoreFiles(ctx, in.Ids, in.OnConflict)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RestoreFilesPayload{Results: results, UserErrors: refused}, nil
}

// PurgeFiles answers purgeFiles.
func (m mutation) PurgeFiles(ctx context.Context, in model.PurgeFilesInput) (*model.PurgeFilesPayload, error) {
	results, err := m.rules.Gallery.PurgeFiles(ctx, in.Ids)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.PurgeFilesPayload{Results: results, UserErrors: refused}, nil
}

// EmptyTrash answers emptyTrash.
func (m mutation) EmptyTrash(ctx context.Context) (*model.EmptyTrashPayload, error) {
	n, err := m.rules.Gallery.EmptyTrash(ctx)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.EmptyTrashPayload{PurgedCount: count(n), UserErrors: refused}, nil
}
