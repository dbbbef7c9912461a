package gallery

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/search"
)

// Folder is a folder of the gallery.
type Folder struct {
	row    *ent.Entry
	loader *loader
}

// IsNode implements the interface Node of the API.
func (*Folder) IsNode() {}

// ID returns the opaque id.
func (f *Folder) ID() string { return nodeID("Folder", f.row.ID) }

// Path returns the path; empty for the root.
func (f *Folder) Path() string { return f.row.Path }

// Name returns the last part of the path; empty for the root.
func (f *Folder) Name() string { return f.row.Name }

// ModifiedAt returns when the folder was last changed. It is nil if the storage does not know, or if the
// caller may not see everything in the folder.
func (f *Folder) ModifiedAt(ctx context.Context) (*time.Time, error) {
	scope, err := f.loader.g.Access.Scope(ctx)
	if err != nil || f.row.Modified == 0 || !scope.Sees(f.row.Path) {
		return nil, err
	}
	t := timeOf(f.row.Modified)
	return &t, nil
}

// Parent returns the folder that contains the folder, or nil for the root.
func (f *Folder) Parent(ctx context.Context) (*Folder, error) {
	all, err := f.loader.folders(ctx)
	return all[f.row.ParentID], err
}

// HasFolders reports whether the folder contains visible folders, as indexed.
func (f *Folder) HasFolders(ctx context.Context) (bool, error) {
	scope, err := f.loader.g.Access.Scope(ctx)
	if err != nil || !scope.Sees(f.row.Path) {
		return len(scope.Below(f.row.Path)) > 0, err
	}
	all, err := f.loader.branches.get(func() ([]int, error) { return f.loader.withFolders(ctx) })
	return slices.Contains(all, f.row.ID), err
}

// TotalFiles counts the indexed files in the folder at any depth, except hidden files.
func (f *Folder) TotalFiles(ctx context.Context) (int32, error) {
	where, err := f.all(ctx)
	if err != nil {
		return 0, err
	}
	n, _, err := where.Count(ctx, kindFile, true, true)
	return int32(min(n, math.MaxInt32)), err
}

// TotalSize returns the total size in bytes of the files that TotalFiles counts.
func (f *Folder) TotalSize(ctx context.Context) (int64, error) {
	where, err := f.all(ctx)
	if err != nil {
		return 0, err
	}
	return where.Size(ctx)
}

// all selects the entries in the folder, at any depth, that the caller may see.
func (f *Folder) all(ctx context.Context) (*search.Conditions, error) {
	scope, err := f.loader.g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	where := search.New(f.loader.g.db, scope)
	where.In(f.row, true)
	return where, nil
}
