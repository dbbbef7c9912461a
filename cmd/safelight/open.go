package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"os"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// site is what most commands work on: the gallery, and what lies under it.
type site struct {
	Settings *Settings
	Gallery  *gallery.Gallery
	Keys     *auth.Keyring
	Store    storage.Store
	DB       *sql.DB
	Dialect  string
	closers  []io.Closer
}

// Close closes what was opened, last first.
func (s *site) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		_ = s.closers[i].Close() // nothing is left to be written
	}
}

// open makes the data folder and opens keys, database (migrated) and storage. engine is nil for
// commands that look at no pictures. The caller closes the site. change may add to the gallery's settings.
func open(ctx context.Context, s *Settings, engine imaging.Engine, log *slog.Logger, change ...func(*gallery.Config)) (_ *site, err error) {
	at := &site{Settings: s}
	defer func() {
		if err != nil {
			at.Close()
		}
	}()
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	if at.Keys, err = openKeys(s); err != nil {
		return nil, err
	}
	if at.DB, at.Dialect, err = openDatabase(ctx, s); err != nil {
		return nil, err
	}
	at.closers = append(at.closers, at.DB)
	if err := gallery.Migrate(ctx, at.DB, at.Dialect); err != nil {
		return nil, fmt.Errorf("migrating the database: %w", err)
	}
	client := ent.NewClient(ent.Driver(entsql.OpenDB(at.Dialect, at.DB)))
	config, err := galleryConfig(s)
	if err != nil {
		return nil, err
	}
	chosen, err := gallery.OpenConfiguredStorage(ctx, client, config.Storage, at.Keys)
	if err != nil {
		return nil, err
	}
	if chosen != nil {
		at.Store, config.StorageKind, config.StoragePlace = chosen.Store, chosen.Kind, chosen.Place
	} else if at.Store, err = openStore(ctx, s); err != nil {
		return nil, err
	}
	at.closers = append(at.closers, at.Store)
	if engine != nil {
		config.Probe = probe(engine, s.Limits)
	}
	for _, c := range change {
		c(&config)
	}
	if at.Gallery, err = gallery.New(ctx, config, client, at.Store, engine, at.Keys, log); err != nil {
		return nil, err
	}
	return at, nil
}

// galleryConfig returns the gallery's settings with those that it shares with other packages or that need a translation.
func galleryConfig(s *Settings) (gallery.Config, error) {
	c := s.Gallery
	c.BaseURL = s.BaseURL
	c.Limits = s.Limits
	c.MaxFileBytes = s.Limits.MaxSourceBytes
	c.StorageKind, c.StoragePlace = storagePlace(s)
	var err error
	if c.Storage, err = storagePolicy(s); err != nil {
		return gallery.Config{}, err
	}
	if s.Signer.Secret != "" {
		c.Processor = &s.Signer
	}
	return c, nil
}

// openSite reads the settings and opens them; for commands beside serve.
func (p *program) openSite() (*site, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	return open(p.ctx, s, nil, p.log(s))
}
