package gallery

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// purgeBatch is how many rows of the trash are loaded at a time.
const purgeBatch = 100

// leftoverAge is the age at which an item without bytes is abandoned.
const leftoverAge = time.Hour

// SweepTrash syncs the rows of the trash with the storage, and purges items older than Config.TrashRetention. It returns how many
// it purged.
func (g *Gallery) SweepTrash(ctx context.Context) (int, error) {
	if err := g.readTrash(ctx); err != nil {
		return 0, err
	}
	if g.config.TrashRetention == 0 {
		return 0, nil
	}
	return g.purgeUntil(ctx, g.config.Now().Add(-g.config.TrashRetention).UnixNano())
}

// readTrash syncs the rows of the trash with its folders, which differ after a crash or with a new database.
func (g *Gallery) readTrash(ctx context.Context) error {
	ids, err := g.db.TrashItem.Query().IDs(ctx)
	if err != nil {
		return database.Translate(err)
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for e, err := range storage.Each(ctx, g.store, trashRoot, storage.ListOptions{ShowHidden: true}) {
		if isMissing(err) {
			break
		}
		if err != nil {
			return err
		}
		id := e.Key.Name()
		if !known[id] && e.IsFolder {
			if err := g.readTrashed(ctx, id); err != nil {
				return err
			}
		}
		delete(known, id)
	}
	for id := range known {
		if err := g.removeMissingTrashed(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// readTrashed inserts the missing row of an item, or removes an abandoned folder. Content that it cannot parse stays.
func (g *Gallery) readTrashed(ctx context.Context, id string) error {
	about, err := g.readTrashInfo(ctx, id)
	if err != nil || about == nil {
		return err
	}
	k := trashedKey(id, storage.Key(about.Path).Name())
	busy, err := g.db.Intent.Query().Where(intent.Or(intent.Source(string(k)), intent.Target(string(k)))).Exist(ctx)
	if err != nil || busy {
		return database.Translate(err)
	}
	_, err = g.store.Stat(ctx, k)
	switch {
	case err == nil:
		return database.Translate(addTrashItem(ctx, g.db.Client, id, *about))
	case !isMissing(err):
		return err
	case g.config.Now().Sub(about.TrashedAt) < leftoverAge:
		return nil
	}
	page, err := g.store.List(ctx, k.Parent(), storage.ListOptions{ShowHidden: true})
	if err != nil && !isMissing(err) || len(page.Entries) > 0 {
		return err
	}
	if err := g.store.Delete(ctx, trashFolder(id)); err != nil && !isMissing(err) {
		return err
	}
	return nil
}

// readTrashInfo reads about.json; nil if it is missing or cannot be parsed.
func (g *Gallery) readTrashInfo(ctx context.Context, id string) (*trashInfo, error) {
	o, err := g.store.Open(ctx, trashInfoKey(id))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	b, err := io.ReadAll(io.LimitReader(o, maxSidecar))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the trash cannot be read")
	}
	var a trashInfo
	if err := json.Unmarshal(b, &a); err != nil {
		g.log.WarnContext(ctx, "an item of the trash cannot be parsed", "path", string(trashInfoKey(id)), "error", err)
		return nil, nil
	}
	if k, err := ParseWritable(a.Path, "path"); err != nil || string(k) != a.Path {
		g.log.WarnContext(ctx, "an item of the trash cannot be parsed", "path", string(trashInfoKey(id)))
		return nil, nil
	}
	return &a, nil
}

// removeMissingTrashed removes the row of an item that the storage does not have.
func (g *Gallery) removeMissingTrashed(ctx context.Context, id string) error {
	if _, err := g.store.Stat(ctx, trashFolder(id)); !isMissing(err) {
		return err // it was created since
	}
	if err := g.index.removeRows(ctx, g.db.Client, trashFolder(id)); err != nil {
		return database.Translate(err)
	}
	_, err := g.db.TrashItem.Delete().Where(trashitem.ID(id)).Exec(ctx)
	return database.Translate(err)
}

// KeepTrash sweeps at once and then every hour until ctx ends.
func (g *Gallery) KeepTrash(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		n, err := g.SweepTrash(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			g.log.WarnContext(ctx, "the trash is not swept", "error", err)
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
