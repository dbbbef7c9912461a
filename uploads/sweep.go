package uploads

import (
	"context"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// sweepBatch is how many expired uploads are loaded at a time.
const sweepBatch = 100

// SweepUploads deletes expired uploads with their parts, and folders of parts without an upload that are older than
// Config.TTL. It returns how many it deleted.
func (u *Uploads) SweepUploads(ctx context.Context) (int, error) {
	removed := 0
	for {
		ids, err := u.db.PendingUpload.Query().Where(pendingupload.ExpiresAtLTE(u.config.Now()), u.idle()).
			Order(pendingupload.ByExpiresAt()).Limit(sweepBatch).IDs(ctx)
		if err != nil {
			return removed, database.Translate(err)
		}
		for _, id := range ids {
			if err := u.removeUpload(ctx, id); err != nil {
				return removed, err
			}
			removed++
		}
		if len(ids) < sweepBatch {
			break
		}
	}
	strays, err := u.sweepStrays(ctx)
	return removed + strays, err
}

// sweepStrays deletes folders of parts whose upload is not in the database.
func (u *Uploads) sweepStrays(ctx context.Context) (int, error) {
	ids, err := u.db.PendingUpload.Query().IDs(ctx)
	if err != nil {
		return 0, database.Translate(err)
	}
	known := make(map[storage.Key]bool, len(ids))
	for _, id := range ids {
		known[stagingFolder(id)] = true
	}
	removed := 0
	for e, err := range storage.Each(ctx, u.store, StagingRoot, storage.ListOptions{ShowHidden: true}) {
		if fault.CodeOf(err) == fault.NotFound {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
		if known[e.Key] || u.config.Now().Sub(e.Modified) < u.config.TTL {
			continue // known, or possibly of another database
		}
		if err := u.store.Delete(ctx, e.Key); err != nil && fault.CodeOf(err) != fault.NotFound {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// ReleaseUploads ends all leases of uploads. Only the sole server of a database may call it, at its start, when all lease
// holders have ended; elsewhere leases expire.
func (u *Uploads) ReleaseUploads(ctx context.Context) error {
	return database.Translate(u.db.PendingUpload.Update().Where(pendingupload.BusyUntilNotNil()).ClearBusyUntil().Exec(ctx))
}

// KeepUploads sweeps at once and then every quarter of Config.TTL, at most an hour, until ctx ends.
func (u *Uploads) KeepUploads(ctx context.Context) {
	tick := time.NewTicker(min(max(u.config.TTL/4, time.Second), time.Hour))
	defer tick.Stop()
	for {
		n, err := u.SweepUploads(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			u.log.WarnContext(ctx, "abandoned uploads are not removed", "error", err)
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
