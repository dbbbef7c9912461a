package gallery

import (
	"context"
	"errors"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// leftoverAge is the age at which an item without content counts as abandoned.
const leftoverAge = time.Hour

// SweepTrash syncs the rows of the trash with the storage, and purges items older than Config.TrashRetention. It
// returns how many it purged. It skips mounts that are down or read-only.
func (g *Gallery) SweepTrash(ctx context.Context) (int, error) {
	kept, failed := g.readTrash(ctx)
	if kept == nil || g.config.TrashRetention == 0 {
		return 0, failed
	}
	for _, m := range storage.Mounts(g.store) {
		if m.ReadOnly { // its trash may contain items from when it was writable
			kept[m.Name] = true
		}
	}
	n, err := g.purgeUntil(ctx, g.config.Now().Add(-g.config.TrashRetention).UnixNano(), kept)
	return n, errors.Join(failed, err)
}

// readTrash syncs the rows of the trash with its folders. They differ after a crash or with a new database.
// It returns the mounts that could not be read.
func (g *Gallery) readTrash(ctx context.Context) (down map[storage.Key]bool, failed error) {
	ids, err := g.db.TrashItem.Query().IDs(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	down = map[storage.Key]bool{}
	for _, m := range storage.Mounts(g.store) {
		if err := g.readTrashOf(ctx, m, known); err != nil {
			down[m.Name], failed = true, errors.Join(failed, err)
		}
	}
	for id := range known {
		if !down[trashMount(id)] {
			failed = errors.Join(failed, g.removeMissingTrashed(ctx, id))
		}
	}
	return down, failed
}

// readTrashOf adds the rows of the items in one part of the storage, and deletes existing items from known.
func (g *Gallery) readTrashOf(ctx context.Context, m storage.Mount, known map[string]bool) error {
	for e, err := range g.store.List(ctx, trashRoot(m.Name), storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return ignoreMissing(err)
		}
		id := trashIDOf(e.Key, m.Name)
		if id != "" && !known[id] && e.IsFolder && !m.ReadOnly {
			if err := g.readTrashed(ctx, id); err != nil {
				return err
			}
		}
		delete(known, id)
	}
	return nil
}

// readTrashed inserts the missing row of an item, or removes an abandoned folder. It keeps content that it
// cannot parse.
func (g *Gallery) readTrashed(ctx context.Context, id string) error {
	about, err := readAbout(ctx, g.store, id)
	if fault.CodeOf(err) == fault.Invalid {
		g.log.WarnContext(ctx, "an item of the trash cannot be read and is left as it is", "error", err)
		return nil
	}
	if err != nil || about == nil {
		return err
	}
	k := trashFile(id, storage.Key(about.Path).Name())
	busy, err := g.db.Intent.Query().Where(intent.Or(intent.Source(string(k)), intent.Target(string(k)))).Exist(ctx)
	if err != nil || busy {
		return database.Translate(err)
	}
	_, err = g.store.Stat(ctx, k)
	switch {
	case err == nil:
		return g.db.Once(ctx, func(db *ent.Client) error { return g.addTrashItem(ctx, db, id, *about) })
	case !isMissing(err):
		return err
	case g.config.Now().Sub(about.TrashedAt) < leftoverAge:
		return nil
	}
	empty, err := storage.IsEmpty(ctx, g.store, k.Parent())
	if err != nil && !isMissing(err) || err == nil && !empty {
		return err
	}
	if err := g.store.Delete(ctx, trashFolder(id)); err != nil && !isMissing(err) {
		return err
	}
	return nil
}

// removeMissingTrashed removes the row of an item that does not exist in the storage.
func (g *Gallery) removeMissingTrashed(ctx context.Context, id string) error {
	if _, err := g.store.Stat(ctx, trashFolder(id)); !isMissing(err) {
		return err // the item was created in the meantime
	}
	return g.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := g.index.removeRows(ctx, tx.Client(), trashFolder(id)); err != nil {
			return err
		}
		_, err := tx.TrashItem.Delete().Where(trashitem.ID(id)).Exec(ctx)
		return err
	})
}

// MaintainTrash sweeps the trash immediately and then every hour, until ctx ends.
func (g *Gallery) MaintainTrash(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		n, err := g.SweepTrash(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			g.log.WarnContext(ctx, "not all of the trash is swept", "error", err)
		case n > 0:
			g.log.InfoContext(ctx, "purged expired items of the trash", "count", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
