package gallery

import (
	"context"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
)

// change is a change of the storage and of the index.
type change struct {
	what           intent.Change
	source, target storage.Key   // target is empty for a change with a single path
	known          storage.Hints // known facts about the paths; empty: read from the index
	// store makes the change. If it returns an error, the change was not made, or not completely.
	store func(context.Context) error
	// facts returns what the audit log records, and is called after store; nil: only the paths.
	facts func() (before, after audit.Facts)
	// index updates the rows, in a transaction.
	index func(context.Context, *ent.Client) error
	// action is recorded in the audit log. It is empty if the caller records the change.
	action audit.Action
	named  storage.Key // target of the audit event; empty: source
}

// event returns the audit event for a completed change.
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

func (c change) keys() []storage.Key { return c.intent().Keys() }

func (c change) intent() intents.Change {
	return intents.Change{What: c.what, Source: c.source, Target: c.target}
}

// folders returns the folders whose entries change.
func (c change) folders() []storage.Key {
	folders := []storage.Key{c.source.Parent()}
	if c.target != "" && c.target.Parent() != c.source.Parent() {
		folders = append(folders, c.target.Parent())
	}
	return folders
}

// change makes a change: it stores an intent, changes the storage, and then, in one transaction, updates the
// index and deletes the intent. If the process crashes in between, Heal completes the change.
func (g *Gallery) change(ctx context.Context, c change) error {
	unfinished, err := g.attempt(ctx, c)
	if unfinished != 0 {
		g.finishNow(context.WithoutCancel(ctx), unfinished)
	}
	return err
}

// attempt makes a change. If the index could not be updated, unfinished is the id of the intent, which still
// locks the paths. Otherwise it is 0, even if nothing was changed.
func (g *Gallery) attempt(ctx context.Context, c change) (unfinished int, err error) {
	if err := g.checkRights(access.Again(ctx), c); err != nil { // a right may have ended during a long request
		return 0, err
	}
	defer g.Access.Reread(ctx)
	if err := c.check(g.store); err != nil {
		return 0, err
	}
	release, err := g.paths.Hold(ctx, c.keys()...)
	if err != nil {
		return 0, err
	}
	defer release()
	fresh, err := g.freshPath(ctx, c)
	if err != nil {
		return 0, err
	}
	id, err := g.intents.Begin(ctx, c.intent())
	if err != nil {
		return 0, err
	}
	defer g.intents.End(id)
	g.index.changes.Add(1)
	defer g.index.changes.Add(1)
	fenced := g.index.withKnown(g.intents.Fence(ctx, id), c)
	failed := g.db.RetryOnFullDisk(ctx, func() error { return c.store(fenced) })
	// The storage may have changed, so the index must be updated in any case. After ReplaceStorage, the
	// intent no longer exists.
	ctx = database.WithoutGuard(database.Essential(context.WithoutCancel(ctx)))
	own := true
	err = g.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if failed != nil && !unchanged(failed) && !storage.IsAtomic(g.store, c.keys()...) {
			if err := g.intents.Expire(ctx, db, id); err != nil {
				return err
			}
			return g.index.invalidate(ctx, db, c.keys()...)
		}
		var err error
		if own, err = intents.Delete(ctx, db, id); err != nil || unchanged(failed) {
			return err
		}
		if failed == nil && c.action != "" {
			if err := g.audit.Record(ctx, tx, c.event()); err != nil {
				return err
			}
		}
		happening, err := g.expect(ctx, db, c.intent())
		if err != nil {
			return err
		}
		happening.isFolder = happening.isFolder || c.action == audit.ActionFolderCreate
		// Lock last, because other changes in these folders wait until the commit.
		if err := g.index.lockFolders(ctx, db, c.folders()...); err != nil {
			return err
		}
		if failed != nil || !own {
			// The change may be partial, or another server may have completed it. Read the folders again on
			// demand.
			return g.index.invalidate(ctx, db, c.keys()...)
		}
		if fresh != "" {
			if err := g.index.leaveTrashed(ctx, db, fresh); err != nil {
				return err
			}
			if err := g.Access.Renew(ctx, db, string(fresh)); err != nil {
				return err
			}
		}
		if err := c.index(ctx, db); err != nil {
			return err
		}
		return g.report(ctx, db, c.intent(), happening)
	})
	if err != nil {
		// The storage may have changed; the intent remains, and healing it updates the index.
		unfinished = id
		g.log.ErrorContext(
			ctx, "the index could not be updated yet", "change", string(c.what), "source", string(c.source),
			"target", string(c.target), "error", err,
		)
		if failed == nil && c.action != "" {
			g.audit.RecordDone(ctx, c.event())
		}
	}
	if !unchanged(failed) {
		g.publish(c.keys()...)
	}
	if failed == nil && !own {
		return unfinished, g.db.CheckGuard(ctx) // fails if the change was made in the previous storage
	}
	return unfinished, failed
}

// freshPath returns the highest folder that a change creates: the topmost ancestor that neither the index nor
// the storage has. If all ancestors exist, it returns the path itself if that may be a folder. It returns an
// empty key if the change creates no folder. Moves handle their target themselves.
func (g *Gallery) freshPath(ctx context.Context, c change) (storage.Key, error) {
	k := c.source
	if c.target != "" {
		k = c.target
	}
	if c.what == intent.ChangeDelete || c.what == intent.ChangeDescribe || isPrivate(k) {
		return "", nil
	}
	unknown := k
	for above := k.Parent(); above != ""; above = above.Parent() {
		known, err := g.db.Entry.Query().Where(entry.Path(string(above))).Exist(ctx)
		if err != nil {
			return "", database.Translate(err)
		}
		if known {
			break
		}
		unknown = above
	}
	if unknown != k {
		// If no rights were granted there, save the bucket requests that find out which of the folders exist.
		if granted, err := g.Access.IsGranted(ctx, string(unknown)); err != nil || !granted {
			return unknown, err
		}
	}
	for above := k.Parent(); k != unknown; above = above.Parent() {
		if _, err := g.store.Stat(ctx, above); err == nil {
			break
		} else if !isMissing(err) {
			return "", err
		}
		k = above
	}
	isFile := c.what == intent.ChangeWrite && c.action != audit.ActionFolderCreate
	if k == c.source && isFile || k == c.target && c.what == intent.ChangeMove {
		return "", nil
	}
	return k, nil
}

// finishNow completes a change whose index update failed. It does so immediately, because the paths stay
// locked until then. If it fails too, the change is completed later, as after a crash.
func (g *Gallery) finishNow(ctx context.Context, id int) {
	err := g.db.Transact(
		database.Essential(ctx),
		func(tx *ent.Tx) error { return g.intents.Expire(ctx, tx.Client(), id) },
	)
	var row *ent.Intent
	if err == nil {
		row, err = g.db.Intent.Get(ctx, id)
	}
	if err == nil {
		err = g.adopt(ctx, row)
	}
	if err != nil && !ent.IsNotFound(err) {
		g.log.WarnContext(ctx, "the index could not be updated, the change is completed later", "error", err)
	}
}

// withKnown adds hints from the index to a context. They save a bucket some requests.
func (x *index) withKnown(ctx context.Context, c change) context.Context {
	if storage.IsAtomic(x.store, c.keys()...) || c.what == intent.ChangeDelete || c.what == intent.ChangeDescribe {
		return ctx
	}
	if c.known.Fresh != "" {
		return storage.WithHints(ctx, c.known)
	}
	// If the target is empty, its parent is the root. Its row does no harm.
	rows, err := x.db.Entry.Query().
		Where(entry.PathIn(string(c.source), string(c.source.Parent()), string(c.target.Parent()))).
		Select(entry.FieldPath, entry.FieldKind, entry.FieldSize, entry.FieldModified, entry.FieldEtag).
		All(ctx)
	if err != nil {
		return ctx // without hints
	}
	for _, r := range rows {
		if r.Kind == kindFolder {
			c.known.Folders = append(c.known.Folders, storage.Key(r.Path))
			continue
		}
		c.known.Files = append(c.known.Files, statOf(r))
	}
	return storage.WithHints(ctx, c.known)
}

// check returns fault.Forbidden if a mount does not allow the change.
func (c change) check(s storage.Store) error {
	switch c.what {
	case intent.ChangeDelete:
		return storage.CheckTake(s, c.source)
	case intent.ChangeMove:
		if err := storage.CheckTake(s, c.source); err != nil {
			return err
		}
		return storage.CheckPut(s, c.target)
	case intent.ChangeCopy:
		return storage.CheckPut(s, c.target)
	}
	return storage.CheckPut(s, c.source)
}

// unchanged reports whether a failed change certainly left the storage as it was. After other errors, it may
// be partly done.
func unchanged(failed error) bool {
	switch fault.CodeOf(failed) {
	case fault.NotFound, fault.Conflict, fault.Invalid, fault.Forbidden, fault.TooLarge, fault.UnsupportedType:
		return true
	}
	return false
}

// invalidate marks the keys, the folders that contain them and all folders below them to be read again before
// they are shown.
func (x *index) invalidate(ctx context.Context, db *ent.Client, keys ...storage.Key) error {
	for _, k := range keys {
		args := append([]any{string(k), string(k.Parent())}, belowArgs(k)...)
		update := "UPDATE entries SET synced = 0 WHERE path IN (?, ?) OR kind = 0 AND " + x.below()
		if err := x.run(ctx, db, update, args...); err != nil {
			return err
		}
	}
	return nil
}

// lockFolders serializes the transactions of all servers that change rows of entries in these folders. It
// must be called before the first write to such a row.
func (x *index) lockFolders(ctx context.Context, tx *ent.Client, folders ...storage.Key) error {
	names := make([]string, len(folders))
	for i, k := range folders {
		names[i] = "folder " + string(k)
	}
	return x.db.LockNames(ctx, tx, names...)
}
