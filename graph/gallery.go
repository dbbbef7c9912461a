package graph

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// File answers file.
func (q query) File(ctx context.Context, path, id *string) (*gallery.File, error) {
	if (path == nil) == (id == nil) {
		return nil, fault.OnField(fault.Invalid, "path", "expected one of path and id")
	}
	if path != nil {
		return q.gallery.File(ctx, *path)
	}
	node, err := q.gallery.NodeByID(ctx, *id)
	if err != nil {
		return nil, err
	}
	f, ok := node.(*gallery.File)
	if !ok {
		return nil, fault.OnField(fault.NotFound, "id", "the id is none of a file")
	}
	return f, nil
}

// Folder answers folder.
func (q query) Folder(ctx context.Context, path string) (*gallery.Folder, error) {
	return q.gallery.Folder(ctx, path)
}

// Files answers files.
func (q query) Files(ctx context.Context, folder *string, recursive *bool, filter *gallery.FileFilter, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string) (*gallery.FileConnection, error) {
	return q.gallery.Files(ctx, gallery.BrowseOptions{Folder: value(folder), Recursive: value(recursive), Filter: value(filter), Search: value(search),
		Order: value(sort), Descending: value(order) == model.SortOrderDesc, First: first, After: value(after)})
}

// Folders answers folders.
func (q query) Folders(ctx context.Context, folder *string, recursive *bool, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string) (*gallery.FolderConnection, error) {
	return q.gallery.Folders(ctx, gallery.BrowseOptions{Folder: value(folder), Recursive: value(recursive), Search: value(search),
		Order: value(sort), Descending: value(order) == model.SortOrderDesc, First: first, After: value(after)})
}

// Node answers node.
func (q query) Node(ctx context.Context, id string) (model.Node, error) {
	if userID, err := uuid.Parse(id); err == nil {
		return q.userNode(ctx, userID)
	}
	node, err := q.gallery.NodeByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return node.(model.Node), nil
}

// Tags answers tags.
func (q query) Tags(ctx context.Context) ([]*gallery.TagCount, error) { return q.gallery.Tags(ctx) }

// IndexStatus answers indexStatus.
func (q query) IndexStatus(context.Context) (*gallery.IndexStatus, error) {
	return q.gallery.IndexStatus(), nil
}

// UpdateFile answers updateFile.
func (m mutation) UpdateFile(ctx context.Context, in model.UpdateFileInput) (*model.UpdateFilePayload, error) {
	change := gallery.UpdateFileInput{Path: in.Path, Description: in.Description.Value()}
	if tags, ok := in.Tags.ValueOK(); ok && tags != nil { // null is no list of tags, to be taken for an empty one
		change.Tags = &tags
	}
	if point, ok := in.FocalPoint.ValueOK(); ok {
		change.FocalPoint = &point
	}
	file, err := m.gallery.UpdateFile(ctx, change)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.UpdateFilePayload{File: file, UserErrors: refused}, nil
}

// Rescan answers rescan.
func (m mutation) Rescan(ctx context.Context, in model.RescanInput) (*model.RescanPayload, error) {
	scan, err := m.gallery.Rescan(ctx, value(in.Path.Value()))
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RescanPayload{Scan: scan, UserErrors: refused}, nil
}
