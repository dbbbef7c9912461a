package graph

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/templates"
)

// File answers file.
func (q query) File(ctx context.Context, path string) (*gallery.File, error) {
	return q.rules.Gallery.File(ctx, path)
}

// Folder answers folder.
func (q query) Folder(ctx context.Context, path string) (*gallery.Folder, error) {
	return q.rules.Gallery.Folder(ctx, path)
}

// Files answers files.
func (q query) Files(ctx context.Context, folder *string, recursive *bool, filter *search.Filter, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string, skip *int32) (*gallery.FileConnection, error) {
	return q.rules.Gallery.Files(ctx, gallery.BrowseOptions{Folder: value(folder), Recursive: value(recursive), Filter: value(filter), Search: value(search),
		Order: value(sort), Descending: value(order) == model.SortOrderDesc, First: first, After: value(after), Skip: value(skip)})
}

// Folders answers folders.
func (q query) Folders(ctx context.Context, folder *string, recursive *bool, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string) (*gallery.FolderConnection, error) {
	return q.rules.Gallery.Folders(ctx, gallery.BrowseOptions{Folder: value(folder), Recursive: value(recursive), Search: value(search),
		Order: value(sort), Descending: value(order) == model.SortOrderDesc, First: first, After: value(after)})
}

// Node answers node.
func (q query) Node(ctx context.Context, id string) (model.Node, error) {
	if accountID, err := uuid.Parse(id); err == nil {
		return q.accountNode(ctx, accountID)
	}
	if path, ok := templates.PathOf(id); ok {
		return q.rules.Templates.Template(ctx, path)
	}
	node, err := q.rules.Gallery.NodeByID(ctx, id)
	if err == nil {
		return node.(model.Node), nil
	}
	if trashed, missing := q.rules.Gallery.TrashedFile(ctx, id); missing == nil {
		if err := needs(ctx, auth.ScopeWrite); err != nil {
			return nil, err
		}
		return trashed, nil
	}
	return nil, err
}

type folders struct{ query }

// Files answers Folder.files.
func (f folders) Files(ctx context.Context, in *gallery.Folder, recursive *bool, filter *search.Filter, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string, skip *int32) (*gallery.FileConnection, error) {
	path := in.Path()
	return f.query.Files(ctx, &path, recursive, filter, search, sort, order, first, after, skip)
}

// Folders answers Folder.folders.
func (f folders) Folders(ctx context.Context, in *gallery.Folder, recursive *bool, search *string, sort *gallery.Order, order *model.SortOrder, first *int32, after *string) (*gallery.FolderConnection, error) {
	path := in.Path()
	return f.query.Folders(ctx, &path, recursive, search, sort, order, first, after)
}

// Tags answers tags.
func (q query) Tags(ctx context.Context) ([]*gallery.TagCount, error) {
	return q.rules.Gallery.Tags(ctx)
}

// IndexStatus answers indexStatus.
func (q query) IndexStatus(context.Context) (*gallery.IndexStatus, error) {
	return q.rules.Gallery.IndexStatus(), nil
}

// Rescan answers rescan.
func (m mutation) Rescan(ctx context.Context, in model.RescanInput) (*model.RescanPayload, error) {
	scan, err := m.rules.Gallery.Rescan(ctx, value(in.Path.Value()))
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RescanPayload{Scan: scan, UserErrors: refused}, nil
}
