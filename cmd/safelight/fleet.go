package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database/notices"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/purges"
)

// fleet is what a server needs to follow the other servers on its database.
type fleet struct {
	bus     *notices.Bus
	results *purges.Results
	// The positions in the log of notices, read before anything else: one for changes of settings, and one for purges,
	// which must also reach cached results of earlier runs.
	settings, purges int64
}

// positionFile returns the path of the file that contains the position in the log of notices up to which this server
// has applied the purges of others.
func positionFile(s *Settings) string { return filepath.Join(s.Data, "purges") }

// joinFleet connects a server with the other servers on its database. It returns the server's results, whose purges
// then also reach the other servers. On SQLite there are no others.
func (at *site) joinFleet(ctx context.Context) (gallery.Results, error) {
	if at.Dialect != dialect.Postgres {
		return at.Results, nil
	}
	address, err := postgresAddress(at.Settings.Database)
	if err != nil {
		return nil, err
	}
	f := &fleet{bus: notices.New(address, at.DB)}
	if f.settings, err = f.bus.End(ctx); err != nil {
		return nil, err
	}
	if f.purges, err = f.bus.Position(ctx, positionFile(at.Settings)); err != nil {
		return nil, err
	}
	f.results = purges.New(at.Results, f.bus)
	at.fleet = f
	return f.results, nil
}

// followFleet applies the changes of other servers on the database until stop is called or ctx ends. stop waits until
// this has ended, so that the database can be closed.
func (at *site) followFleet(ctx context.Context, log *slog.Logger) (stop func()) {
	f := at.fleet
	if f == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { f.bus.Run(ctx) })
	wg.Go(func() {
		f.bus.Follow(ctx, f.settings, notices.Follower{Log: log, Missed: func(ctx context.Context) error {
			at.live.Wake()
			return errors.Join(at.Signing.Reload(ctx), at.Presets.Reload(ctx), at.Fonts.Reload(ctx))
		},
			Apply: func(ctx context.Context, n notices.Notice) error { return at.applySettings(ctx, n.Topic) }})
	})
	// In a separate goroutine, because a purge may wait for the disk.
	wg.Go(func() { f.bus.Follow(ctx, f.purges, at.purgesFollower(log)) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// applySettings reloads what a server, including this one, has changed.
func (at *site) applySettings(ctx context.Context, topic string) error {
	switch topic {
	case notices.ProcessorSettings, notices.SigningKeys:
		return at.Signing.Reload(ctx)
	case notices.Presets:
		return at.Presets.Reload(ctx)
	case notices.Fonts:
		return at.Fonts.Reload(ctx)
	case notices.StorageSettings:
		at.live.Wake()
	}
	return nil
}

// purgesFollower returns the follower that applies the purges of other servers.
func (at *site) purgesFollower(log *slog.Logger) notices.Follower {
	results := at.fleet.results
	return notices.Follower{Log: log,
		Apply: func(ctx context.Context, n notices.Notice) error {
			if n.Topic != purges.Topic {
				return nil
			}
			return results.Apply(ctx, n.Body, at.Files().Gallery.Versions.Forget)
		},
		Missed: func(ctx context.Context) error {
			log.WarnContext(
				ctx,
				"this server has missed purges by other servers, so it purges all of its cached results",
			)
			return results.ApplyAll(ctx, at.Files().Gallery.Versions.Forget)
		},
		Reached: func(position int64) {
			if err := notices.Keep(positionFile(at.Settings), position); err != nil {
				log.Warn(
					"the position in the log of purges cannot be saved, so purges are repeated after a restart",
					"error", err,
				)
			}
		},
	}
}
