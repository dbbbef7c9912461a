package uploads

import (
	"context"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
)

// linkTTL is how long an upload of a visitor may be idle. It is shorter than for accounts, because an announced upload
// holds its bytes of the quota of the link, without having sent any.
const linkTTL = time.Hour

// expiry returns when an upload ends to which something happens now.
func (u *Uploads) expiry() time.Time {
	ttl := u.config.TTL
	if u.link != nil {
		ttl = min(ttl, linkTTL)
	}
	return u.config.Now().Add(ttl)
}

// checkLink returns an error unless the link takes a new upload of that size beside the open ones. Quotas of uploads
// are locked, so that concurrent requests do not exceed the quota together.
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

// CheckLink returns an error if the link does not take an open upload any more, because its quota was lowered. Uploads
// that were announced earlier come first: those that pass never exceed the quota together.
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

// AnnouncedBytes returns the size of the files in the open uploads of the link.
func (u *Uploads) AnnouncedBytes(ctx context.Context) (int64, error) {
	open, err := u.open(ctx, u.db.Client, u.own())
	return open.Bytes, err
}
