package graph

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// TrashedFiles answers trashedFiles.
func (q query) TrashedFiles(ctx context.Context, first *int32, after *string) (*gallery.TrashPage, error) {
	before, err := parseTrashCursor(after)
	if err != nil {
		return nil, err
	}
	n := 50
	if first != nil {
		n = int(*first)
	}
	return q.rules.Gallery.TrashedFiles(ctx, n, before)
}

// trashMark is the prefix of trash cursors, so that cursors of other connections are rejected.
const trashMark = "trash:"

func trashCursor(t *gallery.TrashedFile) string {
	return base64.RawURLEncoding.EncodeToString([]byte(trashMark + t.ID))
}

// parseTrashCursor decodes a cursor to an id; empty without one.
func parseTrashCursor(text *string) (string, error) {
	if text == nil {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(*text)
	id, ours := strings.CutPrefix(string(data), trashMark)
	if err != nil || !ours || id == "" || strings.ContainsRune(id, 0) {
		return "", fault.OnField(fault.Invalid, "after", "the cursor does not belong to the trash, expected pageInfo.endCursor of the previous page")
	}
	return id, nil
}

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
	info := &gallery.PageInfo{HasNextPage: p.More, HasPreviousPage: p.Later}
	if n := len(p.Items); n > 0 {
		start, end := trashCursor(p.Items[0]), trashCursor(p.Items[n-1])
		info.StartCursor, info.EndCursor = &start, &end
	}
	return info, nil
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
