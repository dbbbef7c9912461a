package gallery

import (
	"context"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// RestoreFile moves an item of the trash back to its original path. If that is taken, the policy decides;
// with ConflictReplace, the file at that path is moved to the trash. It returns the entry at the new path.
func (g *Gallery) RestoreFile(ctx context.Context, id string, policy ConflictPolicy) (s storage.Stat, err error) {
	row, err := g.editedTrashItem(ctx, id)
	if err != nil {
		return s, err
	}
	var to storage.Key
	err = g.resolveConflict(ctx, placeOf(row), policy, func(k storage.Key) error {
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
	source := trashFile(row.ID, placeOf(row).Name())
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
		named:  placeOf(row),
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

// resolveConflict calls do with k or, as the policy says, with another name. With ConflictReplace, the file
// at k is first moved to the trash, so nothing is lost. do returns fault.Conflict for a name that is taken.
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
		return refused // something else blocks the path
	} else if err != nil {
		return err
	}
	return do(k)
}
