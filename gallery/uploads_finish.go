package gallery

import (
	"context"
	"io"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// busyFor is how long an upload is held by who finishes it, and busyEvery how often that is renewed: after
// a crash another one can finish it this much later.
const (
	busyFor   = 15 * time.Second
	busyEvery = 3 * time.Second
)

// FinishUpload checks the bytes of an upload of the caller's and makes the file visible as a whole. For one
// that is finished already it returns the same again; the file is nil when it has been removed since.
// fault.Conflict while bytes are missing, while another request finishes it, and when the path is
// taken; what AddFile says of bytes that are no picture.
func (g *Gallery) FinishUpload(ctx context.Context, id string) (*PendingUpload, *FileItem, error) {
	row, err := g.owned(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if row.State != pendingupload.StateDone {
		if row, err = g.finish(ctx, row); err != nil {
			return nil, nil, err
		}
	}
	file, err := g.StatFile(ctx, row.Target)
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return nil, nil, err
	}
	return g.pending(row), file, nil
}

// CompleteUpload is FinishUpload of the caller's last upload for a path.
func (g *Gallery) CompleteUpload(ctx context.Context, p string) error {
	k, err := writableKey(p, "path")
	if err != nil {
		return err
	}
	row, err := g.db.PendingUpload.Query().
		Where(pendingupload.OwnerID(auth.FromContext(ctx).UserID), pendingupload.Path(string(k)), pendingupload.ExpiresAtGT(g.config.Now())).
		Order(pendingupload.ByCreatedAt(entsql.OrderDesc()), pendingupload.ByID(entsql.OrderDesc())).First(ctx)
	if ent.IsNotFound(err) {
		return fault.OnField(fault.NotFound, "path", "no upload of yours is for %s, or it has expired", k)
	}
	if err != nil {
		return translate(err)
	}
	_, _, err = g.FinishUpload(ctx, row.ID)
	return err
}

// idle holds for uploads that nobody is finishing.
func (g *Gallery) idle() predicate.PendingUpload {
	return pendingupload.Or(pendingupload.BusyUntilIsNil(), pendingupload.BusyUntilLTE(g.config.Now()))
}

func (g *Gallery) finish(ctx context.Context, row *ent.PendingUpload) (*ent.PendingUpload, error) {
	if row.Received < row.Size {
		return nil, fault.New(fault.Conflict, "%d of %d bytes have arrived", row.Received, row.Size)
	}
	n, err := g.db.PendingUpload.Update().Where(pendingupload.ID(row.ID), pendingupload.StateEQ(pendingupload.StateOpen), pendingupload.Received(row.Size), g.idle()).
		SetBusyUntil(g.config.Now().Add(busyFor)).Save(ctx)
	if err != nil {
		return nil, translate(err)
	}
	if n == 0 {
		return g.finished(ctx, row.ID)
	}
	release := g.stayBusy(ctx, row.ID)
	defer release()
	if row, err = g.db.PendingUpload.Get(ctx, row.ID); err != nil {
		return nil, translate(err)
	}
	target, err := g.appear(ctx, row)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the file is there: that must be known, whoever still listens
	if err := g.markDone(ctx, row.ID, target); err != nil {
		return nil, err
	}
	if err := g.clearStaging(ctx, row.ID); err != nil {
		g.log.WarnContext(ctx, "the pieces of an upload stay until it expires", "error", err)
	}
	row, err = g.db.PendingUpload.Get(ctx, row.ID)
	return row, translate(err)
}

// finished returns an upload that another request has just finished.
func (g *Gallery) finished(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := g.unexpired(ctx, id)
	if err != nil || row.State == pendingupload.StateDone {
		return row, err
	}
	f := fault.New(fault.Conflict, "the upload is being finished by another request, ask again")
	f.RetryAfter = time.Second
	return nil, f
}

// stayBusy renews the hold on an upload until release is called, which ends it.
func (g *Gallery) stayBusy(ctx context.Context, id string) (release func()) {
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
				_ = g.db.PendingUpload.Update().Where(pendingupload.ID(id)).SetBusyUntil(g.config.Now().Add(busyFor)).Exec(ctx) // the next one may succeed
			}
		}
	}()
	return func() {
		cancel()
		<-done
		_ = g.db.PendingUpload.Update().Where(pendingupload.ID(id)).ClearBusyUntil().Exec(context.WithoutCancel(ctx)) // else it ends by itself
	}
}

// appear makes the file of an upload and returns its name.
func (g *Gallery) appear(ctx context.Context, row *ent.PendingUpload) (storage.Key, error) {
	k := storage.Key(row.Path)
	parts, err := g.parts(ctx, row.ID)
	if err != nil {
		return "", err
	}
	all := newAssembly(ctx, g.store, stagingFolder(row.ID), parts)
	defer all.Close()
	contentType, err := g.checkFile(ctx, k, all, row.Size)
	if err != nil {
		return "", err
	}
	if row.Target != "" { // somebody tried before, and may have succeeded
		if same, err := g.holdsSame(ctx, storage.Key(row.Target), all, row.Size); err != nil || same {
			return storage.Key(row.Target), err
		}
	}
	var target storage.Key
	policy := ConflictPolicy(strings.ToUpper(string(row.OnConflict)))
	err = g.choose(ctx, k, policy, func(k storage.Key, overwrite bool) error {
		if err := g.free(ctx, k, overwrite); err != nil {
			return err
		}
		// noted before the file is there, for who finishes this after a crash
		if err := g.db.PendingUpload.UpdateOneID(row.ID).SetTarget(string(k)).Exec(ctx); err != nil {
			return translate(err)
		}
		if _, err := all.Seek(0, io.SeekStart); err != nil {
			return err
		}
		target = k
		_, err := g.create(ctx, k, all, storage.CreateOptions{ContentType: contentType, Overwrite: overwrite})
		return err
	})
	return target, err
}

// free returns fault.Conflict when nothing can be written to k.
func (g *Gallery) free(ctx context.Context, k storage.Key, overwrite bool) error {
	st, err := g.store.Stat(ctx, k)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case overwrite && !st.IsFolder:
		return nil
	}
	return fault.OnField(fault.Conflict, "path", "%s exists already", k)
}

// holdsSame reports whether the file k has just these bytes.
func (g *Gallery) holdsSame(ctx context.Context, k storage.Key, r io.ReadSeeker, size int64) (bool, error) {
	o, err := g.store.Open(ctx, k)
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
	return sameBytes(o, r)
}

func (g *Gallery) markDone(ctx context.Context, id string, target storage.Key) error {
	return g.tx(ctx, func(tx *ent.Tx) error {
		if _, err := tx.PendingPart.Delete().Where(pendingpart.UploadID(id)).Exec(ctx); err != nil {
			return err
		}
		row, err := tx.PendingUpload.UpdateOneID(id).SetState(pendingupload.StateDone).SetTarget(string(target)).SetExpiresAt(g.config.Now().Add(g.config.UploadTTL)).Save(ctx)
		if err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionFileUpload, target: fileTarget(target), after: facts{"size": row.Size, "onConflict": row.OnConflict}})
	})
}
