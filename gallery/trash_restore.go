package gallery

import (
	"context"
	"errors"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// RestoreFile moves an item of the trash back to its original path, or elsewhere if that is taken and the policy says
// so. With ConflictReplace the file at that path is moved to the trash. It returns what is at the new path.
func (g *Gallery) RestoreFile(ctx context.Context, id string, policy ConflictPolicy) (s storage.Stat, err error) {
	row, err := g.trashItem(ctx, id)
	if err != nil {
		return s, err
	}
	var to storage.Key
	err = g.resolveConflict(ctx, storage.Key(row.Path), policy, func(k storage.Key) error {
		to = k
		return g.restore(ctx, row, k)
	})
	if err != nil {
		return s, err
	}
	aside := context.WithoutCancel(ctx)
	if err := g.store.Delete(aside, trashFolder(id)); err != nil && !isMissing(err) {
		g.log.WarnContext(aside, "an empty folder of the trash stays until the next sweep", "error", err)
	}
	return g.store.Stat(aside, to)
}

// restore moves an item of the trash to k.
func (g *Gallery) restore(ctx context.Context, row *ent.TrashItem, k storage.Key) error {
	source := trashFile(row.ID, storage.Key(row.Path).Name())
	if _, err := g.store.Stat(ctx, source); isMissing(err) {
		return fault.OnField(fault.NotFound, "id", "the item does not exist in the trash")
	} else if err != nil {
		return err
	}
	if err := g.CheckFree(ctx, k, false); err != nil {
		return err
	}
	return g.change(ctx, change{
		what:   intent.ChangeMove,
		source: source,
		target: k,
		action: audit.ActionFileRestore,
		named:  storage.Key(row.Path),
		facts:  afterFacts(audit.Facts{"trashId": row.ID, "path": k}),
		store: func(ctx context.Context) error {
			if err := g.store.Move(ctx, source, k); err != nil {
				return err
			}
			return g.withSidecar(context.WithoutCancel(ctx), source, k, g.store.Move)
		},
		index: func(ctx context.Context, db *ent.Client) error { return g.followMove(ctx, db, source, k) },
	})
}

// resolveConflict calls do with k or, as the policy says, with another name. With ConflictReplace the file at k is
// moved to the trash first, so nothing is lost. do returns fault.Conflict for a name that is taken.
func (g *Gallery) resolveConflict(
	ctx context.Context,
	k storage.Key,
	policy ConflictPolicy,
	do func(storage.Key) error,
) error {
	if policy != ConflictReplace {
		return g.TryNames(ctx, k, policy, func(k storage.Key, _ bool) error { return do(k) })
	}
	refused := do(k)
	if !isTaken(refused) {
		return refused
	}
	if _, err := g.trash(ctx, k); isMissing(err) {
		return refused // something else is in the way
	} else if err != nil {
		return err
	}
	return do(k)
}

// PurgeFile permanently deletes an item of the trash: with admin scope any, otherwise one that the caller moved there;
// fault.Forbidden for another's.
func (g *Gallery) PurgeFile(ctx context.Context, id string) error {
	row, err := g.trashItem(ctx, id)
	if err != nil {
		return err
	}
	if own := accountID(ctx); !auth.FromContext(ctx).Has(auth.ScopeAdmin) && (own == "" || row.TrashedByID != own) {
		return fault.OnField(
			fault.Forbidden, "id",
			"another account moved this item to the trash, purging it needs scope admin",
		)
	}
	return g.purge(ctx, row)
}

// purge deletes an item of the trash; fault.NotFound if another call has purged or restored it meanwhile.
func (g *Gallery) purge(ctx context.Context, row *ent.TrashItem) error {
	path := storage.Key(row.Path)
	source := trashFile(row.ID, path.Name())
	return g.change(database.Essential(ctx), change{
		what:   intent.ChangeDelete,
		source: source,
		action: audit.ActionFilePurge,
		named:  path,
		facts:  afterFacts(audit.Facts{"trashId": row.ID}),
		store: func(ctx context.Context) error {
			// the path is locked on all servers: the row is still there if no other call has purged or restored the
			// item
			if _, err := g.trashItem(ctx, row.ID); err != nil {
				return err
			}
			if err := g.store.Delete(ctx, trashFolder(row.ID)); err != nil && !isMissing(err) {
				return err
			}
			return nil
		},
		index: func(ctx context.Context, db *ent.Client) error {
			if err := g.index.removeRows(ctx, db, source); err != nil {
				return err
			}
			_, err := db.TrashItem.Delete().Where(trashitem.ID(row.ID)).Exec(ctx)
			return err
		},
	})
}

// EmptyTrash permanently deletes the items of the trash: with admin scope all of them, otherwise those that the caller
// moved there. It returns how many it deleted; concurrent calls count each item once.
func (g *Gallery) EmptyTrash(ctx context.Context) (int, error) {
	now := g.config.Now().UnixNano()
	if auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return g.purgeUntil(ctx, now, nil)
	}
	own := accountID(ctx)
	if own == "" {
		return 0, fault.New(fault.Forbidden, "emptying the trash needs an account")
	}
	return g.purgeUntil(ctx, now, nil, trashitem.TrashedByID(own))
}

// purgeUntil purges items that were moved to the trash at a time or before, and match, but for mounts whose items are
// kept. It counts those that it purged itself.
func (g *Gallery) purgeUntil(
	ctx context.Context,
	until int64,
	kept map[storage.Key]bool,
	match ...predicate.TrashItem,
) (purged int, failed error) {
	last := ""
	for {
		rows, err := g.db.TrashItem.Query().Where(trashitem.TrashedAtLTE(until), trashitem.IDGT(last)).Where(match...).
			Order(trashitem.ByID()).Limit(purgeBatch).All(ctx)
		if err != nil {
			return purged, database.Translate(err)
		}
		for _, r := range rows {
			last = r.ID
			if kept[trashMount(r.ID)] {
				continue
			}
			switch err := g.purge(ctx, r); {
			case err == nil:
				purged++
			case !isMissing(err): // else another call counts it
				failed = errors.Join(failed, err) // the others are purged nevertheless
			}
		}
		if len(rows) < purgeBatch || ctx.Err() != nil {
			return purged, failed
		}
	}
}
