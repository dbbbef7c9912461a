package intents

import (
	"context"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Fence returns a context whose storage changes fail with fault.Unavailable once the intent has expired. In
// that case this process was frozen or disconnected from the database, and another server completes the
// change.
func (t *Table) Fence(ctx context.Context, id int) context.Context {
	if !t.db.IsPostgres() {
		return ctx
	}
	return storage.WithFence(ctx, func(ctx context.Context) error { return t.check(ctx, id) })
}

func (t *Table) check(ctx context.Context, id int) error {
	asked, live := t.renewed(id)
	if live && since(asked) < staleAfter {
		return nil
	}
	n, err := t.renew(ctx, intent.ID(id))
	if err == nil && n == 0 {
		f := fault.New(fault.Unavailable, "the change took so long that another server has taken it over, try again")
		f.RetryAfter = conflictWait
		return f
	}
	return err
}

// since returns the time since t, by the wall clock or the monotonic clock, whichever shows more: one stops
// while a computer sleeps, the other can be set.
func since(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}

// Renew renews the intents of this process that have not expired.
func (t *Table) Renew(ctx context.Context) error {
	ids := t.ids()
	if len(ids) == 0 {
		return nil
	}
	_, err := t.renew(ctx, intent.IDIn(ids...))
	return err
}

// renew renews the given intents that have not expired, and counts them. Changes in progress continue when
// the guard ends: after the main storage was replaced, changes in it have no row, and changes in mounts keep
// theirs.
func (t *Table) renew(ctx context.Context, these predicate.Intent) (int, error) {
	these = intent.And(these, intent.Owner(t.owner))
	if t.db.IsPostgres() { // on SQLite, the only server cannot lose its intents to another
		these = intent.And(these, intent.SeenGTE(t.expired()))
	}
	asked := time.Now()
	var ids []int
	err := t.db.Transact(database.WithoutGuard(ctx), func(tx *ent.Tx) error {
		if err := tx.Intent.Update().Where(these).SetSeen(t.now().UnixNano()).Exec(ctx); err != nil {
			return err
		}
		var err error
		ids, err = tx.Intent.Query().Where(these).IDs(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if _, live := t.live[id]; live {
			t.live[id] = asked
		}
	}
	return len(ids), nil
}

// Abandoned returns the intents that were last renewed earlier than before, oldest first, without those of
// this process.
func (t *Table) Abandoned(ctx context.Context, before time.Time) ([]*ent.Intent, error) {
	rows, err := t.db.Intent.Query().Where(intent.SeenLT(before.UnixNano())).Order(ent.Asc(intent.FieldID)).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	var others []*ent.Intent
	for _, r := range rows {
		if !t.IsLive(r.ID) {
			others = append(others, r)
		}
	}
	return others, nil
}

// Adopt makes this process the owner of an abandoned intent. The caller completes the change, deletes the row
// and calls End. taken is false if another server was faster, or is making an overlapping change; the intent
// is then retried later.
func (t *Table) Adopt(ctx context.Context, r *ent.Intent) (taken bool, err error) {
	asked := time.Now()
	err = t.db.Transact(ctx, func(tx *ent.Tx) error {
		taken = false
		if t.db.IsPostgres() { // on SQLite, the only server adopts its own recent intents after a crash
			busy, err := t.locked(ctx, tx.Client(), Of(r).Keys(), t.expired()) // not by abandoned intents
			if err != nil || busy {
				return err
			}
		}
		n, err := tx.Intent.Update().
			Where(intent.ID(r.ID), intent.Owner(r.Owner), intent.Seen(r.Seen)).
			SetOwner(t.owner).
			SetSeen(t.now().UnixNano()).
			Save(ctx)
		taken = n == 1
		return err
	})
	if err != nil || !taken {
		return false, err
	}
	t.set(r.ID, asked)
	return true, nil
}

// Abandon returns an adopted intent that could not be completed. It no longer locks its paths, and is retried
// later.
func (t *Table) Abandon(ctx context.Context, r *ent.Intent) error {
	t.End(r.ID)
	return database.Translate(
		t.db.Intent.Update().Where(intent.ID(r.ID), intent.Owner(t.owner)).SetSeen(r.Seen).Exec(ctx),
	)
}
