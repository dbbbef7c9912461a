package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// maxBulk is the most files and folders of one call.
const maxBulk = 1000

// BulkResult is what became of one file or folder of a call about many.
type BulkResult struct {
	Path    string       // as it was asked for; an id where ids were
	File    *FileItem    // as it is now; nil when it is gone, or after an error
	Trashed *TrashedFile // nil when it is not in the trash
	Tagged  *File        // of TagFiles
	Err     error        // nil: it was done
}

// each does something to each path in their order. One that fails stops no other. fault.Invalid when there are too many.
func (g *Gallery) each(ctx context.Context, paths []string, field string, do func(path string, r *BulkResult) error) ([]*BulkResult, error) {
	if len(paths) > maxBulk {
		return nil, fault.OnField(fault.Invalid, field, "%d %s, expected at most %d in one call", len(paths), field, maxBulk)
	}
	list := make([]*BulkResult, len(paths))
	for i, p := range paths {
		r := &BulkResult{Path: p}
		if err := ctx.Err(); err != nil {
			r.Err = fault.Wrap(err, fault.Timeout, "the request ended before it was its turn")
		} else {
			r.Err = do(p, r)
		}
		if fault.CodeOf(r.Err) == fault.Internal {
			g.log.ErrorContext(ctx, "one of many", "requestId", fault.RequestID(ctx), "path", p, "error", r.Err)
		}
		list[i] = r
	}
	return list, nil
}

// TrashFiles moves files and folders to the trash.
func (g *Gallery) TrashFiles(ctx context.Context, paths []string) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) (err error) {
		r.Trashed, err = g.TrashFile(ctx, p)
		return err
	})
}

// DeleteFiles does what DeleteFile does to each.
func (g *Gallery) DeleteFiles(ctx context.Context, paths []string) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) (err error) {
		r.Trashed, err = g.delete(ctx, p)
		return err
	})
}

// RestoreFiles moves what the trash holds under these ids back.
func (g *Gallery) RestoreFiles(ctx context.Context, ids []string, policy ConflictPolicy) ([]*BulkResult, error) {
	return g.each(ctx, ids, "ids", func(id string, r *BulkResult) (err error) {
		r.File, err = g.RestoreFile(ctx, id, policy)
		return err
	})
}

// PurgeFiles removes what the trash holds under these ids for good.
func (g *Gallery) PurgeFiles(ctx context.Context, ids []string) ([]*BulkResult, error) {
	return g.each(ctx, ids, "ids", func(id string, _ *BulkResult) error { return g.PurgeFile(ctx, id) })
}

// MoveFiles moves files and folders into a folder, which is made as needed.
func (g *Gallery) MoveFiles(ctx context.Context, paths []string, folder string, policy ConflictPolicy) ([]*BulkResult, error) {
	return g.into(ctx, paths, folder, policy, g.MoveFile)
}

// CopyFiles copies files and folders into a folder, which is made as needed.
func (g *Gallery) CopyFiles(ctx context.Context, paths []string, folder string, policy ConflictPolicy) ([]*BulkResult, error) {
	return g.into(ctx, paths, folder, policy, g.CopyFile)
}

func (g *Gallery) into(ctx context.Context, paths []string, folder string, policy ConflictPolicy, do func(ctx context.Context, from, to string) error) ([]*BulkResult, error) {
	into, err := folderKey(folder)
	if err != nil {
		return nil, err
	}
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) error {
		from, err := ParseWritable(p, "path")
		if err != nil {
			return err
		}
		target := into.Join(from.Name())
		if policy == ConflictReplace && target.Holds(from) {
			return fault.OnField(fault.Conflict, "path", "%s lies in what it would replace, or is that itself", from)
		}
		if policy == ConflictReplace && from.Holds(target) {
			return fault.OnField(fault.Invalid, "path", "%s cannot go into itself", from)
		}
		err = g.settle(ctx, target, policy, func(k storage.Key) error {
			target = k
			return fault.WithField(do(ctx, string(from), string(k)), "path")
		})
		if err != nil {
			return err
		}
		r.File, err = g.StatFile(context.WithoutCancel(ctx), string(target))
		return err
	})
}

// folderKey parses the path of a folder that something is put into; the root too.
func folderKey(p string) (storage.Key, error) {
	if k, err := storage.ParseKey(p); err == nil && k == "" {
		return k, nil
	}
	return ParseWritable(p, "folder")
}

// OK reports whether it was done.
func (r *BulkResult) OK() bool { return r.Err == nil }
