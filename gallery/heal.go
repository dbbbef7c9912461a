package gallery

import (
	"context"
	"errors"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
)

// everyHeartbeat calls do at each heartbeat until ctx ends. doing is the log message for errors.
func (g *Gallery) everyHeartbeat(ctx context.Context, doing string, do func(context.Context) error) {
	tick := time.NewTicker(intents.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := do(ctx); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, doing, "error", err)
		}
	}
}

// Heal completes the changes of other processes whose intents were last renewed earlier than before. It does
// not overwrite files. If several servers call it, only one of them completes each change.
func (g *Gallery) Heal(ctx context.Context, before time.Time) error {
	rows, err := g.intents.Abandoned(ctx, before)
	if err != nil {
		return err
	}
	var all error
	for _, r := range rows {
		all = errors.Join(all, g.adopt(ctx, r))
	}
	return all
}

// adopt completes a change of another process, unless a server is still making it or a change with
// overlapping paths.
func (g *Gallery) adopt(ctx context.Context, r *ent.Intent) error {
	taken, err := g.intents.Adopt(ctx, r)
	if err != nil || !taken {
		return err
	}
	defer g.intents.End(r.ID)
	g.log.InfoContext(
		ctx, "healing an interrupted change", "change", string(r.Change), "source", r.Source,
		"target", r.Target,
	)
	happening, err := g.expect(ctx, g.db.Client, intents.Of(r))
	if err != nil {
		return errors.Join(database.Translate(err), g.intents.Abandon(context.WithoutCancel(ctx), r))
	}
	if err := g.healOne(context.WithValue(g.intents.Fence(ctx, r.ID), healing{}, r.ID), r); err != nil {
		return errors.Join(err, g.intents.Abandon(context.WithoutCancel(ctx), r))
	}
	if err := g.complete(ctx, r.ID, intents.Of(r), happening); err != nil {
		return errors.Join(err, g.intents.Abandon(context.WithoutCancel(ctx), r))
	}
	return nil
}

func (g *Gallery) healOne(ctx context.Context, r *ent.Intent) error {
	source, target, keys := storage.Key(r.Source), storage.Key(r.Target), intents.Of(r).Keys()
	release, err := g.paths.Hold(ctx, keys...)
	if err != nil {
		return err
	}
	defer release()
	g.index.changes.Add(1)
	defer g.index.changes.Add(1)
	switch r.Change {
	case intent.ChangeDelete:
		err = g.healDelete(ctx, source)
	case intent.ChangeCopy:
		err = g.resume(ctx, source, target, false)
	case intent.ChangeMove:
		err = g.healMove(ctx, source, target)
	case intent.ChangeDescribe:
		err = g.index.healNotes(ctx, source)
	}
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := g.reindex(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// reindex updates the rows of a path and of its parent folder.
func (g *Gallery) reindex(ctx context.Context, k storage.Key) error {
	for above := k.Parent(); ; above = above.Parent() {
		_, err := g.index.syncFolder(ctx, above)
		if err == nil {
			break
		}
		if !isMissing(err) || above == "" {
			return err
		}
	}
	if s, err := g.store.Stat(ctx, k); err != nil || !s.IsFolder {
		if isMissing(err) {
			return nil
		}
		return err
	}
	return g.scanFolder(ctx, k, &Scan{})
}

// healDelete removes the rest of a folder whose deletion had started. If deletions are atomic, nothing is
// left over: a file that exists was created later, or was never deleted.
func (g *Gallery) healDelete(ctx context.Context, k storage.Key) error {
	if !storage.IsAtomic(g.store, k) {
		if err := g.store.Delete(ctx, k); err != nil && !isMissing(err) {
			return err
		}
	}
	if _, err := g.store.Stat(ctx, k); isMissing(err) {
		return g.index.deleteSidecar(ctx, k)
	}
	return nil
}

// healMove completes a move: the remaining objects, the sidecar of a file, and the rows.
func (g *Gallery) healMove(ctx context.Context, from, to storage.Key) error {
	if err := g.resume(ctx, from, to, true); err != nil {
		return err
	}
	if _, err := g.store.Stat(ctx, from); !isMissing(err) {
		return err
	}
	if _, err := g.store.Stat(ctx, to); err != nil {
		if isMissing(err) {
			return nil
		}
		return err
	}
	if _, err := g.store.Stat(ctx, sidecarKey(to)); isMissing(err) {
		if err := g.store.Move(ctx, sidecarKey(from), sidecarKey(to)); err != nil && !isMissing(err) {
			return err
		}
	}
	known, err := g.db.Entry.Query().Where(entry.Path(string(from))).Exist(ctx)
	if err != nil {
		return database.Translate(err)
	}
	if !known { // a listing has removed the rows, but not trashed items and grants
		return g.db.Transact(ctx, func(tx *ent.Tx) error {
			if err := g.index.moveTrashed(ctx, tx.Client(), from, to); err != nil {
				return err
			}
			return g.Access.Follow(ctx, tx.Client(), string(from), string(to))
		})
	}
	return g.db.Transact(ctx, func(tx *ent.Tx) error { return g.index.moveRows(ctx, tx.Client(), from, to) })
}

// resume continues a copy or move that a bucket performs object by object. It does nothing if the source or
// the target is missing, or if the storage makes such changes atomically.
func (g *Gallery) resume(ctx context.Context, from, to storage.Key, move bool) error {
	if storage.IsAtomic(g.store, from, to) {
		return nil
	}
	source, err := g.store.Stat(ctx, from)
	if err != nil {
		return ignoreMissing(err)
	}
	target, err := g.store.Stat(ctx, to)
	if err != nil {
		return ignoreMissing(err)
	}
	if !source.IsFolder || !target.IsFolder {
		if !move || source.IsFolder || target.IsFolder || source.Size != target.Size {
			return nil
		}
		same := source.ETag == target.ETag
		if !same { // ETags differ between storages, and between a multipart upload and its copy
			same, err = storage.SameFiles(ctx, g.store, from, to)
		}
		if !same || err != nil {
			return ignoreMissing(err)
		}
		return ignoreMissing(g.store.Delete(ctx, from))
	}
	for s, err := range g.store.List(ctx, from, storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return ignoreMissing(err)
		}
		if err := g.resumeEntry(ctx, s, to.Join(s.Key.Name()), move); err != nil {
			return err
		}
	}
	if !move {
		return nil
	}
	if empty, err := storage.IsEmpty(ctx, g.store, from); err != nil || !empty {
		return ignoreMissing(err)
	}
	return ignoreMissing(g.store.Delete(ctx, from))
}

func (g *Gallery) resumeEntry(ctx context.Context, s storage.Stat, to storage.Key, move bool) error {
	if _, err := g.store.Stat(ctx, to); err == nil {
		return g.resume(ctx, s.Key, to, move)
	} else if !isMissing(err) {
		return err
	}
	do := g.store.Copy
	if move {
		do = g.store.Move
	}
	if err := do(ctx, s.Key, to); err != nil && fault.CodeOf(err) != fault.Conflict {
		return ignoreMissing(err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if isMissing(err) {
		return nil
	}
	return err
}
