package graph

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/templates"
)

// File answers file.
func (q query) File(ctx context.Context, path, id *string) (*gallery.File, error) {
	if (path == nil) == (id == nil) {
		return nil, fault.OnField(fault.Invalid, "path", "expected one of path and id")
	}
	if path != nil {
		return q.rules.Gallery.File(ctx, *path)
	}
	node, err := q.rules.Gallery.NodeByID(ctx, *id)
	if err != nil {
		return nil, err
	}
	f, ok := node.(*gallery.File)
	if !ok {
		return nil, fault.OnField(fault.NotFound, "id", "no file has this id")
	}
	return f, nil
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
	if userID, err := uuid.Parse(id); err == nil {
		return q.userNode(ctx, userID)
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

// ListFiles answers listFiles.
func (q query) ListFiles(ctx context.Context, path string, offset, limit *int32, onlyFiles, onlyFolders *bool, extensions *string, showHidden *bool, sortBy *gallery.SortBy, sortOrder *model.SortOrder) (*gallery.FileList, error) {
	if value(limit) > maxLimit {
		return nil, fault.OnField(fault.Invalid, "limit", "limit is %d, expected 0 to %d; skip entries by offset", *limit, maxLimit)
	}
	if value(limit) == 0 {
		all := int32(maxLimit)
		limit = &all
	}
	o := gallery.ListFilesOptions{
		Offset: int(value(offset)), Limit: int(*limit), OnlyFiles: value(onlyFiles), OnlyFolders: value(onlyFolders),
		ShowHidden: value(showHidden), SortBy: value(sortBy), Descending: value(sortOrder) == model.SortOrderDesc,
	}
	for e := range strings.SplitSeq(value(extensions), ",") {
		if e = strings.TrimSpace(e); e != "" {
			o.Extensions = append(o.Extensions, e)
		}
	}
	return q.rules.Gallery.ListFiles(ctx, path, o)
}

// StatFile answers statFile.
func (q query) StatFile(ctx context.Context, path string) (*gallery.FileItem, error) {
	return q.rules.Gallery.StatFile(ctx, path)
}

type fileLists struct{}

// TotalCount answers FileList.totalCount.
func (fileLists) TotalCount(_ context.Context, l *gallery.FileList) (int32, error) {
	return count(l.TotalCount), nil
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
