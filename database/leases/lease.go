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

// lease is a lease that this server has taken.
type lease struct {
	of    *Leases
	name  string
	fence int64
	// when the last renewal was requested: the lease is held for at least Config.Time from then
	renewed atomic.Pointer[time.Time]
}

func (h *lease) extend(asked time.Time) { h.renewed.Store(&asked) }

// left returns for how long the lease is certainly held. The larger of the elapsed times of two clocks counts: the
// monotonic clock may stop while a computer sleeps, the other may be set.
func (h *lease) left() time.Duration {
	asked, now := *h.renewed.Load(), time.Now()
	return h.of.config.Time - max(now.Sub(asked), now.Round(0).Sub(asked.Round(0)))
}

// do calls work with a context that ends with the lease, then ends the lease. It reports whether work returned while it
// was held.
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
			wait = min(left, wait/10) // the last renewal has failed
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

// renew asks the database for more time. It returns false if another server has the lease.
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
	// if this fails, it expires by itself
	_, _ = h.of.db.ExecContext(
		ctx,
		"UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND fence = $2 AND expires_at > "+
			"clock_timestamp()",
		h.name, h.fence,
	)
}

// lock is the fence of transactions: until the commit, no other server can take the lease.
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

// check is the fence of changes of a storage, which cannot compare the fencing number: it asks the database if a
// renewal is overdue.
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
