package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/cmd/safelight/files"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/clock"
	"github.com/safelight/safelight/database/leases"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/truncation"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/storage/remote"
	"github.com/safelight/safelight/templates"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

// site is one installation of Safelight: its settings, database and keys, and the services on them. Most commands use
// one.
type site struct {
	Settings *Settings
	Accounts *accounts.Accounts
	Audit    *audit.Log
	Signing  *signing.Signer
	Presets  *presets.Presets
	Fonts    *fonts.Fonts
	Signin   *signin.Providers // of a server; nil if users sign in with passwords only
	Webhooks *webhooks.Hooks
	Mail     *mail.Mailer // nil: the server sends no e-mail
	outbox   *outbox.Outbox
	files    *files.Files // of a command; a server has live instead
	live     *files.Live  // of a server, whose storage can be replaced; nil for a command
	fleet    *fleet       // nil: no other server can use the database
	Keys     *auth.Keyring
	Clock    *clock.Clock
	Leases   *leases.Leases
	DB       *sql.DB
	Dialect  string
	admit    func(context.Context) error // returns why writes are refused; nil: writes are not watched
	lock     *serverLock                 // nil for a command
	Results  *cache.Cache                // of a server; nil for a command
	closers  []io.Closer
}

// Close closes everything in reverse order.
func (s *site) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		_ = s.closers[i].Close() // nothing is left to write
	}
}

// hashMemoryKey is the context key of a value that replaces the memory of new password hashes, in KiB. Tests use it
// for cheap hashes.
type hashMemoryKey struct{}

// open creates the data folder if necessary, opens database, keys and storage, applies migrations, and creates the
// services. If settings cannot be used, open returns an error before it changes anything. engine is nil for commands
// that do not decode pictures; serves is true for serve only. The caller must close the site.
func open(ctx context.Context, s *Settings, engine imaging.Engine, serves bool, log *slog.Logger) (_ *site, err error) {
	at := &site{Settings: s, Clock: clock.New(localClock(ctx))}
	defer func() {
		if err != nil {
			at.Close()
		}
	}()
	if err := makeData(s); err != nil {
		return nil, err
	}
	if err := checkSettings(ctx, s, serves); err != nil {
		return nil, err
	}
	keysAreLost := missing(keysFile(s)) && missesKeys(s) // read before the database is created
	if at.DB, at.Dialect, err = openDatabase(ctx, s); err != nil {
		return nil, err
	}
	at.closers = append(at.closers, at.DB)
	if serves {
		if at.lock, err = lockServer(ctx, s, log); err != nil {
			return nil, err
		}
		at.closers = append(at.closers, at.lock)
		if err := checkListen(ctx, s); err != nil { // so that the previous server has ended
			return nil, err
		}
		if at.Results, err = openResults(ctx, s, log); err != nil {
			return nil, err
		}
		at.closers = append(at.closers, at.Results)
	}
	if keysAreLost {
		log.Error("the key file is missing although there is a database, so a new one is created: all sessions "+
			"end, and secrets that were encrypted with the old one are lost. To keep them, stop the server and restore "+
			"the key file from a backup",
			"file", keysFile(s))
	}
	if at.Keys, err = openKeys(s, at.Clock.Now); err != nil {
		return nil, err
	}
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
	if !s.existing { // opening the storage below would create its folder
		if err := refuseOtherStorage(ctx, s, db, at.Keys); err != nil {
			return nil, err
		}
	}
	var results gallery.Results
	if serves {
		if err := at.guard(db, log); err != nil {
			return nil, err
		}
		if results, err = at.joinFleet(ctx); err != nil {
			return nil, err
		}
	}
	if err := at.openRules(ctx, db, engine, serves, log); err != nil {
		return nil, err
	}
	return at, at.openFiles(ctx, db, engine, results, log)
}

// checkSettings finds settings with which the start would fail after the database has been migrated. It opens the
// storage and its mounts, which does not connect to buckets, and reads the files that settings name.
func checkSettings(ctx context.Context, s *Settings, serves bool) error {
	kind, place := storagePlace(s)
	main := storage.NewUnavailable(nil)
	used, err := known(s)
	if err != nil {
		return err
	}
	// If the installation has been used before, a missing folder must not be created before refuseOtherStorage has
	// run.
	if s.Storage != "" && (used == nil || kind != "file" || !missing(place)) {
		if main, err = openStore(ctx, s); err != nil {
			return err
		}
	}
	store, err := mounted(ctx, s, main, storageconfig.Config{Kind: kind, Place: place})
	if err != nil {
		return errors.Join(err, main.Close())
	}
	if err := store.Close(); err != nil {
		return err
	}
	if s.PresetsFile != "" {
		if _, err := presets.ReadFile(s.PresetsFile); err != nil {
			return err
		}
	}
	if s.Mail.Server.Host != "" {
		if err := checkMail(s); err != nil {
			return err
		}
	}
	if !serves {
		return nil
	}
	if err := checkResults(ctx, s); err != nil {
		return err
	}
	if _, err := openSignin(s, nil, time.Now, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	_, err = openRemote(s)
	return err
}

// checkFirstStart finds problems that would make a first start fail after it has created the database and the keys: an
// unusable port, or a password for the first admin that is refused. Later starts wait for the port of the previous
// server, and do not use the password.
func checkFirstStart(ctx context.Context, s *Settings) error {
	used, err := known(s)
	if err != nil || used != nil {
		return err
	}
	if s.AdminName != "" && s.AdminPassword != "" {
		if err := auth.CheckPassword(s.AdminPassword, s.AdminName); err != nil {
			return fmt.Errorf("setting admin-password: %s", fault.Of(err).Message)
		}
	}
	return checkListen(ctx, s)
}

// checkListen returns an error if the server cannot listen on its address.
func checkListen(ctx context.Context, s *Settings) error {
	listener, err := listen(ctx, s)
	if err != nil {
		return err
	}
	return listener.Close()
}

// listen opens the port that the settings name.
func listen(ctx context.Context, s *Settings) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return nil, explainListen(s, err)
	}
	return listener, nil
}

// explainListen adds advice to an error of listening.
func explainListen(s *Settings, err error) error {
	_, port, _ := net.SplitHostPort(s.Listen)
	const other = "set listen (--listen or SAFELIGHT_LISTEN), such as to 127.0.0.1:8001"
	advice := ""
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = fmt.Sprintf("another program, or another Safelight, uses port %s: stop it, or %s", port, other)
	case errors.Is(err, fs.ErrPermission):
		advice = fmt.Sprintf("user %d may not use port %s, because ports below 1024 are for root: put a proxy in "+
			"front, give the program CAP_NET_BIND_SERVICE, or %s", os.Geteuid(), port, other)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		advice = "this machine does not have that address: " + other
	default:
		return fmt.Errorf("listening on %s: %w", s.Listen, err)
	}
	return fmt.Errorf("listening on %s: %w: %s", s.Listen, err, advice)
}

// Files returns the services on the storage in use.
func (at *site) Files() *files.Files {
	if at.live != nil {
		return at.live.Files()
	}
	return at.files
}

// openFiles opens the storage and the services on it.
func (at *site) openFiles(ctx context.Context, db *database.DB, engine imaging.Engine, results gallery.Results,
	log *slog.Logger) error {
	c, err := at.filesConfig(engine, results)
	if err != nil {
		return err
	}
	deps := files.Deps{DB: db, Audit: at.Audit, Accounts: at.Accounts, Signing: at.Signing, Keys: at.Keys,
		Mail: at.Mail, Engine: engine, Log: log}
	if results == nil {
		if at.files, err = files.Open(ctx, c, deps); err == nil {
			at.closers = append(at.closers, at.files)
		}
		return err
	}
	if at.live, err = files.OpenLive(ctx, c, deps); err != nil {
		return err
	}
	at.closers = append(at.closers, at.live)
	mounts.WarnHidden(ctx, at.Files().Store, log)
	return moves.Resume(ctx, at.moved(), at.storageName())
}

// moved returns the database as package moves describes it.
func (at *site) moved() moves.Database {
	return moves.Database{DB: at.DB, Dialect: at.Dialect, Place: databasePlace(at.Settings)}
}

func (at *site) filesConfig(engine imaging.Engine, results gallery.Results) (files.Config, error) {
	s, now := at.Settings, at.Clock.Now
	c := files.Config{Gallery: s.Gallery, Uploads: s.Uploads, Archives: s.Archives,
		Templates: templates.Config{Limits: s.Limits, Fonts: at.Fonts, Now: now}, Now: now}
	c.Gallery.Limits, c.Gallery.Results, c.Gallery.Now = s.Limits, results, now
	c.Gallery.Outbox, c.Gallery.MayBeEmptied = at.outbox, s.AllowNewStorage
	c.Uploads.BaseURL, c.Uploads.MaxFileBytes, c.Uploads.Now = s.BaseURL, s.Limits.MaxSourceBytes, now
	if engine != nil {
		c.Uploads.Probe = probe(engine, s.Limits)
	}
	c.Archives.Now = now
	c.DefaultKind, c.DefaultPlace = storagePlace(s)
	c.Default = func(ctx context.Context) (storage.Store, error) { return openStore(ctx, s) }
	c.Mount = func(ctx context.Context, main storage.Store, where storageconfig.Config) (storage.Store, error) {
		return mounted(ctx, s, main, where)
	}
	c.MayReplace = func(ctx context.Context) error { return moves.MayReplace(ctx, at.moved()) }
	var err error
	c.Policy, err = storagePolicy(s)
	return c, err
}

// openRules creates the services that do not depend on the storage.
func (at *site) openRules(ctx context.Context, db *database.DB, engine imaging.Engine, serves bool,
	log *slog.Logger) (err error) {
	s, now := at.Settings, at.Clock.Now
	at.outbox = outbox.New(db, now)
	if at.Audit, err = audit.New(audit.Config{Now: now, Outbox: at.outbox}, db, log); err != nil {
		return err
	}
	hooks := s.Webhooks
	hooks.Now, hooks.UserAgent = now, "Safelight/"+version
	at.Webhooks = webhooks.New(hooks, db, at.Audit, at.Keys, log)
	if serves {
		if at.Signin, err = openSignin(s, at.Keys, now, log); err != nil {
			return err
		}
	}
	if at.Mail, err = openMail(s, now, db, at.Audit, at.Keys, log); err != nil {
		return err
	}
	people := s.Accounts
	people.HashMemory, _ = ctx.Value(hashMemoryKey{}).(uint32)
	people.Mail = at.Mail
	people.PublicURL = s.BaseURL
	people.Now, people.NoPasswords, people.LinkIssuers = now, !s.PasswordLogin, at.Signin.LinkIssuers()
	if at.Accounts, err = accounts.New(ctx, people, db, at.Audit, at.Keys, log); err != nil {
		return err
	}
	if at.Mail.On() {
		at.Mail.Reset = at.Accounts.ResetLink
	}
	if at.Presets, err = presets.New(ctx, presets.Config{File: s.PresetsFile, Now: now}, db, at.Audit,
		log); err != nil {
		return err
	}
	if at.Fonts, err = fonts.New(ctx, fonts.Config{Now: now, Installed: vips.Fonts, Engine: engine, Limits: s.Limits},
		db,
		at.Audit); err != nil {
		return err
	}
	if at.Signing, err = signing.New(ctx, signingConfig(s, now, at.Presets), db, at.Audit, at.Keys, log); err != nil {
		return err
	}
	for name, secret := range map[string]string{"processor-secret": s.Signer.Secret,
		"processor-secret-previous": s.PreviousSecret} {
		if n := len(secret); n > 0 && n < signing.GoodSecret && serves {
			log.Warn(name+" is short: anyone with a signed URL may be able to guess it", "bytes", n, "expected",
				signing.GoodSecret)
		}
	}
	return nil
}

// signingConfig converts settings to those of signing.
func signingConfig(s *Settings, now func() time.Time, p *presets.Presets) signing.Config {
	c := signing.Config{
		BaseURL:     s.BaseURL,
		Now:         now,
		Encryption:  s.EncryptionKeys,
		Presets:     p.Set,
		PresetsOnly: s.PresetsOnly,
		Existing:    s.existing,
	}
	if s.Signer.Secret != "" {
		c.Processor, c.Previous = &s.Signer, s.PreviousSecret
	}
	return c
}

// openSite reads the settings and opens a site. It is for commands other than serve.
func (p *program) openSite() (*site, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	return open(p.ctx, s, nil, false, p.log(s))
}

// openExisting is openSite for commands that need an existing installation, and must not create one.
func (p *program) openExisting() (*site, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	s.existing = true
	if err := checkExisting(s); err != nil {
		return nil, err
	}
	if missing(keysFile(s)) {
		return nil, fmt.Errorf("the key file %s is missing: name the data folder of a server with --data, restore "+
			"the key file from a backup, or start the server, which creates one", keysFile(s))
	}
	return open(p.ctx, s, nil, false, p.log(s))
}

// checkExisting returns an error if the SQLite database is missing or empty. It does not check PostgreSQL, where
// opening a missing database fails.
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
		return fmt.Errorf("there is no database at %s: name the data folder of a server with --data, or start one "+
			"with safelight serve", file)
	}
	return nil
}

// graphConfig returns the limits of GraphQL operations. The memory for their responses comes from the server's budget.
func graphConfig(s *Settings) graph.Config {
	c := s.GraphQL
	c.MemoryOf = func(ctx context.Context) graph.Memory { return admission.LoanOf(ctx) }
	return c
}

// openSignin reads the providers through which users sign in; nil if there are none.
func openSignin(
	s *Settings, keys *auth.Keyring, now func() time.Time, log *slog.Logger,
) (*signin.Providers, error) {
	if s.SigninProviders == "" {
		if !s.PasswordLogin {
			return nil, errors.New("password-login is off and sign-in-providers is not set: nobody could log in")
		}
		return nil, nil
	}
	all, err := signin.Load(s.SigninProviders, os.Getenv)
	if err != nil {
		return nil, err
	}
	return signin.New(all, s.BaseURL, func() []string { return keys.Derive("sign-in") }, now, log)
}

// openMail returns the mailer; nil if the settings name no mail server.
func openMail(
	s *Settings, now func() time.Time, db *database.DB, events *audit.Log, keys *auth.Keyring, log *slog.Logger,
) (*mail.Mailer, error) {
	if s.Mail.Server.Host == "" {
		return nil, nil
	}
	if err := checkMail(s); err != nil {
		return nil, err
	}
	c := s.Mail
	c.Now, c.BaseURL = now, s.BaseURL
	return mail.New(c, db, events, keys, log), nil
}

// checkMail returns an error if a mail server is set, but other settings that it needs are not.
func checkMail(s *Settings) error {
	switch {
	case s.Mail.From == nil:
		return errors.New("smtp is set and mail-from is not: messages need a sender")
	case s.BaseURL == "":
		return errors.New("smtp is set and base-url is not: links in messages need the public URL of the server")
	case s.Mail.Server.User != "" && s.Mail.Password == "":
		return errors.New("smtp names a user and smtp-password is not set")
	}
	return nil
}

// mapTiles returns the tiles of the application's map; nil if none are set.
func mapTiles(s *Settings) *model.MapTiles {
	if s.MapTiles == "" {
		return nil
	}
	return &model.MapTiles{URL: s.MapTiles, Attribution: s.MapAttribution}
}

// serverConfig returns the configuration of the server, including values from the settings of other packages.
func serverConfig(s *Settings) server.Config {
	c := s.Server
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	c.AppOrigin = originOf(s.BaseURL)
	c.TilesOrigin = originOf(s.MapTiles)
	c.Guest, c.Passwords = s.Accounts.Guest, s.PasswordLogin
	c.Limits = s.Limits
	c.MaxUploadBytes = s.Limits.MaxSourceBytes
	c.Memory = memoryLimit(s) / 2 // the other half is for Go, see limitGoMemory
	return c
}

// originOf returns a URL without its path; empty if the URL is empty.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// probe returns the function that checks uploads: the file must not be truncated, and its header must be readable and
// within the limits of sources.
func probe(engine imaging.Engine, l imaging.Limits) func(context.Context, imaging.Source) error {
	l.MaxResultSide, l.MaxResultPixels = 0, 0 // no result is rendered
	return func(ctx context.Context, src imaging.Source) error {
		head, err := imaging.ReadHead(src.Reader)
		if err != nil {
			return err
		}
		if err := truncation.Check(imaging.SniffFormat(head), src.Reader, src.Size); err != nil {
			return err
		}
		if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err = engine.Info(ctx, src, imaging.InfoRequest{}, l)
		return err
	}
}

// releaseUploads releases uploads that a crash has left marked as busy, if this is the only server on the database.
func (at *site) releaseUploads(ctx context.Context) error {
	if at.Dialect != dialect.SQLite {
		return nil
	}
	if err := at.Files().Uploads.ReleaseUploads(ctx); err != nil {
		return fmt.Errorf("releasing uploads: %w", err)
	}
	return nil
}

// operator returns a context with the identity of the person who runs the program on the machine: an admin that is not
// in the database.
func operator(ctx context.Context) context.Context {
	return auth.WithIdentity(ctx, auth.Identity{UserID: uuid.Nil, Name: "operator", Role: auth.RoleAdmin,
		Scopes: auth.RoleAdmin.Scopes(), Confirmed: true})
}

// openStore opens the storage of the settings. The default is the folder `files` in the data folder.
func openStore(ctx context.Context, s *Settings) (storage.Store, error) {
	if s.Storage != "" {
		return storage.Open(ctx, s.Storage)
	}
	folder, err := defaultFolder(s)
	if err != nil {
		return nil, err
	}
	store, err := storage.OpenLocal(folder)
	return store, explainData(s, err)
}

// defaultFolder returns the folder of the files if the settings name no storage.
func defaultFolder(s *Settings) (string, error) { return filepath.Abs(filepath.Join(s.Data, "files")) }

// fileAddress returns the storage address of a folder.
func fileAddress(folder string) string { return (&url.URL{Scheme: "file", Path: folder}).String() }

// storagePlace returns the kind of the storage in the settings, such as file or s3, and its folder or bucket.
func storagePlace(s *Settings) (kind, where string) {
	if s.Storage == "" {
		return "file", filepath.Join(s.Data, "files")
	}
	return storage.Place(s.Storage)
}

// mounted adds the mounts in the settings to main. If there are none, it returns main itself. at describes where main
// is.
func mounted(ctx context.Context, s *Settings, main storage.Store, at storageconfig.Config) (storage.Store, error) {
	if len(s.Mounts) == 0 && len(s.MountKeys) == 0 {
		return main, nil
	}
	policy, err := storagePolicy(s)
	if err != nil {
		return nil, err
	}
	o := mounts.Options{Keys: s.MountKeys, Private: []string{s.Storage}}
	if at.Kind == "file" {
		policy.Private = append(policy.Private, at.Place)
	}
	for _, place := range policy.Private {
		if place, err = filepath.Abs(place); err != nil {
			return nil, err
		}
		o.Private = append(o.Private, fileAddress(place))
	}
	return mounts.New(ctx, main, s.Mounts, o)
}

// storagePolicy returns which storages admins may choose with the API.
func storagePolicy(s *Settings) (storageconfig.Policy, error) {
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return storageconfig.Policy{}, err
	}
	policy := s.StoragePolicy
	policy.Overridden = s.Storage != ""
	policy.Default = filepath.Join(data, "files")
	policy.Private = []string{data}
	policy.MountAt = func(address string) storage.Key { return mounts.At(s.Mounts, address) }
	policy.Control = storageControl(s.StorageNetworks)
	if !s.usesPostgres() {
		file, err := sqliteFile(s)
		if err != nil {
			return storageconfig.Policy{}, err
		}
		policy.Private = append(policy.Private, file)
	}
	return policy, nil
}

// storageControl rejects S3 endpoints in networks that are neither public nor allowed by the operator, because a
// gallery admin must not be able to reach private networks through the server.
func storageControl(networks []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	check := remote.Guard(networks)
	return func(network, address string, c syscall.RawConn) error {
		if err := check(network, address, c); err != nil {
			f := fault.OnField(fault.Invalid, "endpoint", "the endpoint's address %s is not public, expected a public "+
				"one or one that the operator allows (setting storage-networks)", address)
			f.Err = err
			return f
		}
		return nil
	}
}
