package gallery

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/webhooks/outbox"
)

// happening is what must be read before the index is updated, so that the change can be reported to webhooks.
type happening struct {
	to       outbox.Webhooks // webhooks that receive the change; empty: nothing is reported
	was      *ent.Entry      // row of the source; nil: it was not indexed
	isFolder bool
	trashed  storage.Key // original path of the trash item that the change purges; empty: unknown
}

// expect prepares the report of a change. db is the client of its transaction.
func (g *Gallery) expect(ctx context.Context, db *ent.Client, c intents.Change) (h happening, err error) {
	if g.config.Outbox == nil {
		return h, nil
	}
	if h.to, err = g.config.Outbox.Webhooks(ctx, db); err != nil || len(h.to) == 0 {
		return h, err
	}
	h.was, err = db.Entry.Query().Where(entry.Path(string(c.Source))).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return h, err
	}
	h.isFolder = h.was != nil && h.was.Kind == kindFolder
	if c.What == intent.ChangeDelete && isPrivate(c.Source) {
		row, err := db.TrashItem.Get(ctx, trashID(c.Source))
		if err != nil && !ent.IsNotFound(err) {
			return h, err
		}
		if row != nil {
			h.trashed = placeOf(row)
		}
	}
	return h, nil
}

// report writes the event of a change for webhooks, in the transaction that deletes its intent.
func (g *Gallery) report(ctx context.Context, db *ent.Client, c intents.Change, h happening) error {
	if len(h.to) == 0 {
		return nil
	}
	e := outbox.Event{
		Source: "file:" + string(c.Source),
		Data:   map[string]any{"actor": outbox.Actor(ctx), "isDirectory": h.isFolder},
	}
	if c.Target != "" {
		e.Target = "file:" + string(c.Target)
	}
	path, from := c.Source, storage.Key("")
	switch private := isPrivate(c.Source); c.What {
	case intent.ChangeWrite, intent.ChangeDescribe:
		e.Type = outbox.FileChanged
		if h.was == nil {
			e.Type = outbox.FileCreated
		}
	case intent.ChangeCopy:
		e.Type, path = outbox.FileCreated, c.Target
	case intent.ChangeDelete:
		e.Type = outbox.FileDeleted
		if private {
			e.Type, path = outbox.FilePurged, h.trashed
			e.Data["trashId"] = trashID(c.Source)
		}
	case intent.ChangeMove:
		switch {
		case private:
			e.Type, path = outbox.FileRestored, c.Target
			e.Data["trashId"] = trashID(c.Source)
		case isPrivate(c.Target):
			e.Type = outbox.FileTrashed
			e.Data["trashId"] = trashID(c.Target)
		default:
			e.Type, path, from = outbox.FileMoved, c.Target, c.Source
			e.Data["previousPath"] = from
		}
	}
	if path == "" || isPrivate(path) {
		return nil // Safelight's own files
	}
	e.Data["path"], e.Paths = path, []string{string(path)}
	if from != "" {
		e.Paths = append(e.Paths, string(from))
	}
	return g.config.Outbox.Add(ctx, db, h.to, e)
}

// complete deletes the intent of a completed change of another process, and reports the change if it was
// made.
func (g *Gallery) complete(ctx context.Context, id int, c intents.Change, h happening) error {
	made, err := g.wasMade(ctx, c, &h)
	if err != nil {
		return err
	}
	ctx = database.WithoutGuard(database.Essential(ctx))
	return g.db.Transact(ctx, func(tx *ent.Tx) error {
		deleted, err := intents.Delete(ctx, tx.Client(), id)
		if err != nil || !deleted || !made {
			return err
		}
		return g.report(ctx, tx.Client(), c, h)
	})
}

// wasMade reports whether an interrupted change was made. The index must match the storage again.
func (g *Gallery) wasMade(ctx context.Context, c intents.Change, h *happening) (bool, error) {
	if len(h.to) == 0 {
		return false, nil
	}
	k := c.Source
	if c.Target != "" {
		k = c.Target
	}
	st, err := g.store.Stat(ctx, k)
	if err != nil && !isMissing(err) {
		return false, err
	}
	exists := err == nil
	h.isFolder = h.isFolder || st.IsFolder
	switch c.What {
	case intent.ChangeDelete:
		return !exists, nil
	case intent.ChangeWrite:
		return exists && (h.was == nil || h.was.Etag != st.ETag), nil
	case intent.ChangeMove:
		if _, err := g.store.Stat(ctx, c.Source); !isMissing(err) {
			return false, err // the source still exists
		}
	}
	return exists, nil
}
