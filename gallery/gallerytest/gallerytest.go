// Package gallerytest sets up the gallery and the packages around it for tests: with a database of
// databasetest, a storage in a temporary folder, a clock that tests control, and an engine that only reads
// image headers.
package gallerytest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"image"
	_ "image/png" // the engine decodes headers of it
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/templates"
	"github.com/safelight/safelight/uploads"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

// Password is the password of every account that Person creates.
const Password = "three blind mice 42"

// PNG is the shortest content that is detected as a PNG.
const PNG = "\x89PNG\r\n\x1A\n rest"

// Config configures the packages. New sets the clocks.
type Config struct {
	Audit     audit.Config
	Accounts  accounts.Config
	Backend   storageconfig.Config
	Gallery   gallery.Config
	Signing   signing.Config // presets are set from Presets
	Presets   presets.Config
	Fonts     fonts.Config
	Templates templates.Config
	Uploads   uploads.Config
	Archives  archive.Config
	Webhooks  webhooks.Config
	Mail      *mail.Config // nil: the server sends no e-mail
}

// Rules are the packages under test on one database, as in one server.
type Rules struct {
	*accounts.Accounts
	*storageconfig.Settings
	*gallery.Gallery
	*signing.Signer
	*templates.Templates
	*uploads.Uploads
	Archives *archive.Archives
	Shares   *shares.Shares
	Audit    *audit.Log
	Presets  *presets.Presets
	Fonts    *fonts.Fonts
	Webhooks *webhooks.Hooks
	Mail     *mail.Mailer // nil: the server sends no e-mail
}

// Stage is a test environment: Rules and everything that they use.
type Stage struct {
	*testing.T
	*Rules
	Store  storage.Store
	Dir    string // folder of the storage
	Engine *HeaderEngine
	Keys   *auth.Keyring
	Clock  *Clock
	Pool   *sql.DB
	name   string
	config Config
}

// Clock is a clock that tests control.
type Clock struct{ Time time.Time }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.Time }

// New returns a stage with an empty database. name is ent's name of the dialect.
func New(t *testing.T, pool *sql.DB, name string, c Config) *Stage {
	t.Helper()
	s := &Stage{
		T:      t,
		Dir:    t.TempDir(),
		Engine: &HeaderEngine{},
		Clock:  &Clock{time.Now().Truncate(time.Second)},
		Pool:   pool,
		name:   name,
		config: c,
	}
	var err error
	s.Store, err = storage.OpenLocal(s.Dir)
	s.Must(err)
	t.Cleanup(func() { s.Store.Close() })
	s.Keys, err = auth.OpenKeyring(auth.KeyringConfig{
		File:     filepath.Join(t.TempDir(), "keys.json"),
		Issuer:   "i",
		Audience: "a",
		Lifetime: time.Hour,
		Now:      s.Clock.Now,
	})
	s.Must(err)
	s.Rules = s.Again()
	t.Cleanup(s.checkCounts)
	return s
}

// checkCounts checks that the counts that triggers maintain match the table of entries.
func (s *Stage) checkCounts() {
	const columns = "parent_id, kind, hidden, class, type"
	var wrong int
	err := s.Pool.QueryRow("SELECT count(*) FROM (SELECT " + columns + " FROM (SELECT " + columns +
		", n FROM entry_counts UNION ALL SELECT " +
		columns + ", -n FROM entry_counts_now) AS both_of_them GROUP BY " + columns +
		" HAVING sum(n) <> 0) AS differing").
		Scan(&wrong)
	if err != nil {
		s.Errorf("the counts were not checked: %v", err)
	} else if wrong > 0 {
		s.Errorf("entry_counts differs from the entries in %d places", wrong)
	}
	var lost int
	if err := s.Pool.QueryRow("SELECT count(*) FROM taggings t WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.id " +
		"= t.entry_id)").Scan(&lost); err != nil ||
		lost > 0 {
		s.Errorf("%d tags are of no entry: %v", lost, err)
	}
	if err := s.Pool.QueryRow("SELECT count(*) FROM album_items i WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE " +
		"e.id = i.entry_id)").Scan(&lost); err != nil ||
		lost > 0 {
		s.Errorf("%d items of albums are of no entry: %v", lost, err)
	}
}

// Context returns a context that may do everything, until the test ends.
func (s *Stage) Context() context.Context { return access.All(s.T.Context()) }

// Again returns the packages of another server on the same database and on the current value of Store.
func (s *Stage) Again() *Rules {
	s.Helper()
	c := s.config
	c.Audit.Now, c.Accounts.Now, c.Backend.Now, c.Gallery.Now, c.Signing.Now, c.Uploads.Now, c.Archives.Now,
		c.Presets.Now, c.Templates.Now = s.Clock.Now, s.Clock.Now, s.Clock.Now, s.Clock.Now, s.Clock.Now, s.Clock.Now,
		s.Clock.Now, s.Clock.Now, s.Clock.Now
	r, err := NewRules(
		s.Context(), c, database.New(s.Pool, s.name), s.Store, s.Engine, s.Keys,
		slog.New(slog.DiscardHandler),
	)
	s.Must(err)
	return r
}

// NewRules creates the packages on a migrated database.
func NewRules(
	ctx context.Context,
	c Config,
	db *database.DB,
	store storage.Store,
	engine imaging.Engine,
	keys *auth.Keyring,
	log *slog.Logger,
) (*Rules, error) {
	if c.Accounts.HashMemory == 0 {
		c.Accounts.HashMemory = 64 // low, because hashing would take most of the test time
	}
	var errs [9]error
	r := &Rules{}
	events := outbox.New(db, c.Audit.Now)
	c.Audit.Outbox, c.Gallery.Outbox = events, events
	r.Audit, errs[0] = audit.New(c.Audit, db, log)
	c.Webhooks.Now = c.Audit.Now
	r.Webhooks = webhooks.New(c.Webhooks, db, r.Audit, keys, log)
	if c.Mail != nil {
		c.Mail.Now = c.Audit.Now
		r.Mail = mail.New(*c.Mail, db, r.Audit, keys, log)
		c.Accounts.Mail = r.Mail
	}
	r.Accounts, errs[1] = accounts.New(ctx, c.Accounts, db, r.Audit, keys, log)
	if r.Mail.On() {
		r.Mail.Reset = r.Accounts.ResetLink
	}
	if r.Presets, errs[8] = presets.New(ctx, c.Presets, db, r.Audit, log); errs[8] != nil {
		return nil, errs[8]
	}
	if r.Fonts, errs[8] = fonts.New(ctx, c.Fonts, db, r.Audit); errs[8] != nil {
		return nil, errs[8]
	}
	c.Signing.Presets = r.Presets.Set
	r.Signer, errs[2] = signing.New(ctx, c.Signing, db, r.Audit, keys, log)
	r.Settings, errs[3] = storageconfig.New(c.Backend, db, r.Audit, store, keys)
	r.Gallery, errs[4] = gallery.New(c.Gallery, db, r.Audit, r.Signer, store, engine, log)
	c.Uploads.TTL = cmp.Or(c.Uploads.TTL, 24*time.Hour)
	c.Archives.MaxFiles = cmp.Or(c.Archives.MaxFiles, 10_000)
	c.Archives.MaxBytes = cmp.Or(c.Archives.MaxBytes, 10<<30)
	r.Uploads, errs[5] = uploads.New(c.Uploads, db, r.Audit, r.Gallery, r.Gallery.Stored, store, log)
	r.Templates, errs[6] = templates.New(c.Templates, r.Audit, r.Gallery, r.Signer, store, engine, log)
	r.Archives, errs[7] = archive.New(c.Archives, db, r.Accounts, store)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	links := shares.Config{Mail: r.Mail, Now: c.Accounts.Now, Outbox: events}
	r.Shares = shares.New(links, db, r.Audit, r.Accounts, keys, r.Signer, r.Gallery)
	return r, r.Apply(ctx, func(ctx context.Context, tx *ent.Tx) error {
		return errors.Join(r.Gallery.ReplaceStorage(ctx, tx), r.Uploads.ReplaceStorage(ctx, tx))
	})
}

// Must ends the test on an error.
func (s *Stage) Must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// Must ends the test on an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Want fails the test unless the error has the code. An empty code means success. doing describes the attempt
// in the failure message.
func Want(t *testing.T, err error, code fault.Code, doing string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, expected code %q", doing, err, code)
	}
}

// As returns a context authenticated by a session.
func (s *Stage) As(session *accounts.Session) context.Context {
	s.Helper()
	claims, err := s.Keys.Parse(session.Token)
	s.Must(err)
	i, err := s.Authenticate(s.Context(), claims)
	s.Must(err)
	return auth.WithIdentity(s.T.Context(), i)
}

// Person creates an account and logs it in.
func (s *Stage) Person(name string, role auth.Role) *accounts.Session {
	s.Helper()
	_, err := s.CreateUser(
		s.Context(),
		accounts.CreateUserInput{DisplayName: name, Username: name, Password: Password, Role: role},
	)
	s.Must(err)
	session, err := s.Login(s.Context(), name, Password, "home")
	s.Must(err)
	return session
}

// HeaderEngine reads image sizes with the standard library. Process returns the requested path instead of a
// picture.
type HeaderEngine struct {
	imaging.Engine
	Exif map[string]any // EXIF data of every picture
}

// Info implements imaging.Engine.
func (e *HeaderEngine) Info(
	_ context.Context,
	src imaging.Source,
	_ imaging.InfoRequest,
	_ imaging.Limits,
) (*imaging.Info, error) {
	c, format, err := image.DecodeConfig(src.Reader)
	if err != nil {
		return nil, fault.Wrap(err, fault.CorruptImage, "the picture %s cannot be decoded", src.Name)
	}
	return &imaging.Info{
		Format:      imaging.Format(format),
		Width:       c.Width,
		Height:      c.Height,
		Pages:       1,
		Orientation: 1,
		Exif:        e.Exif,
	}, nil
}

// Process implements imaging.Engine.
func (*HeaderEngine) Process(
	ctx context.Context,
	src imaging.Source,
	ops imaging.Operations,
	_ imaging.Limits,
) (*imaging.Result, error) {
	for _, f := range src.Fonts {
		if _, err := f.Load(ctx); err != nil {
			return nil, err
		}
	}
	return &imaging.Result{
		Data:        []byte("RIFF    WEBP " + ops.Path(src.Name)),
		Format:      imaging.WebP,
		ContentType: "image/webp",
		Width:       1,
		Height:      1,
		Pages:       1,
	}, nil
}

// Admits reports whether a session's token is accepted.
func (s *Stage) Admits(session *accounts.Session) bool {
	claims, err := s.Keys.Parse(session.Token)
	if err != nil {
		return false
	}
	_, err = s.Authenticate(s.Context(), claims)
	return err == nil
}

// Events returns the newest audit events that match, newest first.
func (s *Stage) Events(f audit.Filter) []*ent.AuditEvent {
	s.Helper()
	p, err := s.Audit.Events(s.Context(), f, 100, "")
	s.Must(err)
	return p.Items
}

// UploadFile uploads a file to an unused path.
func (r *Rules) UploadFile(ctx context.Context, path string, content io.ReadSeeker) (storage.Stat, error) {
	return r.AddFile(ctx, uploads.AddFileInput{Path: path, Content: content})
}

// Put uploads a file.
func (s *Stage) Put(path, data string) {
	s.Helper()
	_, err := s.UploadFile(s.Context(), path, strings.NewReader(data))
	s.Must(err)
}

// Names returns the names of the visible folders and files in a folder, folders first, each sorted by name.
func (s *Stage) Names(ctx context.Context, folder string) (names []string, err error) {
	first := int32(database.MaxPage)
	o := gallery.BrowseOptions{Folder: folder, First: &first}
	for more := true; more; {
		c, err := s.Folders(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, e := range c.Edges {
			names, o.After = append(names, e.Node.Name()), e.Cursor
		}
		more = len(c.Edges) == database.MaxPage
	}
	o.After = ""
	for more := true; more; {
		c, err := s.Files(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, e := range c.Edges {
			names, o.After = append(names, e.Node.Name()), e.Cursor
		}
		more = len(c.Edges) == database.MaxPage
	}
	return names, nil
}

// AllNames is Names including hidden entries.
func (s *Stage) AllNames(ctx context.Context, folder string) (names []string, err error) {
	if _, err := s.Folder(ctx, folder); err != nil { // syncs the folder if it has changed
		return nil, err
	}
	db := database.New(s.Pool, s.name)
	row, err := db.Entry.Query().Where(entry.Path(folder)).Only(ctx)
	if err != nil {
		return nil, err
	}
	err = db.Entry.Query().Where(entry.ParentID(row.ID)).Order(ent.Asc(entry.FieldKind, entry.FieldNameKey)).
		Select(entry.FieldName).Scan(ctx, &names)
	return names, err
}

// Content returns the bytes of a file.
func (s *Stage) Content(path string) string {
	s.Helper()
	o, err := s.OpenImage(s.Context(), path)
	s.Must(err)
	defer o.Close()
	b, err := io.ReadAll(o)
	s.Must(err)
	return string(b)
}

// Verifies reports whether a server accepts the signature of a URL.
func Verifies(v interface {
	VerifyURL(hash, signed string) bool
}, url string) bool {
	url, _, _ = strings.Cut(url, "?") // the version is not signed
	return v.VerifyURL(imaging.SplitSigned(url))
}

// Someone returns the context of an account with a role. The account is not in the database.
func (s *Stage) Someone(role auth.Role) context.Context {
	return auth.WithIdentity(s.T.Context(), auth.Identity{UserID: uuid.New(), Role: role, Scopes: role.Scopes()})
}
