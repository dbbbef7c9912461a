package uploads

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/storage"
)

// A request that finishes an upload holds a lease for busyFor and renews it every busyEvery. After a crash,
// another request can finish the upload once the lease has expired.
const (
	busyFor   = 15 * time.Second
	busyEvery = 3 * time.Second
)

// FinishUpload checks the content of an upload of the caller and creates the file atomically. If it is called
// again, it describes the same file, or returns a zero Stat if the file was deleted since. It returns
// fault.Conflict while bytes are missing, while another request finishes the upload, and if the path is
// taken. Other errors are those of AddFile.
func (u *Uploads) FinishUpload(ctx context.Context, id string) (*PendingUpload, storage.Stat, error) {
	row, err := u.owned(ctx, id)
	if err != nil {
		return nil, storage.Stat{}, err
	}
	if row.State != pendingupload.StateDone {
		if _, err := u.files.NewFile(ctx, row.Path); err != nil { // rights may have changed since the upload started
			return nil, storage.Stat{}, err
		}
		if err := u.CheckLink(ctx, row.ID); err != nil {
			return nil, storage.Stat{}, err
		}
		var made *storage.Stat
		if row, made, err = u.finish(ctx, row); err != nil {
			return nil, storage.Stat{}, err
		}
		if made != nil {
			return u.pending(row), *made, nil
		}
	}
	file, err := u.store.Stat(ctx, storage.Key(row.Target))
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return nil, storage.Stat{}, err
	}
	return u.pending(row), file, nil
}

// idle selects uploads without a lease.
func (u *Uploads) idle() predicate.PendingUpload {
	return pendingupload.Or(pendingupload.BusyUntilIsNil(), pendingupload.BusyUntilLTE(u.config.Now()))
}

// finish returns the row of a finished upload. made describes the file. It is nil if an earlier request
// created the file.
func (u *Uploads) finish(
	ctx context.Context, row *ent.PendingUpload,
) (done *ent.PendingUpload, made *storage.Stat, err error) {
	if row.Received < row.Size {
		return nil, nil, fault.New(fault.Conflict, "%d of %d bytes have arrived", row.Received, row.Size)
	}
	n, err := u.db.PendingUpload.Update().
		Where(
			pendingupload.ID(row.ID), pendingupload.StateEQ(pendingupload.StateOpen),
			pendingupload.Received(row.Size), u.idle(),
		).
		SetBusyUntil(u.config.Now().Add(busyFor)).
		Save(ctx)
	if err != nil {
		return nil, nil, database.Translate(err)
	}
	if n == 0 {
		done, err = u.finished(ctx, row.ID)
		return done, nil, err
	}
	release := u.stayBusy(ctx, row.ID)
	defer release()
	if row, err = u.db.PendingUpload.Get(ctx, row.ID); err != nil {
		return nil, nil, database.Translate(err)
	}
	target, made, err := u.createFile(ctx, row)
	if err != nil {
		return nil, nil, err
	}
	ctx = context.WithoutCancel(ctx) // the file exists: record that even if the client has disconnected
	if err := u.markDone(ctx, row.ID, target); err != nil {
		return nil, nil, err
	}
	if err := u.clearStaging(ctx, row); err != nil {
		u.log.WarnContext(ctx, "the parts of an upload stay until it expires", "error", err)
	}
	done, err = u.db.PendingUpload.Get(ctx, row.ID)
	return done, made, database.Translate(err)
}

// finished returns an upload that another request has finished. While that is in progress, it returns
// fault.Conflict.
func (u *Uploads) finished(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := u.unexpired(ctx, id)
	if err != nil || row.State == pendingupload.StateDone {
		return row, err
	}
	f := fault.New(fault.Conflict, "another request is finishing the upload, try again")
	f.RetryAfter = time.Second
	return nil, f
}

// stayBusy renews the lease of an upload until release is called, which ends the lease.
func (u *Uploads) stayBusy(ctx context.Context, id string) (release func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(busyEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// The next renewal may succeed.
				_ = u.db.PendingUpload.Update().
					Where(pendingupload.ID(id)).
					SetBusyUntil(u.config.Now().Add(busyFor)).
					Exec(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		// If this fails, the lease expires by itself.
		_ = u.db.PendingUpload.Update().Where(pendingupload.ID(id)).ClearBusyUntil().Exec(context.WithoutCancel(ctx))
	}
}

// createFile creates the file of an upload, and returns its path and description. made is nil if an earlier attempt
// created the file.
func (u *Uploads) createFile(
	ctx context.Context, row *ent.PendingUpload,
) (target storage.Key, made *storage.Stat, err error) {
	k := storage.Key(row.Path)
	rows, err := u.parts(ctx, row.ID)
	if err != nil {
		return "", nil, err
	}
	parts, err := u.storedParts(ctx, row, rows)
	if err != nil {
		return "", nil, err
	}
	all := newAssembly(ctx, u.store, parts)
	defer all.Close()
	content := io.ReadSeeker(all)
	contentType, isChecked := u.checked.take(row.ID, rows)
	if !isChecked {
		if u.isRemote(k) { // the check reads some bytes twice, and writing the file may read all of them again
			spool := &storage.Spool{}
			defer spool.Close()
			_, err := io.Copy(spool, all)
			switch {
			case spool.Failed(): // the disk has no space
			case err != nil:
				return "", nil, err
			default:
				content = spool.Object(storage.Stat{})
			}
		}
		if contentType, err = u.checkFile(ctx, k, content, row.Size); err != nil {
			return "", nil, err
		}
	}
	if row.Target != "" { // an earlier attempt may have succeeded
		same, err := u.holdsSame(ctx, storage.Key(row.Target), content, row.Size)
		if err == nil && same {
			err = u.files.ClaimFile(ctx, storage.Key(row.Target))
		}
		if err != nil || same {
			return storage.Key(row.Target), nil, err
		}
	}
	policy := gallery.ConflictPolicy(strings.ToUpper(string(row.OnConflict)))
	err = u.files.TryNames(ctx, k, policy, func(k storage.Key, overwrite bool) error {
		// Store the path before the file exists, so that the file is recognized after a crash.
		if err := u.setTarget(ctx, row.ID, k); err != nil {
			return err
		}
		if _, err := content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		o := storage.CreateOptions{ContentType: contentType, Overwrite: overwrite, Parts: parts}
		st, err := u.files.CreateFile(ctx, k, content, o)
		target, made = k, &st
		if fault.CodeOf(err) == fault.Conflict { // the existing file is not from this upload
			if e := u.setTarget(context.WithoutCancel(ctx), row.ID, ""); e != nil {
				return errors.Join(err, e)
			}
		}
		return err
	})
	return target, made, err
}

func (u *Uploads) setTarget(ctx context.Context, id string, k storage.Key) error {
	return database.Translate(u.db.PendingUpload.UpdateOneID(id).SetTarget(string(k)).Exec(ctx))
}

// holdsSame reports whether the content of the file k equals that of r.
func (u *Uploads) holdsSame(ctx context.Context, k storage.Key, r io.ReadSeeker, size int64) (bool, error) {
	o, err := u.store.Open(ctx, k)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.Close()
	if o.Stat().Size != size {
		return false, nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	return storage.SameBytes(o, r)
}

func (u *Uploads) markDone(ctx context.Context, id string, target storage.Key) error {
	return u.db.Transact(ctx, func(tx *ent.Tx) error {
		if _, err := tx.PendingPart.Delete().Where(pendingpart.UploadID(id)).Exec(ctx); err != nil {
			return err
		}
		row, err := tx.PendingUpload.UpdateOneID(id).
			SetState(pendingupload.StateDone).
			SetTarget(string(target)).
			SetExpiresAt(u.expiry()).
			Save(ctx)
		if err != nil {
			return err
		}
		if u.link != nil {
			if err := u.link.links.CountUpload(ctx, tx, u.link.share, target, row.Size); err != nil {
				return err
			}
		}
		return u.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFileUpload,
			Target: audit.FileTarget(target),
			After:  audit.Facts{"size": row.Size, "onConflict": row.OnConflict},
		})
	})
}
