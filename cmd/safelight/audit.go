package main

import (
	"context"
	"log/slog"
	"time"
)

// pruneEvery is the interval of pruning the audit log.
const pruneEvery = 6 * time.Hour

// pruneAudit prunes events older than the setting audit-retention until stop is called or ctx ends.
func (at *site) pruneAudit(ctx context.Context, log *slog.Logger) (stop func()) {
	if at.Settings.AuditRetention == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(operator(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(pruneEvery)
		defer tick.Stop()
		for {
			if gone, err := at.Audit.Prune(ctx, at.Settings.AuditRetention); err != nil && ctx.Err() == nil {
				log.Error("the audit log could not be pruned", "error", err)
			} else if gone > 0 {
				log.Info("the audit log was pruned", "events", gone)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
