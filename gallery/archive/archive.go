// Package archive sends a selection of files as a ZIP, which is created during the download. Only the
// selection is stored. The package is the only writer of the table of archives.
package archive

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/archive"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// The limits of selections.
const (
	maxPaths   = 1000
	maxName    = 100  // characters
	maxOwn     = 20   // unexpired archives of one account; the oldest are removed
	maxAll     = 1000 // unexpired archives of all accounts
	defaultTTL = time.Hour
)

// Config is the configuration of archives.
type Config struct {
	MaxFiles int              // in one archive; required
	MaxBytes int64            // of the files of one archive; required
	TTL      time.Duration    // how long a download can be started; 0 is an hour
	Now      func() time.Time // nil is time.Now
}

// Accounts checks who may read. *accounts.Accounts implements it.
type Accounts interface {
	// Reader returns the caller with their current role and read scope, and fault.Unauthenticated once the
	// session or API token has ended.
	Reader(ctx context.Context, caller auth.Identity) (auth.Identity, error)
}

// Archives manages the archives of one storage. Create it with New. All methods are safe for concurrent use
// and return fault errors.
type Archives struct {
	config   Config
	db       *database.DB
	access   *access.Access
	accounts Accounts
	store    storage.Store
}

// New returns the archives of a storage, on a migrated database. The error names a missing limit.
func New(c Config, db *database.DB, accounts Accounts, store storage.Store) (*Archives, error) {
	if c.MaxFiles <= 0 || c.MaxBytes <= 0 {
		return nil, fmt.Errorf(
			"archives may have %d files and %d bytes, expected positive limits", c.MaxFiles, c.MaxBytes,
		)
	}
	if c.TTL == 0 {
		c.TTL = defaultTTL
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Archives{config: c, db: db, access: access.New(db, nil), accounts: accounts, store: store}, nil
}

// Archive is a download that can be started until it expires.
type Archive struct {
	URL       string // path that contains the token, which is the credential
	Name      string // of the file
	FileCount int32
	Size      int64 // total size of the files in bytes
	ExpiresAt time.Time
}

// Create selects files and folders for a download. A folder includes everything visible in it. name is the
// name of the ZIP file. If it is empty, the name is that of the only path, or "files.zip". It returns
// fault.Invalid for paths that are malformed or contain no file, fault.NotFound for missing paths,
// fault.TooLarge beyond the limits, and fault.RateLimited if there are too many archives.
func (a *Archives) Create(ctx context.Context, paths []string, name string) (*Archive, error) {
	keys, err := selection(paths)
	if err != nil {
		return nil, err
	}
	return a.create(ctx, keys, name)
}

// CreateAlbum is Create for the files of an album, in this order. There may be as many files as an archive
// can hold. Errors about the files name the field albumId.
func (a *Archives) CreateAlbum(ctx context.Context, paths []string, name string) (*Archive, error) {
	keys := make([]storage.Key, len(paths))
	for i, p := range paths {
		keys[i] = storage.Key(p)
	}
	if len(keys) > a.config.MaxFiles {
		return nil, fault.OnField(
			fault.TooLarge, "albumId", "the album has %d files, expected at most %d", len(keys), a.config.MaxFiles,
		)
	}
	made, err := a.create(ctx, keys, name)
	return made, fault.WithField(err, "albumId")
}

// create selects files and folders. None of the keys is inside another one.
func (a *Archives) create(ctx context.Context, keys []storage.Key, name string) (_ *Archive, err error) {
	if name, err = fileName(name, keys); err != nil {
		return nil, err
	}
	list, err := a.walk(ctx, keys)
	if err != nil {
		return nil, fault.WithField(err, "paths")
	}
	if len(list) == 0 {
		return nil, fault.OnField(fault.Invalid, "paths", "there are no files at these paths, expected at least one")
	}
	token, caller := rand.Text(), auth.FromContext(ctx)
	now := a.config.Now().UTC()
	made := &Archive{
		URL:       "/api/archives/" + token,
		Name:      name,
		FileCount: int32(len(list)),
		ExpiresAt: now.Add(a.config.TTL),
	}
	for _, e := range list {
		made.Size += e.size
	}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := makeRoom(ctx, tx, caller.UserID, now); err != nil {
			return err
		}
		texts := make([]string, len(keys))
		for i, k := range keys {
			texts[i] = string(k)
		}
		create := tx.Archive.Create().
			SetID(hash(token)).
			SetName(name).
			SetPaths(texts).
			SetCreatedAt(now).
			SetExpiresAt(made.ExpiresAt)
		return setCreator(create, caller).Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// setCreator stores who created an archive.
func setCreator(create *ent.ArchiveCreate, caller auth.Identity) *ent.ArchiveCreate {
	token := caller.Session
	if caller.APIToken {
		token = caller.TokenID
	}
	return create.SetAccountID(caller.UserID).SetGuest(caller.Role == auth.RoleGuest).
		SetTokenID(token).SetAPIToken(caller.APIToken)
}

// creator returns who created an archive, as far as accounts need it to check whether the session is still
// valid.
func creator(row *ent.Archive) auth.Identity {
	i := auth.Identity{UserID: row.AccountID, APIToken: row.APIToken}
	if row.Guest {
		i.Role = auth.RoleGuest
	}
	if row.APIToken {
		i.TokenID = row.TokenID
	} else {
		i.Session = row.TokenID
	}
	return i
}

// makeRoom removes expired archives and, if an account has too many, its oldest ones.
func makeRoom(ctx context.Context, tx *ent.Tx, account uuid.UUID, now time.Time) error {
	if _, err := tx.Archive.Delete().Where(archive.ExpiresAtLTE(now)).Exec(ctx); err != nil {
		return err
	}
	own, err := tx.Archive.Query().
		Where(archive.AccountID(account)).
		Order(ent.Desc(archive.FieldCreatedAt, archive.FieldID)).
		Offset(maxOwn - 1).
		Limit(maxAll).
		IDs(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Archive.Delete().Where(archive.IDIn(own...)).Exec(ctx); err != nil {
		return err
	}
	n, err := tx.Archive.Query().Count(ctx)
	if err != nil || n < maxAll {
		return err
	}
	f := fault.New(fault.RateLimited, "%d archives are waiting to be downloaded, which is the limit; try again later",
		n)
	f.RetryAfter = time.Minute
	return f
}

// Open returns the download with a token, whose files List finds. It returns fault.NotFound for an unknown token,
// fault.Expired for an expired token, and fault.Unauthenticated once the session or API token that created it
// has ended.
func (a *Archives) Open(ctx context.Context, token string) (*Download, error) {
	row, err := a.db.Archive.Get(ctx, hash(token))
	if err != nil {
		return nil, database.Missing(err, "the archive", "")
	}
	if !a.config.Now().Before(row.ExpiresAt) {
		return nil, fault.New(fault.Expired, "the URL of the archive has expired")
	}
	reader, err := a.accounts.Reader(ctx, creator(row))
	if err != nil {
		return nil, err
	}
	d := &Download{Name: row.Name, Account: row.AccountID, Guest: row.Guest, store: a.store}
	d.walk = func(ctx context.Context) ([]entry, error) {
		keys := make([]storage.Key, len(row.Paths))
		for i, p := range row.Paths {
			keys[i] = storage.Key(p)
		}
		return a.walk(auth.WithIdentity(access.Again(ctx), reader), keys)
	}
	return d, nil
}

// Select returns a download of files and folders that starts immediately. A folder includes all visible files
// for which shows returns true. name is the name of the ZIP file without extension. It returns
// fault.NotFound if there are no such files, and otherwise the errors of Create.
func (a *Archives) Select(
	ctx context.Context, paths []string, name string, shows func(storage.Key) bool,
) (*Download, error) {
	keys := make([]storage.Key, len(paths))
	for i, p := range paths {
		keys[i] = storage.Key(p)
	}
	list, err := a.walk(ctx, keys)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e entry) bool { return !shows(e.key) })
	if len(list) == 0 {
		return nil, fault.New(fault.NotFound, "there are no pictures")
	}
	return &Download{Name: safeSegment(name) + ".zip", store: a.store, entries: list}, nil
}

// hash returns the id of a token. The database does not contain the token itself, so it cannot be used to
// start downloads.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// selection parses paths and leaves out those inside others.
func selection(paths []string) ([]storage.Key, error) {
	if len(paths) == 0 || len(paths) > maxPaths {
		return nil, fault.OnField(fault.Invalid, "paths", "%d paths, expected 1 to %d", len(paths), maxPaths)
	}
	var all []storage.Key
	for _, p := range paths {
		k, err := gallery.ParseVisible(p, "paths") // walk checks the rights
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	var keys []storage.Key
	for i, k := range all {
		inside := false
		for j, other := range all {
			inside = inside || other.Holds(k) && (other != k || j < i)
		}
		if !inside {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// NameOf returns the file name of a download with a title, without characters that a file name cannot
// contain.
func NameOf(title string) string { return safeSegment(title) + ".zip" }

// fileName returns the name of the download, which ends in .zip.
func fileName(name string, keys []storage.Key) (string, error) {
	given := name != ""
	if !given {
		name = "files"
		if len(keys) == 1 {
			name = keys[0].Name()
		}
	}
	if len(name) < 4 || !strings.EqualFold(name[len(name)-4:], ".zip") {
		name += ".zip"
	}
	if given &&
		(!utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsAny(name, "/\\")) {
		return "", fault.OnField(
			fault.Invalid, "name", "the name %.40q is not valid, expected a file name of at most %d characters", name,
			maxName,
		)
	}
	return safeSegment(name), nil
}
