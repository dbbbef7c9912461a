package gallery

import (
	"context"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/storage"
)

// maxBulk is the maximum number of files and folders in one call.
const maxBulk = 1000

// BulkResult is the result for one of several files or folders.
type BulkResult struct {
	Path    string       // as requested: a path, or an id if the call took ids
	Trashed *TrashedFile // the item in the trash; nil if the file is not there
	Err     error        // nil: success

	g       *Gallery
	current storage.Stat // the entry after a move, copy or restore; zero after a deletion or an error
	updated *File        // set by TagFiles, RateFiles and changes of albums
}

// File returns the file after the change; nil for a folder, for a file that was deleted, and after an error.
func (r *BulkResult) File(ctx context.Context) (*File, error) {
	if r.updated != nil {
		return r.updated, nil
	}
	return r.g.FileOf(ctx, r.current)
}

// Folder returns the folder after the change; nil for a file, for a folder that was deleted, and after an error.
func (r *BulkResult) Folder(ctx context.Context) (*Folder, error) {
	if !r.current.IsFolder {
		return nil, nil
	}
	f, err := r.g.Folder(ctx, string(r.current.Key))
	if isMissing(err) {
		return nil, nil
	}
	return f, err
}

// maxAnswerTime limits the time that each reserves for the response.
const maxAnswerTime = 3 * time.Second

// each calls do for each path in order. A failure does not stop the others. It reserves a tenth of the request's
// remaining time for the response, at most 3 s: items that do not finish before that fail with fault.Timeout, and the
// response still says which items have changed. It returns fault.Invalid for too many paths.
func (g *Gallery) each(
	ctx context.Context,
	paths []string,
	field string,
	do func(ctx context.Context, path string, r *BulkResult) error,
) ([]*BulkResult, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-min(maxAnswerTime, time.Until(end)/10)))
		defer cancel()
	}
	if len(paths) > maxBulk {
		return nil, fault.OnField(
			fault.Invalid, field, "%d %s, expected at most %d in one call", len(paths), field, maxBulk,
		)
	}
	list := make([]*BulkResult, len(paths))
	for i, p := range paths {
		r := &BulkResult{Path: p, g: g}
		if err := ctx.Err(); err != nil {
			r.Err = fault.Wrap(err, fault.Timeout, "the request ended before this item")
		} else {
			r.Err = do(ctx, p, r)
		}
		if fault.CodeOf(r.Err) == fault.Internal {
			g.log.ErrorContext(
				ctx, "one of many files failed", "requestId", fault.RequestID(ctx), "path", p, "error", r.Err,
			)
		}
		list[i] = r
	}
	return list, nil
}

// TrashFiles moves files and folders to the trash.
func (g *Gallery) TrashFiles(ctx context.Context, paths []string) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(ctx context.Context, p string, r *BulkResult) (err error) {
		r.Trashed, err = g.TrashFile(ctx, p)
		return err
	})
}

// DeleteFiles calls DeleteFile for each path.
func (g *Gallery) DeleteFiles(ctx context.Context, paths []string) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(ctx context.Context, p string, r *BulkResult) (err error) {
		r.Trashed, err = g.delete(ctx, p)
		return err
	})
}

// RestoreFiles moves items of the trash back.
func (g *Gallery) RestoreFiles(ctx context.Context, ids []string, policy ConflictPolicy) ([]*BulkResult, error) {
	return g.each(ctx, ids, "ids", func(ctx context.Context, id string, r *BulkResult) (err error) {
		r.current, err = g.RestoreFile(ctx, id, policy)
		return err
	})
}

// PurgeFiles calls PurgeFile for each id.
func (g *Gallery) PurgeFiles(ctx context.Context, ids []string) ([]*BulkResult, error) {
	return g.each(ctx, ids, "ids", func(ctx context.Context, id string, _ *BulkResult) error {
		return g.PurgeFile(ctx, id)
	})
}

// Destination is the target of a move or copy.
type Destination struct {
	Folder     string  // created if it is missing
	Name       *string // new name of a single file or folder; nil keeps the names
	OnConflict ConflictPolicy
}

// MoveFiles moves or renames files and folders. It returns fault.Invalid for a new name with several paths.
func (g *Gallery) MoveFiles(ctx context.Context, paths []string, to Destination) ([]*BulkResult, error) {
	return g.into(ctx, paths, to, g.MoveFile)
}

// CopyFiles copies files and folders. It returns fault.Invalid for a new name with several paths.
func (g *Gallery) CopyFiles(ctx context.Context, paths []string, to Destination) ([]*BulkResult, error) {
	return g.into(ctx, paths, to, g.CopyFile)
}

func (g *Gallery) into(
	ctx context.Context,
	paths []string,
	to Destination,
	do func(ctx context.Context, from, to string) error,
) ([]*BulkResult, error) {
	into, err := folderKey(to.Folder)
	if err != nil {
		return nil, err
	}
	if err := checkNewName(to, paths); err != nil {
		return nil, err
	}
	policy := to.OnConflict
	return g.each(ctx, paths, "paths", func(ctx context.Context, p string, r *BulkResult) error {
		from, err := ParseVisible(p, "path") // do checks the caller's rights
		if err != nil {
			return err
		}
		target := into.Join(from.Name())
		if to.Name != nil {
			target = into.Join(*to.Name)
		}
		if policy == ConflictReplace {
			switch {
			case target == from:
				return fault.OnField(fault.Conflict, "path", "%s cannot replace itself", from)
			case target.Holds(from):
				return fault.OnField(fault.Conflict, "path", "%s is inside the folder that it would replace", from)
			case from.Holds(target):
				return fault.OnField(fault.Invalid, "path", "%s cannot be moved or copied into itself", from)
			}
		}
		err = g.resolveConflict(ctx, target, policy, func(k storage.Key) error {
			target = k
			return fault.WithField(do(ctx, string(from), string(k)), "path")
		})
		if err != nil {
			return err
		}
		r.current, err = g.store.Stat(context.WithoutCancel(ctx), target)
		return ignoreMissing(err) // a later change may have removed the entry again
	})
}

// checkNewName returns fault.Invalid if the new name is invalid, or if there are several paths.
func checkNewName(to Destination, paths []string) error {
	if to.Name == nil {
		return nil
	}
	if len(paths) != 1 {
		return fault.OnField(fault.Invalid, "name", "name is set for %d paths, expected a single path", len(paths))
	}
	k, err := ParseVisible(*to.Name, "name")
	if err == nil && strings.Contains(string(k), "/") {
		return fault.OnField(fault.Invalid, "name", "the name %s contains a slash, expected a name without folders", k)
	}
	return err
}

// folderKey parses the path of a destination folder; the root is allowed.
func folderKey(p string) (storage.Key, error) {
	if k, err := storage.ParseKey(p); err == nil && k == "" {
		return k, nil
	}
	return ParseVisible(p, "folder")
}

// OK reports success.
func (r *BulkResult) OK() bool { return r.Err == nil }

// TagFiles adds tags to files and removes others; all other tags stay. Tags are compared without case. It
// returns fault.Invalid for an invalid tag, and for one that is both added and removed.
func (g *Gallery) TagFiles(ctx context.Context, paths, add, remove []string) ([]*BulkResult, error) {
	retag, err := notes.Retag(add, remove)
	if err != nil {
		return nil, err
	}
	return updateFiles(ctx, g, paths, UpdateFileInput{Retag: retag})
}

// RateFiles sets the rating of files, 0 to 5, their favorite mark, or both. nil stays unchanged. It returns
// fault.Invalid for another rating, and if both are nil.
func (g *Gallery) RateFiles(ctx context.Context, paths []string, rating *int32, favorite *bool) ([]*BulkResult, error) {
	in := UpdateFileInput{Rating: rating, Favorite: favorite}
	if rating == nil && favorite == nil {
		return nil, fault.OnField(fault.Invalid, "rating", "neither rating nor favorite is given, expected one of them")
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	return updateFiles(ctx, g, paths, in)
}

// updateFiles makes the same change to each file.
func updateFiles(ctx context.Context, g *Gallery, paths []string, in UpdateFileInput) ([]*BulkResult, error) {
	return g.each(ctx, paths, "paths", func(ctx context.Context, p string, r *BulkResult) (err error) {
		one := in
		one.Path = p
		r.updated, err = g.UpdateFile(ctx, one)
		return err
	})
}
