package leases

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// lease is a lease that this server holds.
type lease struct {
	of    *Leases
	name  string
	fence int64
	// When the last renewal was requested. The lease is held for at least Config.Time from then.
	renewed atomic.Pointer[time.Time]
}

func (h *lease) extend(asked time.Time) { h.renewed.Store(&asked) }

// left returns how long the lease is certainly held. It compares the monotonic and the wall clock, and uses
// the larger elapsed time: the monotonic clock may stop while a computer sleeps, and the wall clock may be
// set.
func (h *lease) left() time.Duration {
	asked, now := *h.renewed.Load(), time.Now()
	return h.of.config.Time - max(now.Sub(asked), now.Round(0).Sub(asked.Round(0)))
}

// do calls work with a context that ends with the lease, and then releases the lease. It reports whether work
// returned while the lease was held.
func (h *lease) do(ctx context.Context, work func(context.Context)) (finished bool) {
	inside, cancel := context.WithCancel(ctx)
	inside = storage.WithFence(database.WithFence(inside, h.lock), h.check)
	var wg sync.WaitGroup
	wg.Go(func() {
		h.keep(inside)
		cancel()
	})
	work(inside)
	finished = inside.Err() == nil
	cancel()
	wg.Wait()
	h.end(context.WithoutCancel(ctx))
	return finished
}

// keep renews the lease until ctx ends or the lease is lost.
func (h *lease) keep(ctx context.Context) {
	for {
		wait := h.of.config.Time / 3
		if left := h.left(); left < wait {
			wait = min(left, wait/10) // the last renewal failed
		}
		if wait <= 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if !h.renew(ctx) {
			return
		}
	}
}

// renew extends the lease in the database. It returns false if another server holds the lease.
func (h *lease) renew(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, max(h.left(), 0))
	defer cancel()
	asked := time.Now()
	result, err := h.of.db.ExecContext(
		ctx,
		"UPDATE leases SET expires_at = clock_timestamp() + make_interval(secs => $1) WHERE name = $2 AND fence = $3",
		h.of.config.Time.Seconds(), h.name, h.fence,
	)
	if err != nil {
		return true // unknown: the lease may expire
	}
	n, err := result.RowsAffected()
	if err == nil && n == 1 {
		h.extend(asked)
	}
	return err != nil || n == 1
}

// end releases the lease, so that another server can take it immediately.
func (h *lease) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, h.of.config.Time)
	defer cancel()
	// If this fails, the lease expires by itself.
	_, _ = h.of.db.ExecContext(
		ctx,
		"UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND fence = $2 AND expires_at > "+
			"clock_timestamp()",
		h.name, h.fence,
	)
}

// lock is the fence of transactions. Until the commit, no other server can take the lease.
func (h *lease) lock(ctx context.Context, tx *ent.Client) error {
	rows, err := tx.QueryContext(
		ctx, "SELECT "+database.LimitIdle+" FROM leases WHERE name = $1 AND fence = $2 FOR KEY SHARE", h.name,
		h.fence,
	)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return nil
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return errLost(h.name)
}

// check is the fence of storage changes, which cannot check the fencing number. If a renewal is overdue, it
// asks the database.
func (h *lease) check(ctx context.Context) error {
	if h.left() > h.of.config.Time/3 {
		return nil
	}
	var held bool
	const query = "SELECT expires_at > clock_timestamp() FROM leases WHERE name = $1 AND fence = $2"
	err := h.of.db.QueryRowContext(ctx, query, h.name, h.fence).
		Scan(&held)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return database.Translate(err)
	}
	if !held {
		return errLost(h.name)
	}
	return nil
}
