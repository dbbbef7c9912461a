package uploads

import (
	"context"
	"errors"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// sweepBatch is how many expired uploads are loaded at a time.
const sweepBatch = 100

// SweepUploads deletes expired uploads with their parts, and folders of parts that have no upload and are
// older than Config.TTL. It returns how many it deleted. After an error, it continues with the next one.
func (u *Uploads) SweepUploads(ctx context.Context) (removed int, failed error) {
	last := ""
	for {
		rows, err := u.db.PendingUpload.Query().
			Where(pendingupload.ExpiresAtLTE(u.config.Now()), u.idle(), pendingupload.IDGT(last)).
			Order(pendingupload.ByID()).
			Limit(sweepBatch).
			All(ctx)
		if err != nil {
			return removed, errors.Join(failed, database.Translate(err))
		}
		for _, row := range rows {
			last = row.ID
			if err := u.removeUpload(ctx, row); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			removed++
		}
		if len(rows) < sweepBatch || ctx.Err() != nil {
			break
		}
	}
	rows, err := u.db.PendingUpload.Query().Select(pendingupload.FieldID, pendingupload.FieldPath).All(ctx)
	if err != nil {
		return removed, errors.Join(failed, database.Translate(err))
	}
	known := make(map[storage.Key]bool, len(rows))
	for _, row := range rows {
		known[u.staging(row)] = true
	}
	for _, m := range storage.Mounts(u.store) {
		if m.ReadOnly {
			continue
		}
		n, err := u.sweepStrays(ctx, m.Name.Join(string(StagingRoot)), known)
		removed, failed = removed+n, errors.Join(failed, err)
	}
	return removed, failed
}

// sweepStrays deletes folders of parts that do not belong to a known upload.
func (u *Uploads) sweepStrays(
	ctx context.Context,
	root storage.Key,
	known map[storage.Key]bool,
) (removed int, err error) {
	for e, err := range u.store.List(ctx, root, storage.ListOptions{ShowHidden: true}) {
		if fault.CodeOf(err) == fault.NotFound {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
		if known[e.Key] || u.config.Now().Sub(e.Modified) < u.config.TTL {
			continue // known, or possibly from another database
		}
		if err := u.store.Delete(ctx, e.Key); err != nil && fault.CodeOf(err) != fault.NotFound {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// ReleaseUploads ends all leases of uploads. Only the sole server of a database may call it, when it starts
// and all lease holders have ended. With several servers, leases expire by themselves.
func (u *Uploads) ReleaseUploads(ctx context.Context) error {
	return database.Translate(
		u.db.PendingUpload.Update().Where(pendingupload.BusyUntilNotNil()).ClearBusyUntil().Exec(ctx),
	)
}

// MaintainUploads sweeps immediately and then at intervals of a quarter of Config.TTL, but at least every
// hour, until ctx ends.
func (u *Uploads) MaintainUploads(ctx context.Context) {
	tick := time.NewTicker(min(max(u.config.TTL/4, time.Second), time.Hour))
	defer tick.Stop()
	for {
		n, err := u.SweepUploads(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			u.log.WarnContext(ctx, "removing abandoned uploads failed", "error", err)
		case n > 0:
			u.log.InfoContext(ctx, "abandoned uploads removed", "count", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
