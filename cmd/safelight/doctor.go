package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/imaging/worker"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/webhooks"
)

// diagnosis collects findings, prints them, and counts those that failed.
type diagnosis struct {
	out      io.Writer // nil: not printed
	findings []finding
	bad      int
}

// finding is the result of one check.
type finding struct {
	what, text string
	ok         bool
	warning    bool // it works, but not as well as it could
}

// isolationOff is the warning about a server without workers.
const isolationOff = "off: a hostile file can stop the server; set isolation to all"

// report adds a finding. If err is not nil, the check counts as failed.
func (d *diagnosis) report(what, text string, err error) {
	if err != nil {
		d.bad++
		d.add("BAD ", finding{what: what, text: message(err)})
		return
	}
	d.add("ok  ", finding{what: what, text: text, ok: true})
}

// warn adds a finding about something that works, but not as well as it could. It does not count as failed.
func (d *diagnosis) warn(what, text string) {
	d.add("WARN", finding{what: what, text: text, ok: true, warning: true})
}

func (d *diagnosis) add(mark string, f finding) {
	f.text = strings.ReplaceAll(f.text, "\n", "; ")
	d.findings = append(d.findings, f)
	if d.out != nil {
		fmt.Fprintf(d.out, "%s %-9s %s\n", mark, f.what, f.text)
	}
}

// doctor runs all checks. It changes only storage.WritableKey, and returns an error if a check failed.
func (p *program) doctor() error {
	d := &diagnosis{out: p.stdout}
	s, err := p.settings()
	d.report("settings", "understood", err)
	if err != nil {
		return d.failed()
	}
	d.engine(p, s)
	d.fonts()
	d.data(s)
	d.keys(s)
	d.database(p.ctx, s)
	d.storage(p.ctx, s)
	d.serving(p.ctx, s)
	return d.failed()
}

// failed returns an error with the number of failed checks; nil if there are none.
func (d *diagnosis) failed() error {
	switch d.bad {
	case 0:
		return nil
	case 1:
		return errors.New("1 check failed")
	}
	return fmt.Errorf("%d checks failed", d.bad)
}

// engine starts libvips and lists the formats that it writes.
func (d *diagnosis) engine(p *program, s *Settings) {
	engine, stop, err := openEngine(s, p.log(s))
	if err != nil {
		d.report("engine", "", err)
		return
	}
	defer stop()
	d.running(engine)
	d.isolation(p, s, engine)
}

// running reports the version of an engine, where its libvips is, and the formats that it writes.
func (d *diagnosis) running(engine imaging.Engine) {
	d.report("engine", engine.Version(), nil)
	version, file := vips.Library()
	d.report("library", "libvips "+version+" from "+file, nil)
	var formats []string
	for _, f := range engine.Formats() {
		formats = append(formats, string(f))
	}
	d.report("formats", strings.Join(formats, " "), nil)
}

// isolation starts a worker and reports its sandbox.
func (d *diagnosis) isolation(p *program, s *Settings, engine worker.Engine) {
	if imaging.Isolation(s.Isolation) == imaging.IsolateNone {
		d.warn("isolation", isolationOff)
		return
	}
	pool, err := worker.New(workerConfig(s, p.log(s)), engine)
	if err != nil {
		d.report("isolation", "", err)
		return
	}
	defer pool.Close()
	missing, err := pool.Check(p.ctx)
	switch {
	case err != nil:
		d.report("isolation", "", err)
	case len(missing) > 0:
		d.warn("isolation", s.Isolation+", less protected than intended, the kernel lacks: "+strings.Join(missing,
			", "))
	default:
		d.report("isolation", s.Isolation+", workers start and have neither network nor files", nil)
	}
}

// fonts lists the families of the fonts that fontconfig is configured to find; text layers need one.
func (d *diagnosis) fonts() {
	families := vips.Fonts()
	if len(families) == 0 {
		d.warn("fonts", "none found in the folders of fontconfig, so text in pictures may be missing: "+
			"install fonts such as fonts-dejavu-core")
		return
	}
	d.report("fonts", strings.Join(families, ", "), nil)
}

// data checks that the data folder is writable and has space. If it does not exist, data checks the folder in which it
// would be created.
func (d *diagnosis) data(s *Settings) {
	free, err := writableSpace(s.Data)
	d.report("data", fmt.Sprintf("%s has %s free", s.Data, formatBytes(free)), explainData(s, err))
}

// keys checks the mode of the key file.
func (d *diagnosis) keys(s *Settings) {
	file := keysFile(s)
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err) && missesKeys(s):
		d.report("keys", "", fmt.Errorf("%s is missing although there is a database: restore it from a backup. "+
			"Otherwise the next start creates a new one: all sessions end, a generated processor secret is replaced, "+
			"and a configured one must be configured again", file))
	case os.IsNotExist(err):
		d.report("keys", file+" does not exist yet, the first start creates it", nil)
	case err != nil:
		d.report("keys", "", err)
	case info.Mode().Perm()&0o077 != 0:
		d.report(
			"keys", "",
			fmt.Errorf("%s has mode %04o, so others can read it: run chmod 600 on it", file, info.Mode().Perm()),
		)
	default:
		d.report("keys", fmt.Sprintf("%s, mode %04o", file, info.Mode().Perm()), nil)
	}
}

// database checks for pending migrations; it does not create a missing SQLite file.
func (d *diagnosis) database(ctx context.Context, s *Settings) {
	place := databasePlace(s)
	if !s.usesPostgres() {
		if empty, err := isNewFile(place); err == nil && empty {
			d.report("database", place+" does not exist yet, the first start creates it", refuseNew(s))
			return
		}
	}
	db, dialect, err := openDatabase(ctx, s)
	if err != nil {
		d.report("database", "", err)
		return
	}
	defer db.Close()
	states, err := database.MigrationStatus(ctx, db, dialect)
	pending, newer := 0, 0
	for _, m := range states {
		if !m.Applied {
			pending++
		}
		if m.Newer {
			newer++
		}
	}
	if err == nil && newer > 0 {
		err = fmt.Errorf("%s: it has migrations of a newer version of Safelight than this one, %s: use that version "+
			"(safelight migrate status lists %d of them)", place, version, newer)
	}
	d.report("database", fmt.Sprintf("%s, pending migrations: %d", place, pending), err)
	if err == nil && pending == 0 {
		d.sealedSecrets(ctx, s, database.New(db, dialect))
		d.files(ctx, s, database.New(db, dialect))
	}
}

// files checks that the storage and each mount contain files that the index knows.
func (d *diagnosis) files(ctx context.Context, s *Settings, db *database.DB) {
	keys, err := openKeysReadOnly(s)
	if err != nil || keys == nil {
		return // already reported by keys
	}
	d.report("files", "storage and mounts are those of the index", refuseOtherStorage(ctx, s, db, keys))
}

// sealedSecrets checks that the keys can decrypt the secrets in the database, except those of the storage, which
// are checked when it is opened.
func (d *diagnosis) sealedSecrets(ctx context.Context, s *Settings, db *database.DB) {
	keys, err := openKeysReadOnly(s)
	if keys != nil {
		d.report("apps", "secrets of authenticator apps can be read", accounts.CheckApps(ctx, db, keys))
		d.report("webhooks", "secrets of webhooks can be read", webhooks.CheckSecrets(ctx, db, keys))
	}
	if s.Signer.Secret != "" {
		return // the secret in the database is not used
	}
	if err == nil && keys == nil && !missing(keysFile(s)) {
		return // others can read the file, which keys has already reported
	}
	if err == nil {
		err = signing.CheckSealed(ctx, db, keys)
	}
	d.report("secrets", "can be read with the key file", err)
}

// errPending means that the database cannot be queried before it has been migrated.
var errPending = errors.New("not checked, because migrations are pending: start the server or run safelight migrate up")

// storage opens the storage that a server would open, and checks that it is available and writable. It does not create
// a missing folder.
func (d *diagnosis) storage(ctx context.Context, s *Settings) {
	chosen, err := d.chosen(ctx, s)
	if errors.Is(err, errPending) {
		d.report("storage", err.Error(), nil)
		return
	}
	if err != nil {
		d.report("storage", "", err)
		return
	}
	if chosen != nil {
		d.mainStorage(ctx, chosen.Kind, chosen.Place, ", chosen by the API", chosen.Store)
		d.mounts(ctx, s, chosen.Store, storageconfig.Config{Kind: chosen.Kind, Place: chosen.Place})
		return
	}
	kind, where := storagePlace(s)
	if kind == "file" && missing(where) {
		d.missingStorage(s, where)
		d.mounts(ctx, s, storage.NewUnavailable(errPending), storageconfig.Config{Kind: kind, Place: where})
		return
	}
	var store storage.Store
	if store, err = openStore(ctx, s); err != nil {
		d.report("storage", "", err)
		return
	}
	d.mainStorage(ctx, kind, where, "", store)
	d.mounts(ctx, s, store, storageconfig.Config{Kind: kind, Place: where})
}

// missingStorage reports a folder of the storage that the next start would create. If the installation has been used
// before, that folder may be lost, or not mounted.
func (d *diagnosis) missingStorage(s *Settings, where string) {
	_, err := writableSpace(where)
	used, failed := known(s)
	if err = errors.Join(err, failed); err != nil || used == nil {
		d.report("storage", where+" does not exist yet, the first start creates it", err)
		return
	}
	d.warn("storage", fmt.Sprintf("the folder %s is missing, the next start creates it; this installation has been "+
		"used since %s: if the folder was there, restore or mount it first", where, used.Since.UTC().Format(time.DateOnly)))
}

// mainStorage checks the storage without its mounts. origin is added to the finding if the storage is not the one in
// the settings.
func (d *diagnosis) mainStorage(ctx context.Context, kind, place, origin string, s storage.Store) {
	text := kind + " " + place + origin
	err := s.Check(ctx)
	if err == nil {
		err = storage.CheckWrite(ctx, s)
	}
	if err == nil && kind == "file" {
		var free int64
		free, err = freeSpace(place)
		text += fmt.Sprintf("; %s free", formatBytes(free))
	}
	if err != nil {
		err = fmt.Errorf("%s %s%s: %s", kind, place, origin, message(err))
	}
	d.report("storage", text, err)
}

// mounts checks the mounts and closes main.
func (d *diagnosis) mounts(ctx context.Context, s *Settings, main storage.Store, at storageconfig.Config) {
	store, err := mounted(ctx, s, main, at)
	if err != nil {
		d.report("mounts", "", errors.Join(err, main.Close()))
		return
	}
	defer store.Close()
	tree, ok := store.(*mounts.Tree)
	if !ok {
		return
	}
	for _, m := range tree.Status(ctx) {
		d.report("mount", m.String(), m.Err)
		if m.Hides {
			d.warn("mount", mounts.Hides(m.Name))
		}
	}
}

// chosen opens the storage that an admin has chosen with the API; nil if none is chosen or there is no database.
func (d *diagnosis) chosen(ctx context.Context, s *Settings) (*storageconfig.Chosen, error) {
	policy, err := storagePolicy(s)
	if err != nil || policy.Overridden {
		return nil, err
	}
	if !s.usesPostgres() && missing(databasePlace(s)) {
		return nil, nil
	}
	db, dialect, err := openDatabase(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("reading whether a storage was chosen by the API: %w", err)
	}
	defer db.Close()
	states, err := database.MigrationStatus(ctx, db, dialect)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(states, func(m database.Migration) bool { return !m.Applied }) {
		return nil, errPending
	}
	client := database.New(db, dialect)
	keys, err := openKeysReadOnly(s)
	if err != nil {
		return nil, err
	}
	in, err := storageconfig.ReadChosen(ctx, client, policy, keys)
	if err != nil || in == nil {
		return nil, err
	}
	if in.S3 == nil && missing(in.Folder) {
		return nil, fmt.Errorf(
			"%s, chosen by the API, does not exist; the next start would create an empty folder",
			in.Folder,
		)
	}
	return storageconfig.OpenChosen(ctx, client, policy, keys)
}

// openKeysReadOnly opens the key file. It returns nil if that would create the file or change its mode.
func openKeysReadOnly(s *Settings) (*auth.Keyring, error) {
	info, err := os.Stat(keysFile(s))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return openKeys(s, nil)
}

func missing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// serving checks what else a server needs besides engine, data and storage.
func (d *diagnosis) serving(ctx context.Context, s *Settings) {
	d.results(ctx, s)
	limit, origin := memoryOrigin(s)
	if limit > 0 {
		origin = formatBytes(limit) + ", " + origin
	}
	d.report("memory", origin, nil)
	c := serverConfig(s)
	d.report("workers", fmt.Sprintf("%d, %s", c.Workers, queued(c.Queue, c.Workers)), nil)
	d.remote(s)
	d.signin(ctx, s)
	d.mail(ctx, s)
	d.traces(ctx, s)
	d.clock(time.Now(), built())
}

func queued(queue, workers int) string {
	if queue == 0 {
		queue = 8 * workers
	}
	return fmt.Sprintf("%d may wait", queue)
}

// minFree is the min free space of a disk.
const minFree = 64 << 20

// results checks that the folder of the result cache is writable and has free space.
func (d *diagnosis) results(ctx context.Context, s *Settings) {
	if s.ResultCache == "off" {
		d.report("results", "not cached: result-cache is off", nil)
		return
	}
	c, err := resultsConfig(ctx, s)
	if remote, ok := c.Remote.(objectStore); ok {
		defer remote.store.Close()
		err = errors.Join(err, remote.store.Check(ctx))
	}
	finding := "cached in " + s.ResultCache
	if c.Remote != nil {
		finding = "cached in several tiers" // the URL of a bucket may contain private data
	}
	if err == nil && c.Folder != "" {
		var free int64
		free, err = writableSpace(c.Folder)
		finding += fmt.Sprintf("; %s has %s free, may take %s", c.Folder, formatBytes(free), formatBytes(c.FileBytes))
	}
	d.report("results", finding, err)
}

// writableSpace writes a temporary file to the folder, or to its nearest existing parent, and returns how many bytes
// are free on the disk.
func writableSpace(folder string) (free int64, err error) {
	if folder, err = tryWrite(folder); err != nil {
		return 0, err
	}
	return freeSpace(folder)
}

// tryWrite writes a temporary file to the folder, or to its nearest existing parent. It returns the folder to which it
// wrote.
func tryWrite(folder string) (existing string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	f, err := os.CreateTemp(folder, ".check-*")
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", folder, err)
	}
	return folder, errors.Join(f.Close(), os.Remove(f.Name()))
}

// freeSpace returns the free bytes of the disk of a folder, and an error if there are fewer than minFree.
func freeSpace(folder string) (free int64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, fmt.Errorf("reading the free space of %s: %w", folder, err)
	}
	// Some network file systems do not report a size.
	if free = int64(disk.Bavail) * int64(disk.Bsize); free < minFree && disk.Blocks > 0 {
		return free, fmt.Errorf("the disk of %s has %s free, expected at least %s", folder, formatBytes(free),
			formatBytes(minFree))
	}
	return free, nil
}

// remote lists the hosts from which pictures may be fetched.
func (d *diagnosis) remote(s *Settings) {
	if len(s.Remote.Hosts) == 0 {
		d.report("remote", "off: remote-sources lists no host", nil)
		return
	}
	_, err := openRemote(s)
	finding := fmt.Sprintf("hosts listed: %d; public addresses only", len(s.Remote.Hosts))
	if n := len(s.Remote.AllowPrivate); n > 0 {
		finding = fmt.Sprintf("hosts listed: %d; public addresses and %d private networks", len(s.Remote.Hosts),
			n)
	}
	d.report("remote", finding, err)
}

// signin requests the configuration of each provider.
func (d *diagnosis) signin(ctx context.Context, s *Settings) {
	if s.SigninProviders == "" {
		d.report("sign-in", "passwords only: sign-in-providers is not set", nil)
		return
	}
	all, err := signin.Load(s.SigninProviders, os.Getenv)
	var providers *signin.Providers
	if err == nil {
		providers, err = signin.New(all, s.BaseURL, nil, time.Now, slog.New(slog.DiscardHandler))
	}
	if err != nil {
		d.report("sign-in", "", err)
		return
	}
	for _, one := range all {
		d.report("sign-in", one.Name+" answers at "+one.Issuer, providers.Check(ctx, one.ID))
	}
}

// mail connects to the mail server and logs in.
func (d *diagnosis) mail(ctx context.Context, s *Settings) {
	if s.Mail.Server.Host == "" {
		d.report("mail", "off: smtp is not set", nil)
		return
	}
	err := checkMail(s)
	if err == nil {
		c := s.Mail
		c.BaseURL = s.BaseURL
		err = mail.New(c, nil, nil, nil, slog.New(slog.DiscardHandler)).Check(ctx)
	}
	text := s.Mail.Server.Address() + " accepts connections"
	if err == nil && s.Mail.Server.TLS == mail.NoTLS && !s.Mail.Server.IsLocal() {
		d.warn("mail", text+" without encryption: anyone on the way can read the messages and use the links in them")
		return
	}
	d.report("mail", text, err)
}

// traces connects to the collector without sending anything.
func (d *diagnosis) traces(ctx context.Context, s *Settings) {
	if s.TraceEndpoint == "" {
		d.report("traces", "off: trace-endpoint is not set", nil)
		return
	}
	u, err := url.Parse(s.TraceEndpoint)
	if err != nil {
		d.report("traces", "", err)
		return
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	address := net.JoinHostPort(u.Hostname(), port)
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		d.report("traces", "", fmt.Errorf("the collector at %s does not answer: %w", address, err))
		return
	}
	conn.Close()
	d.report("traces", fmt.Sprintf("%s answers; %d %% of the requests are traced", address, s.TracePercent), nil)
}

// clock checks that the time is not before the program was built. The expiry of tokens and signed URLs depends on this
// clock.
func (d *diagnosis) clock(now, built time.Time) {
	var err error
	if now.Before(built.Add(-24 * time.Hour)) {
		err = fmt.Errorf("the clock of this machine says %s, before the program was built (%s)",
			now.UTC().Format(time.RFC3339), built.UTC().Format(time.DateOnly))
	}
	d.report("clock", now.UTC().Format(time.RFC3339), err)
}

// built returns the approximate build time; the zero time if it is unknown.
func built() time.Time {
	self, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	info, err := os.Stat(self)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
