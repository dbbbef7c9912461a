package uploads

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
)

// checkOpen returns fault.RateLimited if another open upload of this size would exceed a quota. It locks the
// quotas until the transaction ends, so that concurrent requests cannot exceed them together. The visitors of
// a link have the same quotas as an account, and do not use up those of its owner.
func (u *Uploads) checkOpen(ctx context.Context, tx *ent.Tx, owner uuid.UUID, size int64) error {
	if err := u.db.LockNames(ctx, tx.Client(), "upload quotas"); err != nil {
		return err
	}
	whose, verb := "this account", "has"
	if u.link != nil {
		whose, verb = "the visitors of this link", "have"
	}
	for _, q := range []struct {
		whose, verb     string
		of              []predicate.PendingUpload
		count, bytes    int64
		counted, summed string // names of the settings
	}{
		{whose, verb, []predicate.PendingUpload{pendingupload.OwnerID(owner), u.own()}, u.config.MaxOpen,
			u.config.MaxOpenBytes, "max-open-uploads", "max-open-bytes"},
		{"all accounts", "have", nil, u.config.MaxOpenTotal, u.config.MaxOpenTotalBytes, "max-open-uploads-total",
			"max-open-bytes-total"},
	} {
		if q.count == 0 && q.bytes == 0 {
			continue
		}
		open, err := u.open(ctx, tx.Client(), q.of...)
		if err != nil {
			return err
		}
		if n := open.Files; q.count > 0 && n >= q.count {
			return fault.New(
				fault.RateLimited,
				"%s %s %d unfinished uploads, expected at most %d (setting %s): finish or cancel some first",
				q.whose, q.verb, n, q.count, q.counted,
			)
		}
		if n := open.Bytes; q.bytes > 0 && n+size > q.bytes {
			return fault.OnField(
				fault.RateLimited, "sizeBytes",
				"the unfinished uploads of %s would have %d bytes, expected at most %d (setting %s): finish or "+
					"cancel some first",
				q.whose, n+size, q.bytes, q.summed,
			)
		}
	}
	return nil
}

// open returns the number and the total size of the files in open uploads that match.
func (u *Uploads) open(ctx context.Context, db *ent.Client, match ...predicate.PendingUpload) (gallery.Space, error) {
	var open []struct {
		Count int64            `json:"count"`
		Sum   entsql.NullInt64 `json:"sum"`
	}
	err := db.PendingUpload.Query().
		Where(pendingupload.StateEQ(pendingupload.StateOpen), pendingupload.ExpiresAtGT(u.config.Now())).
		Where(match...).
		Aggregate(ent.Count(), ent.Sum(pendingupload.FieldSize)).
		Scan(ctx, &open)
	if err != nil {
		return gallery.Space{}, database.Translate(err)
	}
	return gallery.Space{Files: open[0].Count, Bytes: open[0].Sum.Int64}, nil
}

// checkStored returns fault.RateLimited if a new upload of this size, in addition to the open ones, would
// exceed a quota of stored files.
func (u *Uploads) checkStored(ctx context.Context, owner uuid.UUID, in CreateUploadInput) error {
	if !u.stored.Limited() {
		return nil
	}
	own, err := u.open(ctx, u.db.Client, pendingupload.OwnerID(owner))
	if err != nil {
		return err
	}
	all, err := u.open(ctx, u.db.Client)
	if err != nil {
		return err
	}
	file := gallery.Space{Files: 1, Bytes: in.SizeBytes}
	if in.OnConflict == gallery.ConflictReplace {
		file.Files = 0 // the quota of the number of files is checked when the file is written
	}
	return u.stored.Check(ctx, own.Plus(file), all.Plus(file))
}

// CheckRoom returns fault.RateLimited if the caller cannot store a number of bytes. It is called before a
// request with files is read. Files that will be replaced still count.
func (u *Uploads) CheckRoom(ctx context.Context, bytes int64) error {
	one := gallery.Space{Bytes: max(bytes, 1)}
	return u.stored.Check(ctx, one, one)
}
