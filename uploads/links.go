package uploads

import (
	"context"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
)

// linkTTL is how long an upload of a visitor may be idle. It is shorter than for accounts, because a newly
// created upload counts against the quota of the link before any bytes are sent.
const linkTTL = time.Hour

// expiry returns when an upload expires that is active now.
func (u *Uploads) expiry() time.Time {
	ttl := u.config.TTL
	if u.link != nil {
		ttl = min(ttl, linkTTL)
	}
	return u.config.Now().Add(ttl)
}

// checkLink returns an error unless the link accepts a new upload of this size, in addition to the open ones.
// It locks the quotas of uploads, so that concurrent requests cannot exceed the quota together.
func (u *Uploads) checkLink(ctx context.Context, tx *ent.Tx, size int64) error {
	if u.link == nil {
		return nil
	}
	open, err := u.open(ctx, tx.Client(), u.own())
	if err != nil {
		return err
	}
	return u.link.links.CheckUpload(ctx, tx, u.link.share, open.Bytes+size)
}

// CheckLink returns an error if the link no longer accepts an open upload, because its quota was lowered.
// Uploads that were created earlier take precedence, so that the accepted uploads never exceed the quota
// together.
func (u *Uploads) CheckLink(ctx context.Context, id string) error {
	if u.link == nil {
		return nil
	}
	return u.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err := tx.PendingUpload.Query().Where(pendingupload.ID(id), u.own()).Only(ctx)
		if ent.IsNotFound(err) {
			return noUpload()
		}
		if err != nil || row.State == pendingupload.StateDone {
			return err
		}
		earlier, err := u.open(ctx, tx.Client(), u.own(), pendingupload.IDNEQ(id), pendingupload.Or(
			pendingupload.CreatedAtLT(row.CreatedAt),
			pendingupload.And(pendingupload.CreatedAtEQ(row.CreatedAt), pendingupload.IDLT(id)),
		))
		if err != nil {
			return err
		}
		return u.link.links.CheckUpload(ctx, tx, u.link.share, earlier.Bytes+row.Size)
	})
}

// AnnouncedBytes returns the total size of the files in open uploads of the link.
func (u *Uploads) AnnouncedBytes(ctx context.Context) (int64, error) {
	open, err := u.open(ctx, u.db.Client, u.own())
	return open.Bytes, err
}
