package graph

import (
	"context"

	"github.com/safelight/safelight/graph/model"
)

// TrashedFiles resolves trashedFiles.
func (q query) TrashedFiles(ctx context.Context, first *int32, after *string) (*model.TrashedFileConnection, error) {
	last, err := trashCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.TrashedFiles(ctx, sizeOf(first, defaultPage), last)
	return connection(p, trashCursors, err)
}

// RestoreFiles resolves restoreFiles.
func (m mutation) RestoreFiles(ctx context.Context, in model.RestoreFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.RestoreFiles(ctx, in.Ids, in.OnConflict))
}

// PurgeFiles resolves purgeFiles.
func (m mutation) PurgeFiles(ctx context.Context, in model.PurgeFilesInput) (*model.BulkPayload, error) {
	return bulk(m.rules.Gallery.PurgeFiles(ctx, in.Ids))
}

// EmptyTrash resolves emptyTrash.
func (m mutation) EmptyTrash(ctx context.Context) (*model.EmptyTrashPayload, error) {
	n, err := m.rules.Gallery.EmptyTrash(ctx)
	p := &model.EmptyTrashPayload{PurgedCount: count(n)}
	return p, refuse(&p.UserErrors, err)
}
