package graph

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/graph/model"
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
func (q query) Tags(ctx context.Context, first *int32, after *string) (*model.TagConnection, error) {
	last, err := parseTagCursor(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Tags(ctx, sizeOf(first, defaultPage), last)
	if err != nil {
		return nil, err
	}
	return &model.TagConnection{Nodes: p.Tags, Cursor: tagCursor, Preceded: p.Before, Followed: p.After, Count: q.rules.Gallery.CountTags}, nil
}

func tagCursor(t *gallery.Tag) string { return tagCursors.of(fmt.Sprintf("%d:%s", t.Count, t.Key)) }

// parseTagCursor decodes a cursor to the count and the key of a tag; nil without one.
func parseTagCursor(after *string) (*gallery.Tag, error) {
	text, err := tagCursors.parse(after)
	if err != nil || text == "" {
		return nil, err
	}
	number, key, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return nil, tagCursors.foreign()
	}
	return &gallery.Tag{Count: int32(n), Key: key}, nil
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
