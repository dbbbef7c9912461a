package gallery

import (
	"context"
	"errors"
	"reflect"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/storage"
)

// UpdateFileInput changes the notes of a file.
type UpdateFileInput = notes.Change

// UpdateFile changes the notes of a file, in the index and in its sidecar.
func (g *Gallery) UpdateFile(ctx context.Context, in UpdateFileInput) (*File, error) {
	k, err := g.Editable(ctx, in.Path, "path")
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	f, err := g.File(ctx, string(k))
	if err != nil {
		return nil, err
	}
	var was, n notes.Notes
	err = g.change(ctx, change{what: intent.ChangeDescribe, source: k, action: audit.ActionFileUpdate,
		facts: func() (before, after audit.Facts) { return was.Facts(), n.Facts() },
		store: func(ctx context.Context) (err error) {
			if was, n, err = g.index.changeNotes(ctx, k, f.row.ID, in); err != nil {
				return err
			}
			if err = g.index.writeNotes(ctx, k, f.row.ID, n); err != nil {
				// the rows differ from the storage now
				return errors.Join(err, g.index.healNotes(context.WithoutCancel(ctx), k))
			}
			return nil
		},
		index: func(context.Context, *ent.Client) error { return nil },
	})
	if err != nil {
		return nil, err
	}
	return g.File(ctx, string(k))
}

// changeNotes changes the notes in the index. The change starts from their current value, because another
// server may have just changed them.
func (x *index) changeNotes(
	ctx context.Context,
	k storage.Key,
	id int,
	in UpdateFileInput,
) (was, n notes.Notes, err error) {
	err = x.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := x.lockFolders(ctx, db, k.Parent()); err != nil {
			return err
		}
		row, err := db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && row.Path != string(k) {
			return fault.OnField(fault.NotFound, "path", "%s does not exist", k)
		}
		if err != nil {
			return err
		}
		was = notes.Of(row)
		if n, err = in.Apply(was); err != nil {
			return err
		}
		return x.saveNotes(ctx, db, k, n)
	})
	return was, n, err
}

// writeNotes writes the sidecar. It writes again if another server has changed the notes in the index in the
// meantime, so the last writer stores the changes of all.
func (x *index) writeNotes(ctx context.Context, k storage.Key, id int, n notes.Notes) error {
	for {
		if err := x.writeSidecar(ctx, k, n); err != nil {
			return err
		}
		row, err := x.db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) {
			return nil // deleted in the meantime
		}
		if err != nil {
			return database.Translate(err)
		}
		now := notes.Of(row)
		if reflect.DeepEqual(now.Facts(), n.Facts()) {
			return nil
		}
		n = now
	}
}

// saveNotes stores the notes of a file in its row.
func (x *index) saveNotes(ctx context.Context, db *ent.Client, k storage.Key, n notes.Notes) error {
	row, err := db.Entry.Query().Where(entry.Path(string(k))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil // the next listing reads the sidecar
	}
	if err != nil {
		return err
	}
	row.Tags, row.Description = n.Tags, n.Description
	u := db.Entry.UpdateOneID(row.ID).SetTags(n.Tags).SetDescription(n.Description).SetWords(wordsOf(row, row.Name)).
		SetHasNotes(!n.Empty()).SetRating(n.Rating).SetFavorite(n.Favorite)
	if n.FocalPoint != nil {
		u.SetFocalX(n.FocalPoint.X).SetFocalY(n.FocalPoint.Y)
	} else {
		u.ClearFocalX().ClearFocalY()
	}
	if err := u.Exec(ctx); err != nil {
		return err
	}
	return x.setTags(ctx, db, row.ID, n.Tags)
}

// healNotes stores the content of the sidecar in the row of a file.
func (x *index) healNotes(ctx context.Context, k storage.Key) error {
	n, err := x.readSidecar(ctx, k)
	if err != nil {
		return err
	}
	if n == nil {
		n = &notes.Notes{}
	}
	return x.db.Transact(ctx, func(tx *ent.Tx) error { return x.saveNotes(ctx, tx.Client(), k, *n) })
}
