package gallery

import (
	"context"
	"sync"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// change is a change of the storage that the index follows.
type change struct {
	what           intent.Change
	source, target storage.Key // target is empty where there is one path
	// store does it. It is not done when it returns an error.
	store func(context.Context) error
	// facts says for the audit log what was and what is, after store; nil: nothing beyond the paths.
	facts func() (before, after audit.Facts)
	// index lets the rows follow, in a transaction.
	index func(context.Context, *ent.Client) error
	// action is what the audit log says of it; empty where the caller does that.
	action audit.Action
	named  storage.Key // what the audit log calls it; empty: source
}

// event is what the audit log says of a change that was made.
func (c change) event() audit.Event {
	e := audit.Event{Action: c.action, Target: audit.FileTarget(c.source)}
	if c.named != "" {
		e.Target = audit.FileTarget(c.named)
	}
	if c.target != "" {
		e.After = audit.Facts{"path": c.target}
	}
	if c.facts != nil {
		e.Before, e.After = c.facts()
	}
	return e
}

// intents are the changes that this process is at.
type intents struct {
	mu   sync.Mutex
	live map[int]struct{}
}

func (i *intents) set(id int, alive bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.live == nil {
		i.live = map[int]struct{}{}
	}
	if alive {
		i.live[id] = struct{}{}
	} else {
		delete(i.live, id)
	}
}

func (c change) keys() []storage.Key {
	if c.target == "" {
		return []storage.Key{c.source}
	}
	return []storage.Key{c.source, c.target}
}

// folders are those whose entries it changes.
func (c change) folders() []storage.Key {
	folders := []storage.Key{c.source.Parent()}
	if c.target != "" && c.target.Parent() != c.source.Parent() {
		folders = append(folders, c.target.Parent())
	}
	return folders
}

// change makes a change: what is meant is written down, the storage is changed, the index follows and what was
// written down is removed, the last two in one transaction. Whatever a crash leaves between them, heal ends.
func (g *Gallery) change(ctx context.Context, c change) error {
	release, err := g.paths.hold(ctx, c.keys()...)
	if err != nil {
		return err
	}
	defer release()
	row, err := g.db.Intent.Create().SetOwner(g.process).SetChange(c.what).SetSource(string(c.source)).SetTarget(string(c.target)).
		SetSeen(g.config.Now().UnixNano()).Save(ctx)
	if err != nil {
		return database.Translate(err)
	}
	g.intents.set(row.ID, true)
	defer g.intents.set(row.ID, false)
	g.changes.Add(1)
	defer g.changes.Add(1)
	failed := c.store(ctx)
	ctx = context.WithoutCancel(ctx)
	err = g.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := forgetIntent(ctx, db, row.ID); err != nil {
			return err
		}
		switch fault.CodeOf(failed) {
		case fault.NotFound, fault.Conflict, fault.Invalid, fault.TooLarge, fault.UnsupportedType:
			return nil // nothing was done
		}
		if failed == nil && c.action != "" {
			if err := g.audit.Record(ctx, tx, c.event()); err != nil {
				return err
			}
		}
		// last, for everybody else in the folders waits until this is committed
		if err := g.lockFolders(ctx, db, c.folders()...); err != nil {
			return err
		}
		if failed != nil {
			// how far it came is unknown: the folders are read again when they are asked for
			return g.distrust(ctx, db, c.keys()...)
		}
		return c.index(ctx, db)
	})
	if err != nil {
		// the storage is changed, which is what was asked; the intent stays and brings the index after it
		g.log.ErrorContext(ctx, "the index does not follow yet", "change", string(c.what), "source", string(c.source), "target", string(c.target), "error", err)
		if failed == nil && c.action != "" {
			g.audit.RecordDone(ctx, c.event())
		}
	}
	return failed
}

// forgetIntent removes what was written down; that it is gone already is no error.
func forgetIntent(ctx context.Context, db *ent.Client, id int) error {
	_, err := db.Intent.Delete().Where(intent.ID(id)).Exec(ctx)
	return err
}

// distrust lets the folders of keys, and those in them, be read again before they are shown.
func (g *Gallery) distrust(ctx context.Context, db *ent.Client, keys ...storage.Key) error {
	for _, k := range keys {
		if err := db.Entry.Update().Where(entry.PathIn(string(k), string(k.Parent()))).SetSynced(0).Exec(ctx); err != nil {
			return err
		}
		if err := g.run(ctx, db, "UPDATE entries SET synced = 0 WHERE kind = 0 AND "+g.below(), belowArgs(k)...); err != nil {
			return err
		}
	}
	return nil
}

// lockFolders serializes the transactions, of all servers on the database, that change the rows of entries in these
// folders; it precedes the first write of such a row.
func (g *Gallery) lockFolders(ctx context.Context, tx *ent.Client, folders ...storage.Key) error {
	names := make([]string, len(folders))
	for i, k := range folders {
		names[i] = "folder " + string(k)
	}
	return g.db.LockNames(ctx, tx, names...)
}
