package mounts

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/copies"
)

// maxParallel is how many files of a folder are copied concurrently from one storage to another.
const maxParallel = 8

// Copy implements storage.Store. Within one storage, that storage copies; between two storages, the files are copied
// one by one.
func (t *Tree) Copy(ctx context.Context, from, to storage.Key) error {
	p, target, err := t.pair(from, to, t.checkCopied)
	if err != nil {
		return err
	}
	if p == target {
		return t.within(ctx, p, from, to, storage.Store.Copy)
	}
	_, err = t.copyAcross(ctx, from, to)
	return err
}

// Move implements storage.Store. Within one storage, that storage moves. Between two storages, the files are copied
// and verified, and then the copied versions are deleted. Files that another writer replaces or adds in the meantime
// stay at the old path. After a crash between the two steps, both exist.
func (t *Tree) Move(ctx context.Context, from, to storage.Key) error {
	p, target, err := t.pair(from, to, func(k storage.Key) error { return storage.CheckTake(t, k) })
	if err != nil {
		return err
	}
	if p == target {
		return t.within(ctx, p, from, to, storage.Store.Move)
	}
	c, err := t.copyAcross(ctx, from, to)
	if err != nil {
		return err
	}
	return c.removeSources(context.WithoutCancel(ctx))
}

// pair checks the paths of a copy or move, and returns their parts. The main storage rejects the root.
func (t *Tree) pair(from, to storage.Key, check func(storage.Key) error) (source, target *part, err error) {
	source, _ = t.locate(from)
	target, _ = t.locate(to)
	if from == "" || to == "" {
		return t.main, t.main, nil
	}
	if err := check(from); err != nil {
		return nil, nil, err
	}
	return source, target, t.checkPut(to)
}

// checkCopied rejects copying a whole mount, which would include its trash.
func (t *Tree) checkCopied(k storage.Key) error {
	if t.isMount(k) {
		return storage.CheckTake(t, k)
	}
	return nil
}

func (t *Tree) within(
	ctx context.Context,
	p *part,
	from, to storage.Key,
	do func(storage.Store, context.Context, storage.Key, storage.Key) error,
) error {
	_, source := t.locate(from)
	_, target := t.locate(to)
	if p == t.main {
		source, target = from, to
	}
	return p.call(ctx, func(ctx context.Context, s storage.Store) error { return do(s, ctx, source, target) })
}

// crossCopy is a copy from one storage to another.
type crossCopy struct {
	*Tree
	mu      sync.Mutex
	sources []storage.Stat // versions that were copied
	made    []storage.Stat // their copies
	folders []storage.Key  // folders of the source, each before its content
	created []storage.Key  // of the target
}

// copyAcross copies a file, or a folder file by file; after an error, the copies are removed. It skips symbolic links
// to folders.
func (t *Tree) copyAcross(ctx context.Context, from, to storage.Key) (*crossCopy, error) {
	c := &crossCopy{Tree: t}
	st, err := t.Stat(ctx, from)
	if err != nil {
		return nil, err
	}
	if st.IsFolder {
		// Of two concurrent copies to this name, one fails to create the folder.
		if err := t.CreateFolder(ctx, to); err != nil {
			return nil, err
		}
		c.created = append(c.created, to)
		err = c.folder(ctx, from, to)
	} else {
		err = c.file(ctx, from, to)
	}
	if err != nil {
		return nil, errors.Join(err, c.undo(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// folder copies the content of a folder.
func (c *crossCopy) folder(ctx context.Context, from, to storage.Key) error {
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	err := c.walk(
		parallel, from, to,
		func(from, to storage.Key) { group.Go(func() error { return c.file(parallel, from, to) }) },
	)
	if failed := group.Wait(); failed != nil {
		return failed
	}
	return err
}

// walk creates the folders and calls do for each file.
func (c *crossCopy) walk(ctx context.Context, from, to storage.Key, do func(from, to storage.Key)) error {
	c.folders = append(c.folders, from)
	for e, err := range c.List(ctx, from, storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return err
		}
		target := to.Join(e.Key.Name())
		switch {
		case e.Linked:
		case !e.IsFolder:
			do(e.Key, target)
		default:
			if err := c.CreateFolder(ctx, target); err != nil {
				return err
			}
			c.created = append(c.created, target)
			if err := c.walk(ctx, e.Key, target, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// file copies a file. If the copy is damaged, undo removes it with the others.
func (c *crossCopy) file(ctx context.Context, from, to storage.Key) error {
	one, err := copies.File(ctx, c, from, c, to, false)
	if one.Made.Key != "" {
		c.mu.Lock()
		c.sources, c.made = append(c.sources, one.Source), append(c.made, one.Made)
		c.mu.Unlock()
	}
	return err
}

// undo removes the copies.
func (c *crossCopy) undo(ctx context.Context) error {
	err := c.removeFiles(ctx, c.made)
	return errors.Join(err, c.removeEmpty(ctx, c.created))
}

// removeSources removes the versions that were copied, and then the folders that are empty.
func (c *crossCopy) removeSources(ctx context.Context) error {
	if err := c.removeFiles(ctx, c.sources); err != nil {
		return err
	}
	return c.removeEmpty(ctx, c.folders)
}

// removeFiles removes the given versions. Files that were replaced stay.
func (c *crossCopy) removeFiles(ctx context.Context, list []storage.Stat) error {
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for _, s := range list {
		group.Go(func() error {
			err := c.deleteVersion(parallel, s)
			if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Conflict {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

// removeEmpty removes the folders that are empty, from the last to the first.
func (c *crossCopy) removeEmpty(ctx context.Context, folders []storage.Key) error {
	for _, k := range slices.Backward(folders) {
		empty, err := storage.IsEmpty(ctx, c, k)
		if err == nil && empty {
			err = c.Delete(ctx, k)
		}
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}
