package uploads

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// CancelUpload deletes an upload of the caller. It returns fault.NotFound if the upload does not exist.
func (u *Uploads) CancelUpload(ctx context.Context, id string) error {
	row, err := u.owned(ctx, id)
	if err != nil {
		return err
	}
	return u.removeUpload(ctx, row)
}

// AbandonUpload is CancelUpload for anyone who knows the id.
func (u *Uploads) AbandonUpload(ctx context.Context, id string) error {
	row, err := u.unexpired(ctx, id)
	if err != nil {
		return err
	}
	return u.removeUpload(ctx, row)
}

// removeUpload deletes the parts first and then the row. After a crash in between, the row remains and is
// swept later.
func (u *Uploads) removeUpload(ctx context.Context, row *ent.PendingUpload) error {
	ctx = database.Essential(ctx)
	if err := u.clearStaging(ctx, row); err != nil {
		return err
	}
	return u.db.Transact(ctx, func(tx *ent.Tx) error {
		if _, err := tx.PendingPart.Delete().Where(pendingpart.UploadID(row.ID)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.PendingUpload.Delete().Where(pendingupload.ID(row.ID)).Exec(ctx)
		return err
	})
}

// clearStaging deletes the parts of an upload from the storage.
func (u *Uploads) clearStaging(ctx context.Context, row *ent.PendingUpload) error {
	folder := u.staging(row)
	ctx = storage.WithHints(ctx, storage.Hints{Folders: []storage.Key{folder}})
	err := u.store.Delete(ctx, folder)
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Forbidden: // a mount that became read-only keeps its parts
		return nil
	}
	return err
}
