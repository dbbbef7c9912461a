package gallery

import (
	"context"
	"io"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// CreateFile writes a file atomically, indexes it, and makes the caller its owner. It returns
// fault.RateLimited if a quota would be exceeded.
func (g *Gallery) CreateFile(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (s storage.Stat, err error) {
	write := change{what: intent.ChangeWrite, source: k,
		store: func(ctx context.Context) (err error) {
			if err := g.index.deleteOrphan(ctx, k); err != nil {
				return err
			}
			s, err = g.store.Create(ctx, k, r, o)
			return err
		},
		index: func(ctx context.Context, db *ent.Client) error {
			if err := g.index.indexFile(ctx, db, found{Stat: s}); err != nil {
				return err
			}
			return setOwner(ctx, db, entry.Path(string(k)))
		},
	}
	return s, g.Stored.Write(ctx, string(k), r, func() error { return g.change(ctx, write) })
}

// ClaimFile makes the caller the owner of a file without an owner: the server that wrote it stopped before it
// recorded the owner. It returns fault.NotFound if the file does not exist.
func (g *Gallery) ClaimFile(ctx context.Context, k storage.Key) error {
	row, err := g.index.entry(ctx, string(k)) // indexes the file, if healing has not done so
	if err != nil {
		return err
	}
	return database.Translate(setOwner(ctx, g.db.Client, entry.ID(row.ID), entry.OwnerIDIsNil()))
}

// DeleteFile deletes a file, or a folder with its content. If Config.Trash is set, it moves them to the
// trash.
func (g *Gallery) DeleteFile(ctx context.Context, p string) error {
	_, err := g.delete(ctx, p)
	return err
}

// delete is DeleteFile. It returns the item in the trash, or nil if the file was deleted permanently.
func (g *Gallery) delete(ctx context.Context, p string) (*TrashedFile, error) {
	k, err := g.Editable(ctx, p, "path")
	if err != nil {
		return nil, err
	}
	if g.config.Trash {
		return g.trash(ctx, k)
	}
	return nil, g.RemoveFile(ctx, k)
}

// RemoveFile permanently deletes a file, or a folder with its content.
func (g *Gallery) RemoveFile(ctx context.Context, k storage.Key) error {
	return g.change(
		database.Essential(ctx),
		change{what: intent.ChangeDelete, source: k, action: audit.ActionFileDelete,
			store: func(ctx context.Context) error {
				if err := g.store.Delete(ctx, k); err != nil {
					return err
				}
				return g.index.deleteSidecar(context.WithoutCancel(ctx), k)
			},
			index: func(ctx context.Context, db *ent.Client) error {
				if err := g.index.leaveTrashed(ctx, db, k); err != nil {
					return err
				}
				if err := g.index.removeRows(ctx, db, k); err != nil {
					return err
				}
				return g.Access.Forget(ctx, db, string(k))
			},
		},
	)
}

// CreateFolder creates an empty folder and its missing parents. It returns fault.Conflict if the folder
// exists.
func (g *Gallery) CreateFolder(ctx context.Context, p string) error {
	k, err := g.Editable(ctx, p, "path")
	if err == nil {
		err = g.checkNewNames(ctx, k, "path")
	}
	if err != nil {
		return err
	}
	return g.change(ctx, change{what: intent.ChangeWrite, source: k, action: audit.ActionFolderCreate,
		store: func(ctx context.Context) error { return g.store.CreateFolder(ctx, k) },
		index: func(ctx context.Context, db *ent.Client) error {
			if err := g.index.leaveTrashed(ctx, db, k); err != nil { // trashed items of a removed folder of this name
				return err
			}
			_, err := g.index.folderID(ctx, db, k)
			return err
		},
	})
}

// CopyFile copies a file or folder with its notes. The caller owns the copies. It returns fault.Conflict if
// the destination exists, and fault.RateLimited if a quota would be exceeded.
func (g *Gallery) CopyFile(ctx context.Context, from, to string) error {
	source, target, err := g.pair(ctx, from, to, g.checkView)
	if err != nil {
		return err
	}
	var made found // set for a file
	err = g.Stored.Copy(ctx, g.index.isWithin(source), func() error {
		return g.change(
			ctx,
			change{what: intent.ChangeCopy, source: source, target: target, action: audit.ActionFileCopy,
				store: func(ctx context.Context) error {
					if err := g.store.Copy(ctx, source, target); err != nil {
						return onSourceOrTarget(err)
					}
					ctx = context.WithoutCancel(ctx)
					if err := g.withSidecar(ctx, source, target, g.store.Copy); err != nil {
						return err
					}
					made = g.index.copiedFile(ctx, target)
					return nil
				},
				index: func(ctx context.Context, db *ent.Client) error {
					if made.Key == "" {
						return g.index.invalidate(ctx, db, target)
					}
					if err := g.index.indexFile(ctx, db, made); err != nil {
						return err
					}
					return setOwner(ctx, db, entry.Path(string(target)))
				},
			},
		)
	})
	if err != nil || made.Key != "" {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err = g.index.syncTree(ctx, target.Parent(), target); err == nil {
		err = setOwner(ctx, g.db.Client, g.index.isWithin(target))
	}
	if err != nil {
		// The copy exists, as requested. Its folders are read when they are opened.
		g.log.WarnContext(ctx, "the index does not contain a copy yet", "target", string(target), "error", err)
	}
	return nil
}

// MoveFile moves or renames a file or folder. It returns fault.Conflict if the destination exists.
func (g *Gallery) MoveFile(ctx context.Context, from, to string) error {
	source, target, err := g.pair(ctx, from, to, g.checkEdit)
	if err != nil {
		return err
	}
	return g.change(ctx, change{what: intent.ChangeMove, source: source, target: target, action: audit.ActionFileMove,
		store: func(ctx context.Context) error {
			if err := g.store.Move(ctx, source, target); err != nil {
				return onSourceOrTarget(err)
			}
			return g.withSidecar(context.WithoutCancel(ctx), source, target, g.store.Move)
		},
		index: func(ctx context.Context, db *ent.Client) error {
			return g.followMove(ctx, db, source, target)
		},
	})
}

// copiedFile describes a file that was just copied, with its notes. It returns zero for a folder, and if the
// storage does not respond.
func (x *index) copiedFile(ctx context.Context, k storage.Key) found {
	st, err := x.store.Stat(ctx, k)
	if err != nil || st.IsFolder {
		return found{}
	}
	n, err := x.readSidecar(storage.FilesOnly(ctx), k)
	if err != nil {
		return found{}
	}
	return found{st, n}
}

// followMove updates the index after a move.
func (g *Gallery) followMove(ctx context.Context, db *ent.Client, source, target storage.Key) error {
	if err := g.index.moveRows(ctx, db, source, target); err != nil {
		return err
	}
	if storage.IsAtomic(g.store, source, target) {
		return nil
	}
	return g.index.invalidate(ctx, db, target) // a bucket moves by copying: modification times change
}

// pair parses the paths of a copy or move, and rejects invalid ones before an intent is stored. may checks
// the caller's right on the source.
func (g *Gallery) pair(
	ctx context.Context, from, to string, may func(context.Context, storage.Key) error,
) (source, target storage.Key, err error) {
	if source, err = ParseVisible(from, "sourcePath"); err != nil {
		return "", "", err
	}
	if err := may(ctx, source); err != nil {
		return "", "", fault.WithField(err, "sourcePath")
	}
	if target, err = g.Editable(ctx, to, "destPath"); err != nil {
		return "", "", err
	}
	check, k := g.checkNewNames, target
	if CheckNewName(source.Name(), "") != nil { // it is kept, or a number is added to it
		check, k = g.checkNewFolders, target.Parent()
	}
	if err := check(ctx, k, "destPath"); err != nil {
		return "", "", err
	}
	if !storage.IsAtomic(g.store, source, target) {
		return source, target, nil // a bucket checks this itself, and each check costs a request
	}
	if _, err := g.store.Stat(ctx, source); err != nil {
		return "", "", fault.WithField(err, "sourcePath")
	}
	if source != target && source.Holds(target) {
		return "", "", fault.OnField(fault.Invalid, "destPath", "%s cannot be moved or copied into itself", source)
	}
	if _, err := g.store.Stat(ctx, target); err == nil {
		return "", "", fault.OnField(fault.Conflict, "destPath", "%s exists already", target)
	} else if !isMissing(err) {
		return "", "", fault.WithField(err, "destPath")
	}
	return source, target, nil
}

// onSourceOrTarget adds the name of the argument to the error of a copy or move that the storage rejected.
func onSourceOrTarget(err error) error {
	if isMissing(err) {
		return fault.WithField(err, "sourcePath")
	}
	return fault.WithField(err, "destPath")
}

// withSidecar applies the change of a file to its sidecar, too. It overwrites a sidecar at the target, which
// is a leftover of a deleted file.
func (g *Gallery) withSidecar(
	ctx context.Context,
	source, target storage.Key,
	do func(context.Context, storage.Key, storage.Key) error,
) error {
	ctx = storage.FilesOnly(ctx)
	err := do(ctx, sidecarKey(source), sidecarKey(target))
	if fault.CodeOf(err) == fault.Conflict {
		if err := g.index.deleteSidecar(ctx, target); err != nil {
			return err
		}
		err = do(ctx, sidecarKey(source), sidecarKey(target))
	}
	if isMissing(err) {
		return nil
	}
	return err
}

// syncTree syncs a folder with the storage, and top recursively. top is the folder itself or an entry of it.
func (x *index) syncTree(ctx context.Context, folder, top storage.Key) error {
	row, err := x.syncFolder(ctx, folder)
	if err != nil {
		return err
	}
	return x.eachFolder(ctx, row, func(k storage.Key) error {
		if !top.Holds(k) {
			return nil
		}
		return x.syncTree(ctx, k, k)
	})
}
