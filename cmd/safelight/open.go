package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/clock"
	"github.com/safelight/safelight/database/leases"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/backend"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/templates"
	"github.com/safelight/safelight/uploads"
)

// site is what most commands need: the packages of rules, and what they use.
type site struct {
	Settings  *Settings
	Accounts  *accounts.Accounts
	Audit     *audit.Log
	Backend   *backend.Settings
	Gallery   *gallery.Gallery
	Signing   *signing.Signer
	Presets   *presets.Presets
	Templates *templates.Templates
	Uploads   *uploads.Uploads
	Archives  *archive.Archives
	chosen    string // the kind of the storage that the API has chosen; empty: that of the settings
	fleet     *fleet // nil: no other server has the database
	Keys      *auth.Keyring
	Clock     *clock.Clock
	Leases    *leases.Leases
	main      storage.Store // Store without its mounts
	Store     storage.Store
	DB        *sql.DB
	Dialect   string
	admit     func(context.Context) error // nil: writes are not watched
	closers   []io.Closer
}

// Close closes everything in reverse order.
func (s *site) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		_ = s.closers[i].Close() // nothing is left to be written
	}
}

// open creates the data folder and opens keys, database (migrated), storage and the packages of rules. engine is nil for
// commands that read no pictures, results for those that serve none. The caller closes the site.
func open(ctx context.Context, s *Settings, engine imaging.Engine, results gallery.Results, log *slog.Logger) (_ *site, err error) {
	at := &site{Settings: s, Clock: clock.New(localClock(ctx))}
	defer func() {
		if err != nil {
			at.Close()
		}
	}()
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, fmt.Errorf("creating the data folder: %w", err)
	}
	if missing(keysFile(s)) && missesKeys(s) {
		log.Error("the key file is missing although there is a database; a new one is made: all sessions end, and secrets that the old one sealed are lost. To keep them, stop the server and restore it from a backup", "file", keysFile(s))
	}
	if at.Keys, err = openKeys(s, at.Clock.Now); err != nil {
		return nil, err
	}
	if at.DB, at.Dialect, err = openDatabase(ctx, s); err != nil {
		return nil, err
	}
	at.closers = append(at.closers, at.DB)
	if err := migrate(ctx, s, at.DB, at.Dialect); err != nil {
		return nil, err
	}
	if at.Dialect == dialect.Postgres {
		if err := at.Clock.Sync(ctx, at.DB); err != nil {
			return nil, err
		}
	}
	at.Leases = leases.New(leases.Config{Log: log}, at.DB, at.Dialect)
	db := database.New(at.DB, at.Dialect)
	if results != nil { // a server
		if err := at.guard(db, log); err != nil {
			return nil, err
		}
		if results, err = at.joinFleet(ctx, results, log); err != nil {
			return nil, err
		}
	}
	where, err := at.openStorage(ctx, db, log)
	if err != nil {
		return nil, err
	}
	at.main = at.Store
	if at.Store, err = mounted(ctx, s, at.main, where); err != nil {
		return nil, errors.Join(err, at.main.Close())
	}
	at.closers = append(at.closers, at.Store)
	if results != nil {
		mounts.WarnHidden(ctx, at.Store, log)
		if err := moves.Resume(ctx, moves.Database{DB: at.DB, Dialect: at.Dialect}, at.storageName()); err != nil {
			return nil, err
		}
	}
	return at, at.openRules(ctx, db, where, engine, results, log)
}

// openStorage opens the storage that an admin has chosen, else that of the settings, and returns its address.
func (at *site) openStorage(ctx context.Context, db *database.DB, log *slog.Logger) (backend.Config, error) {
	c := backend.Config{}
	var err error
	if c.Policy, err = storagePolicy(at.Settings); err != nil {
		return c, err
	}
	chosen, err := backend.OpenChosen(ctx, db, c.Policy, at.Keys)
	if errors.Is(err, auth.ErrOtherKeys) {
		log.Error("the access key of the bucket was sealed with another key file: files are unavailable until keys.json is restored, or the storage is configured again by configureS3Storage or the setting storage")
		at.Store = storage.NewUnavailable(fault.Wrap(err, fault.Unavailable, "the access key of the bucket is lost with the key file: an admin has to configure the storage again"))
		c.Kind = "s3"
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if chosen != nil {
		at.Store, at.chosen, c.Kind, c.Place = chosen.Store, chosen.Kind, chosen.Kind, chosen.Place
		return c, nil
	}
	c.Kind, c.Place = storagePlace(at.Settings)
	at.Store, err = openStore(ctx, at.Settings)
	return c, err
}

// openRules creates the packages of rules.
func (at *site) openRules(ctx context.Context, db *database.DB, where backend.Config, engine imaging.Engine, results gallery.Results, log *slog.Logger) (err error) {
	s, now := at.Settings, at.Clock.Now
	if at.Audit, err = audit.New(audit.Config{Now: now}, db, log); err != nil {
		return err
	}
	people := s.Accounts
	people.Now = now
	if at.Accounts, err = accounts.New(ctx, people, db, at.Audit, at.Keys, log); err != nil {
		return err
	}
	if at.Presets, err = presets.New(ctx, presets.Config{File: s.PresetsFile, Now: now}, db, at.Audit, log); err != nil {
		return err
	}
	if at.Signing, err = signing.New(ctx, signingConfig(s, now, at.Presets), db, at.Audit, at.Keys, log); err != nil {
		return err
	}
	if n := len(s.Signer.Secret); n > 0 && n < signing.GoodSecret && results != nil {
		log.Warn("processor-secret is short: whoever has a signed URL may guess it", "bytes", n, "expected", signing.GoodSecret)
	}
	where.Now = now
	if at.Backend, err = backend.New(where, db, at.Audit, at.Store, at.Keys); err != nil {
		return err
	}
	files := s.Gallery
	files.Limits, files.Results, files.Now = s.Limits, results, now
	if at.Gallery, err = gallery.New(files, db, at.Audit, at.Signing, at.Store, engine, log); err != nil {
		return err
	}
	if err := at.Backend.Apply(ctx, at.Gallery.InvalidateIndex); err != nil {
		return fmt.Errorf("applying the storage settings: %w", err)
	}
	received := s.Uploads
	received.BaseURL, received.MaxFileBytes, received.Now = s.BaseURL, s.Limits.MaxSourceBytes, now
	if engine != nil {
		received.Probe = probe(engine, s.Limits)
	}
	if at.Uploads, err = uploads.New(received, db, at.Audit, at.Gallery, at.Gallery.Stored, at.Store, log); err != nil {
		return err
	}
	archives := s.Archives
	archives.Now = now
	if at.Archives, err = archive.New(archives, db, at.Accounts, at.Store); err != nil {
		return err
	}
	at.Templates, err = templates.New(templates.Config{Limits: s.Limits, Now: now}, at.Audit, at.Gallery, at.Signing, at.Store, engine, log)
	return err
}

// signingConfig converts settings to those of signing.
func signingConfig(s *Settings, now func() time.Time, p *presets.Presets) signing.Config {
	c := signing.Config{BaseURL: s.BaseURL, Now: now, Encryption: s.Sealing, Presets: p.Set, PresetsOnly: s.PresetsOnly}
	if s.Signer.Secret != "" {
		c.Processor = &s.Signer
	}
	return c
}

// openSite reads the settings and opens a site; for commands other than serve.
func (p *program) openSite() (*site, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	return open(p.ctx, s, nil, nil, p.log(s))
}

// openExisting is openSite for commands that only read: it makes no data.
func (p *program) openExisting() (*site, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	if err := checkExisting(s); err != nil {
		return nil, err
	}
	return open(p.ctx, s, nil, nil, p.log(s))
}

// checkExisting returns an error if the SQLite database is missing or empty. A database server is asked instead.
func checkExisting(s *Settings) error {
	if s.usesPostgres() {
		return nil
	}
	file, err := sqliteFile(s)
	if err != nil {
		return err
	}
	empty, err := isNewFile(file)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	if empty {
		return fmt.Errorf("there is no database at %s: name the data folder of a server with --data, or start one with safelight serve", file)
	}
	return nil
}
