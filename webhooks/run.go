package webhooks

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhook"
	"github.com/safelight/safelight/ent/webhookdelivery"
)

const (
	maxConcurrent = 64          // concurrent attempts of all webhooks
	maxPerHook    = 8           // concurrent attempts of one webhook, also limited by its share of maxConcurrent
	window        = 1000        // number of the oldest waiting events of a webhook that are read at once
	maxWindows    = 10          // windows that are searched, if the events in earlier ones wait for a retry
	waveSize      = 64          // number of events that are sent before the outbox is read again
	pollInterval  = time.Second // maximum delay before a new event is noticed
)

// Run delivers events until ctx ends. Only one of the servers that use a database may run it at a time,
// because this preserves the order of events. If a server stops, the next one repeats the unfinished
// deliveries with the same ids.
func (h *Hooks) Run(ctx context.Context) {
	var (
		running sync.Map // ids of webhooks
		wg      sync.WaitGroup
		pruned  time.Time
	)
	defer wg.Wait()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for failed := false; ; {
		err := h.start(ctx, &running, &wg)
		if err == nil && time.Since(pruned) > pruneEvery {
			pruned = time.Now()
			err = h.prune(ctx)
		}
		if err != nil && !failed && ctx.Err() == nil { // only log the first error of a series
			h.log.WarnContext(ctx, "the outbox of webhooks cannot be read", "error", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// start starts a delivery loop for each active webhook that has none. Each webhook has its own share of the
// attempts, so that slow receivers do not delay others.
func (h *Hooks) start(ctx context.Context, running *sync.Map, wg *sync.WaitGroup) error {
	ids, err := h.db.Webhook.Query().Where(webhook.IsActive(true)).IDs(ctx)
	if err != nil {
		return database.Translate(err)
	}
	share := max(1, min(maxPerHook, maxConcurrent/max(1, len(ids))))
	for _, id := range ids {
		if _, busy := running.LoadOrStore(id, nil); busy {
			continue
		}
		wg.Go(func() {
			defer running.Delete(id)
			for more := true; more && ctx.Err() == nil; {
				var err error
				if more, err = h.wave(ctx, id, share); err != nil && ctx.Err() == nil {
					h.log.WarnContext(ctx, "events cannot be delivered", "webhook", id.String(), "error", err)
				}
			}
		})
	}
	return nil
}

// wave sends the oldest events of a webhook that may be sent now, at most waveSize, n at a time. more is
// false if there were none.
func (h *Hooks) wave(ctx context.Context, id uuid.UUID, n int) (more bool, err error) {
	w, err := h.db.Webhook.Get(ctx, id)
	if ent.IsNotFound(err) || err == nil && !w.IsActive {
		return false, nil
	}
	if err != nil {
		return false, database.Translate(err)
	}
	due, err := h.due(ctx, id)
	if err != nil {
		return false, database.Translate(err)
	}
	var all errgroup.Group
	all.SetLimit(n)
	for _, d := range due {
		all.Go(func() error { return h.attempt(ctx, d.ID) })
	}
	err = all.Wait()
	return len(due) > 0 && err == nil, err
}

// due returns the oldest events of a webhook that may be sent concurrently now, at most waveSize.
func (h *Hooks) due(ctx context.Context, id uuid.UUID) (due []*ent.WebhookDelivery, err error) {
	var taken paths
	now := h.config.Now()
	for after, n := 0, 0; n < maxWindows && len(due) == 0; n++ {
		rows, err := h.db.WebhookDelivery.Query().
			Where(
				webhookdelivery.WebhookID(id), webhookdelivery.StateEQ(webhookdelivery.StatePending),
				webhookdelivery.IDGT(after),
			).
			Order(webhookdelivery.ByID()).
			Limit(window).
			Select(
				webhookdelivery.FieldID, webhookdelivery.FieldSource, webhookdelivery.FieldTarget,
				webhookdelivery.FieldNextAt,
			).
			All(ctx)
		if err != nil {
			return nil, err
		}
		due = inOrder(&taken, rows, now, waveSize)
		if len(rows) < window {
			break
		}
		after = rows[len(rows)-1].ID
	}
	return due, nil
}

// inOrder returns at most n of the next events that may be sent concurrently now: they are due, and none of
// their paths equals, contains or is inside a path of an earlier event. It adds their paths to taken.
func inOrder(taken *paths, rows []*ent.WebhookDelivery, now time.Time, n int) (due []*ent.WebhookDelivery) {
	for _, d := range rows {
		free := !taken.overlap(d.Source) && !taken.overlap(d.Target)
		taken.add(d.Source)
		taken.add(d.Target)
		if free && !d.NextAt.After(now) {
			if due = append(due, d); len(due) == n {
				break
			}
		}
	}
	return due
}

// paths is a set of slash-separated paths. The zero value is empty.
type paths struct{ exact, above map[string]bool }

func (p *paths) add(path string) {
	if path == "" {
		return
	}
	if p.exact == nil {
		p.exact, p.above = map[string]bool{}, map[string]bool{}
	}
	p.exact[path] = true
	for above := parent(path); above != ""; above = parent(above) {
		p.above[above] = true
	}
}

// overlap reports whether the set contains path, a parent of it, or a path below it.
func (p *paths) overlap(path string) bool {
	if path == "" || p.above[path] {
		return path != ""
	}
	for ; path != ""; path = parent(path) {
		if p.exact[path] {
			return true
		}
	}
	return false
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
