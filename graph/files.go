package graph

import (
	"context"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
)

// File resolves file.
func (q query) File(ctx context.Context, path string) (*gallery.File, error) {
	return q.rules.Gallery.File(ctx, path)
}

// Folder resolves folder.
func (q query) Folder(ctx context.Context, path string) (*gallery.Folder, error) {
	return q.rules.Gallery.Folder(ctx, path)
}

// Files resolves files.
func (q query) Files(
	ctx context.Context,
	folder *string,
	recursive *bool,
	filter *search.Filter,
	search *string,
	sort *gallery.Sort,
	order *model.SortOrder,
	first *int32,
	after *string,
	skip *int32,
) (*gallery.FileConnection, error) {
	return q.rules.Gallery.Files(ctx, gallery.BrowseOptions{
		Folder:     value(folder),
		Recursive:  value(recursive),
		Filter:     value(filter),
		Search:     value(search),
		Sort:       value(sort),
		Descending: value(order) == model.SortOrderDesc,
		First:      first,
		After:      value(after),
		Skip:       value(skip),
	})
}

// Folders resolves folders.
func (q query) Folders(
	ctx context.Context,
	folder *string,
	recursive *bool,
	search *string,
	sort *gallery.Sort,
	order *model.SortOrder,
	first *int32,
	after *string,
) (*gallery.FolderConnection, error) {
	return q.rules.Gallery.Folders(
		ctx,
		gallery.BrowseOptions{Folder: value(folder), Recursive: value(recursive), Search: value(search),
			Sort: value(sort), Descending: value(order) == model.SortOrderDesc, First: first, After: value(after)},
	)
}

// FilesByPath resolves filesByPath.
func (q query) FilesByPath(ctx context.Context, paths []string) ([]*gallery.File, error) {
	return q.rules.Gallery.FilesByPath(ctx, paths)
}

// FoldersByID resolves foldersById.
func (q query) FoldersByID(ctx context.Context, ids []string) ([]*gallery.Folder, error) {
	return q.rules.Gallery.FoldersByID(ctx, ids)
}

// PinnedFolders resolves pinnedFolders.
func (q query) PinnedFolders(ctx context.Context) ([]*gallery.Folder, error) {
	ids, err := q.rules.Accounts.PinnedFolders(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return q.rules.Gallery.FoldersByID(ctx, ids)
}

type folders struct{ query }

// Files resolves Folder.files.
func (f folders) Files(
	ctx context.Context,
	in *gallery.Folder,
	recursive *bool,
	filter *search.Filter,
	search *string,
	sort *gallery.Sort,
	order *model.SortOrder,
	first *int32,
	after *string,
	skip *int32,
) (*gallery.FileConnection, error) {
	path := in.Path()
	return f.query.Files(ctx, &path, recursive, filter, search, sort, order, first, after, skip)
}

// Folders resolves Folder.folders.
func (f folders) Folders(
	ctx context.Context,
	in *gallery.Folder,
	recursive *bool,
	search *string,
	sort *gallery.Sort,
	order *model.SortOrder,
	first *int32,
	after *string,
) (*gallery.FolderConnection, error) {
	path := in.Path()
	return f.query.Folders(ctx, &path, recursive, search, sort, order, first, after)
}
