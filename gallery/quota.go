package gallery

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
)

// QuotaLimits are the quotas; 0 means no limit.
type QuotaLimits struct {
	Files, Bytes           int64 // of an account
	TotalFiles, TotalBytes int64 // of all accounts, including files without an owner
}

// Space is a number of files and their bytes.
type Space struct{ Files, Bytes int64 }

// Plus returns the sum.
func (s Space) Plus(t Space) Space { return Space{s.Files + t.Files, s.Bytes + t.Bytes} }

func (s Space) minus(t Space) Space { return Space{s.Files - t.Files, s.Bytes - t.Bytes} }

// A sum is cached for maxSumAge, because computing it reads many rows. Before a file is refused, a sum older
// than minSumAge is computed again.
const (
	maxSumAge = 10 * time.Second
	minSumAge = time.Second
)

// maxAccounts is how many accounts' sums are cached.
const maxAccounts = 1000

// Quotas compares what is stored with limits. The rows of the index determine what is stored and who owns it.
// The trash counts until it is purged. Sums are up to ten seconds old, so several servers together may exceed
// a quota by what they accept in that time. All methods are safe for concurrent use.
type Quotas struct {
	limits QuotaLimits
	db     *database.DB
	now    func() time.Time

	mu       sync.Mutex
	accounts map[uuid.UUID]*accountSpace // uuid.Nil is the sum of all
}

// accountSpace is what an account stores.
type accountSpace struct {
	at       time.Time // when stored was read; zero: never
	stored   Space     // at that time, plus what was written since
	reserved Space     // for files that are being written
}

// newQuotas returns the quotas of the files in db; now is the clock.
func newQuotas(l QuotaLimits, db *database.DB, now func() time.Time) *Quotas {
	return &Quotas{limits: l, db: db, now: now, accounts: map[uuid.UUID]*accountSpace{}}
}

// Limited reports whether any quota is set.
func (q *Quotas) Limited() bool { return q.limits != (QuotaLimits{}) }

// Check returns fault.RateLimited if storing own would exceed the caller's quota, or storing all would exceed
// the quota of all accounts.
func (q *Quotas) Check(ctx context.Context, own, all Space) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.checkBoth(ctx, own, all)
}

// checkBoth is Check. The caller holds mu.
func (q *Quotas) checkBoth(ctx context.Context, own, all Space) error {
	if id := auth.FromContext(ctx).UserID; id != uuid.Nil {
		if err := q.check(ctx, id, own); err != nil {
			return err
		}
	}
	return q.check(ctx, uuid.Nil, all)
}

// reserve is Check for files that the caller is about to write. Their space counts immediately. The caller
// then calls done, with true once the files are indexed, or with false if they were not written.
func (q *Quotas) reserve(ctx context.Context, s Space) (done func(written bool), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.checkBoth(ctx, s, s); err != nil {
		return nil, err
	}
	var reserved []*accountSpace
	for _, id := range slices.Compact([]uuid.UUID{uuid.Nil, auth.FromContext(ctx).UserID}) {
		if a := q.accounts[id]; a != nil {
			a.reserved = a.reserved.Plus(s)
			reserved = append(reserved, a)
		}
	}
	return func(written bool) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, a := range reserved {
			if a.reserved = a.reserved.minus(s); written {
				a.stored = a.stored.Plus(s)
			}
		}
	}, nil
}

// Write calls do, which writes the content of r to path. It returns the errors of do, and fault.RateLimited
// if a quota would be exceeded. A replaced file counts as one file, but until it is replaced, its size counts
// in addition to that of the new content. The size of r is only known in advance if r can seek.
func (q *Quotas) Write(ctx context.Context, path string, r io.Reader, do func() error) error {
	if !q.Limited() {
		return do()
	}
	s := Space{Files: 1}
	exists, err := q.db.Entry.Query().Where(entry.Path(path), entry.Kind(kindFile)).Exist(ctx)
	if err != nil {
		return database.Translate(err)
	}
	if exists {
		s.Files = 0
	}
	if seeker, ok := r.(io.Seeker); ok {
		if s.Bytes, err = rest(seeker); err != nil {
			return fmt.Errorf("measuring a file: %w", err)
		}
	}
	return q.reserving(ctx, s, do)
}

// rest returns the number of remaining bytes, without moving the offset.
func rest(r io.Seeker) (int64, error) {
	at, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	end, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	_, err = r.Seek(at, io.SeekStart)
	return end - at, err
}

// reserving calls do, which writes files that need the space s. It returns the errors of do, and
// fault.RateLimited if a quota would be exceeded.
func (q *Quotas) reserving(ctx context.Context, s Space, do func() error) error {
	done, err := q.reserve(ctx, s)
	if err != nil {
		return err
	}
	err = do()
	done(err == nil)
	return err
}

// Copy calls do, which copies the files that match. It returns the errors of do, and fault.RateLimited if a
// quota would be exceeded.
func (q *Quotas) Copy(ctx context.Context, match predicate.Entry, do func() error) error {
	if !q.Limited() {
		return do()
	}
	s, err := usedSpace(ctx, q.db.Client, match)
	if err != nil {
		return err
	}
	return q.reserving(ctx, s, do)
}

// usedSpace returns the space that the matching files take, according to the index.
func usedSpace(ctx context.Context, db *ent.Client, match ...predicate.Entry) (Space, error) {
	var sums []struct {
		Count int64            `json:"count"`
		Sum   entsql.NullInt64 `json:"sum"`
	}
	err := db.Entry.Query().
		Where(entry.Kind(kindFile)).
		Where(match...).
		Aggregate(ent.Count(), ent.Sum(entry.FieldSize)).
		Scan(ctx, &sums)
	if err != nil {
		return Space{}, database.Translate(err)
	}
	return Space{sums[0].Count, sums[0].Sum.Int64}, nil
}

// setOwner makes the caller the owner of the matching files. Without a caller, it does nothing.
func setOwner(ctx context.Context, db *ent.Client, match ...predicate.Entry) error {
	id := auth.FromContext(ctx).UserID
	if id == uuid.Nil {
		return nil
	}
	return db.Entry.Update().Where(entry.Kind(kindFile)).Where(match...).SetOwnerID(id).Exec(ctx)
}

// check returns fault.RateLimited if storing s would exceed the quota of an account, or of all accounts for
// uuid.Nil. The caller holds mu.
func (q *Quotas) check(ctx context.Context, id uuid.UUID, s Space) error {
	limit, whose, suffix := Space{q.limits.Files, q.limits.Bytes}, "this account", ""
	if id == uuid.Nil {
		limit, whose, suffix = Space{q.limits.TotalFiles, q.limits.TotalBytes}, "all accounts together", "-total"
	}
	if limit == (Space{}) {
		return nil
	}
	a, err := q.read(ctx, id, maxSumAge)
	if err != nil {
		return err
	}
	if refused(a, s, limit, whose, suffix) == nil {
		return nil
	}
	if a, err = q.read(ctx, id, minSumAge); err != nil {
		return err
	}
	return refused(a, s, limit, whose, suffix)
}

func refused(a *accountSpace, s, limit Space, whose, suffix string) error {
	sum := a.stored.Plus(a.reserved).Plus(s)
	if limit.Files > 0 && s.Files > 0 && sum.Files > limit.Files {
		return fault.New(fault.RateLimited, "%s would store %d files, expected at most %d (setting "+
			"max-stored-files%s): delete some and purge them from the trash first", whose, sum.Files, limit.Files, suffix)
	}
	if limit.Bytes > 0 && s.Bytes > 0 && sum.Bytes > limit.Bytes {
		return fault.New(fault.RateLimited, "%s would store %d bytes, expected at most %d (setting "+
			"max-stored-bytes%s): "+
			"delete some files and purge them from the trash first", whose, sum.Bytes, limit.Bytes, suffix)
	}
	return nil
}

// By returns what an account stores. The result is at most maxSumAge old.
func (q *Quotas) By(ctx context.Context, id uuid.UUID) (Space, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, err := q.read(ctx, id, maxSumAge)
	if err != nil {
		return Space{}, err
	}
	return a.stored, nil
}

// read returns what an account stores. The result is at most age old. The caller holds mu.
func (q *Quotas) read(ctx context.Context, id uuid.UUID, age time.Duration) (*accountSpace, error) {
	now := q.now()
	a := q.accounts[id]
	if a != nil && now.Sub(a.at) < age {
		return a, nil
	}
	var match []predicate.Entry
	if id != uuid.Nil {
		match = append(match, entry.OwnerID(id))
	}
	sum, err := usedSpace(ctx, q.db.Client, match...)
	if err != nil {
		return nil, err
	}
	if a == nil {
		q.forget()
		a = &accountSpace{}
		q.accounts[id] = a
	}
	a.at, a.stored = now, sum
	return a, nil
}

// forget evicts an account to make room for another. The caller holds mu.
func (q *Quotas) forget() {
	for id, a := range q.accounts {
		if len(q.accounts) < maxAccounts {
			return
		}
		if a.reserved == (Space{}) {
			delete(q.accounts, id)
		}
	}
}
