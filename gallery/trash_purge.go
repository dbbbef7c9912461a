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
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// purgeBatch is how many rows of the trash are loaded at a time.
const purgeBatch = 100

// PurgeFile permanently deletes an item of the trash. With admin scope, it deletes any item, otherwise only
// one that the caller moved there. It returns fault.Forbidden for items of others.
func (g *Gallery) PurgeFile(ctx context.Context, id string) error {
	row, err := g.editedTrashItem(ctx, id)
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

// purge deletes an item of the trash. It returns fault.NotFound if another call has purged or restored it in
// the meantime.
func (g *Gallery) purge(ctx context.Context, row *ent.TrashItem) error {
	path := placeOf(row)
	source := trashFile(row.ID, path.Name())
	return g.change(database.Essential(ctx), change{
		what:   intent.ChangeDelete,
		source: source,
		action: audit.ActionFilePurge,
		named:  path,
		facts:  afterFacts(audit.Facts{"trashId": row.ID}),
		store: func(ctx context.Context) error {
			// The path is locked on all servers. The row still exists if no other call has purged or restored
			// the item.
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
			if err := g.Access.Forget(ctx, db, string(source)); err != nil {
				return err
			}
			_, err := db.TrashItem.Delete().Where(trashitem.ID(row.ID)).Exec(ctx)
			return err
		},
	})
}

// EmptyTrash permanently deletes items of the trash: all items with admin scope, otherwise only those that
// the caller moved there. It returns how many it deleted. Concurrent calls do not count an item twice.
func (g *Gallery) EmptyTrash(ctx context.Context) (int, error) {
	now := g.config.Now().UnixNano()
	if auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		return g.purgeUntil(ctx, now, nil)
	}
	own := accountID(ctx)
	if own == "" {
		return 0, fault.New(fault.Forbidden, "emptying the trash needs an account")
	}
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return 0, err
	}
	return g.purgeUntil(ctx, now, nil, trashitem.TrashedByID(own), g.trashedIn(scope.AtLeast(access.Edit)))
}

// purgeUntil purges the matching items that were moved to the trash at until or earlier, the oldest first.
// Their ids start with that time. It keeps the items of the mounts in kept, and returns how many it purged
// itself.
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
			case !isMissing(err): // otherwise another call purged and counted it
				failed = errors.Join(failed, err) // continue with the other items
			}
		}
		if len(rows) < purgeBatch || ctx.Err() != nil {
			return purged, failed
		}
	}
}
