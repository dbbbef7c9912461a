package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// ListFiles answers listFiles.
func (q query) ListFiles(ctx context.Context, path string, offset, limit *int32, onlyFiles, onlyFolders *bool, extensions *string, showHidden *bool, sortBy *gallery.SortBy, sortOrder *model.SortOrder) (*gallery.FileList, error) {
	o := gallery.ListFilesOptions{
		Offset: int(value(offset)), Limit: int(value(limit)), OnlyFiles: value(onlyFiles), OnlyFolders: value(onlyFolders),
		ShowHidden: value(showHidden), SortBy: value(sortBy), Descending: value(sortOrder) == model.SortOrderDesc,
	}
	for e := range strings.SplitSeq(value(extensions), ",") {
		if e = strings.TrimSpace(e); e != "" {
			o.Extensions = append(o.Extensions, e)
		}
	}
	return q.gallery.ListFiles(ctx, path, o)
}

// StatFile answers statFile.
func (q query) StatFile(ctx context.Context, path string) (*gallery.FileItem, error) {
	return q.gallery.StatFile(ctx, path)
}

// StorageStatus answers storageStatus.
func (q query) StorageStatus(ctx context.Context) (*gallery.StorageStatus, error) {
	return q.gallery.StorageStatus(ctx)
}

// UploadFile answers uploadFile.
func (m mutation) UploadFile(ctx context.Context, path string, content graphql.Upload) (*bool, error) {
	_, err := m.gallery.UploadFile(ctx, path, content.File)
	return yes(err)
}

// DeleteFile answers deleteFile.
func (m mutation) DeleteFile(ctx context.Context, path string) (*bool, error) {
	return yes(m.gallery.DeleteFile(ctx, path))
}

// CreateFolder answers createFolder.
func (m mutation) CreateFolder(ctx context.Context, path string) (*bool, error) {
	return yes(m.gallery.CreateFolder(ctx, path))
}

// CopyFile answers copyFile.
func (m mutation) CopyFile(ctx context.Context, sourcePath, destPath string) (*bool, error) {
	return yes(m.gallery.CopyFile(ctx, sourcePath, destPath))
}

// MoveFile answers moveFile.
func (m mutation) MoveFile(ctx context.Context, sourcePath, destPath string) (*bool, error) {
	return yes(m.gallery.MoveFile(ctx, sourcePath, destPath))
}

type fileLists struct{}

// TotalCount answers FileList.totalCount.
func (fileLists) TotalCount(_ context.Context, l *gallery.FileList) (int32, error) {
	return count(l.TotalCount), nil
}
