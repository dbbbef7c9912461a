package uploads

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
)

// checkQuota returns fault.RateLimited if another open upload of that size would exceed a quota. It holds a lock until
// the transaction ends: requests at once do not share the last place.
func (u *Uploads) checkQuota(ctx context.Context, tx *ent.Tx, owner uuid.UUID, size int64) error {
	if err := u.db.LockNames(ctx, tx.Client(), "upload quotas"); err != nil {
		return err
	}
	for _, q := range []struct {
		whose, verb     string
		of              []predicate.PendingUpload
		count, bytes    int64
		counted, summed string // the names of the settings
	}{
		{"this account", "has", []predicate.PendingUpload{pendingupload.OwnerID(owner)}, u.config.MaxOpen, u.config.MaxOpenBytes, "max-open-uploads", "max-open-bytes"},
		{"all accounts", "have", nil, u.config.MaxOpenTotal, u.config.MaxOpenTotalBytes, "max-open-uploads-total", "max-open-bytes-total"},
	} {
		if q.count == 0 && q.bytes == 0 {
			continue
		}
		var open []struct {
			Count int64            `json:"count"`
			Sum   entsql.NullInt64 `json:"sum"`
		}
		err := tx.PendingUpload.Query().Where(pendingupload.StateEQ(pendingupload.StateOpen), pendingupload.ExpiresAtGT(u.config.Now())).Where(q.of...).
			Aggregate(ent.Count(), ent.Sum(pendingupload.FieldSize)).Scan(ctx, &open)
		if err != nil {
			return err
		}
		if n := open[0].Count; q.count > 0 && n >= q.count {
			return fault.New(fault.RateLimited, "%s %s %d unfinished uploads, expected at most %d (setting %s): finish or cancel some first", q.whose, q.verb, n, q.count, q.counted)
		}
		if n := open[0].Sum.Int64; q.bytes > 0 && n+size > q.bytes {
			return fault.OnField(fault.RateLimited, "sizeBytes", "the unfinished uploads of %s would have %d bytes, expected at most %d (setting %s): finish or cancel some first", q.whose, n+size, q.bytes, q.summed)
		}
	}
	return nil
}

// checkStored returns fault.RateLimited if another file of that size would exceed a quota of stored files.
func (u *Uploads) checkStored(ctx context.Context, size int64) error {
	if u.config.MaxStored == 0 && u.config.MaxStoredBytes == 0 {
		return nil
	}
	return u.stored.Promise(ctx, size, func(files, bytes int64) error {
		if limit := u.config.MaxStored; limit > 0 && files > limit {
			return fault.New(fault.RateLimited, "%d files would be stored, expected at most %d (setting max-stored-files): delete some and empty the trash first", files, limit)
		}
		if limit := u.config.MaxStoredBytes; limit > 0 && bytes > limit {
			return fault.New(fault.RateLimited, "%d bytes would be stored, expected at most %d (setting max-stored-bytes): delete some files and empty the trash first", bytes, limit)
		}
		return nil
	})
}
