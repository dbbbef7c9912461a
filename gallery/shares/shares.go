// Package shares manages links that give people without an account access to a folder, files or an album. All
// access of visitors goes through Visit and Visitor. The context of a request has the scope of the link. For
// an album, this scope is everything that its owner may view, so handlers must get files from Visitor, never
// from the gallery.
//
// The package is the only writer of the tables of shares, except for the paths of their items, which
// gallery/access updates when files move.
package shares

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/ent/shareday"
	"github.com/safelight/safelight/ent/shareitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/webhooks/outbox"
)

// The limits of links.
const (
	maxName   = 100   // characters
	maxFiles  = 500   // of one link
	maxOwn    = 1000  // unexpired links of one account
	maxAll    = 10000 // unexpired links of all accounts
	maxQuota  = 1 << 50
	daysShown = 30
)

// Downloads are what visitors may download.
type Downloads = share.Downloads

// The downloads.
const (
	NoDownloads = share.DownloadsNone
	Renditions  = share.DownloadsRenditions
	Originals   = share.DownloadsOriginals
)

// Config is the configuration of share links.
type Config struct {
	Mail   *mail.Mailer     // nil: the server sends no e-mail
	Now    func() time.Time // nil is time.Now
	Outbox *outbox.Outbox   // for webhooks; nil: no webhooks
}

// Accounts are the accounts that own links. *accounts.Accounts implements it.
type Accounts interface {
	User(ctx context.Context, id uuid.UUID) (*ent.User, error)
	HashPassword(ctx context.Context, password string) (string, error)
	// CheckPassword checks a password. It limits failed attempts by name, from all addresses and from the
	// address in ctx, and returns fault.RateLimited beyond the limits.
	CheckPassword(ctx context.Context, name, hash, password string) (bool, error)
}

// Presets checks watermarks. *signing.Signer implements it.
type Presets interface {
	// CheckWatermark returns fault.Invalid for a preset that cannot be applied to every picture.
	CheckWatermark(name string) error
}

// Shares manages the links to one gallery. Create it with New. All methods are safe for concurrent use and
// return fault errors.
type Shares struct {
	config   Config
	db       *database.DB
	audit    *audit.Log
	accounts Accounts
	keys     *auth.Keyring
	presets  Presets
	gallery  *gallery.Gallery
	visits   minute
	marks    minute
	comments minute
}

// New returns the links to a gallery, on a migrated database.
func New(
	c Config, db *database.DB, events *audit.Log, accounts Accounts, keys *auth.Keyring, presets Presets,
	g *gallery.Gallery,
) *Shares {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Shares{config: c, db: db, audit: events, accounts: accounts, keys: keys, presets: presets, gallery: g}
}

// keyPurpose is the purpose of the derived key that encrypts the keys of links in the database.
const keyPurpose = "share links"

// hash returns the text by which a link is found in the database. The database alone is not enough to open
// links.
func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// CreateInput is a link to create.
type CreateInput struct {
	Paths         []string   // one folder, or files
	Album         *uuid.UUID // instead of paths
	Name          string     // empty: the name of the folder, the first file or the album
	Password      string     // empty: no password
	ExpiresAt     *time.Time
	Downloads     share.Downloads
	UploadQuota   int64  // bytes; 0: no uploads
	Watermark     string // name of a preset; empty: no watermark
	AllowFeedback bool
}

// Create creates a link to what the caller may view. It returns fault.Invalid for a value out of range,
// fault.NotFound for what the caller may not view, and fault.Forbidden for uploads to a folder that the
// caller may not edit.
func (s *Shares) Create(ctx context.Context, in CreateInput) (*ent.Share, error) {
	kind, paths, name, err := s.items(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Name == "" {
		in.Name = name
	}
	if in.Downloads == "" {
		in.Downloads = share.DownloadsNone
	}
	row := &ent.Share{
		Kind: kind, Name: in.Name, ExpiresAt: in.ExpiresAt, Downloads: in.Downloads, UploadQuota: in.UploadQuota,
		Watermark: in.Watermark,
	}
	if err := s.check(ctx, row, paths, everything); err != nil {
		return nil, err
	}
	password := ""
	if in.Password != "" {
		if password, err = s.hashPassword(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	key := rand.Text() // 130 bits
	sealed, err := s.keys.SealShared(keyPurpose, key)
	if err != nil {
		return nil, err
	}
	owner := auth.FromContext(ctx).UserID
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := s.makeRoom(ctx, tx, owner); err != nil {
			return err
		}
		row, err = tx.Share.Create().
			SetOwnerID(owner).SetKeyHash(hash(key)).SetSealedKey(sealed).SetKind(kind).SetNillableAlbumID(in.Album).
			SetName(row.Name).SetPasswordHash(password).SetNillableExpiresAt(row.ExpiresAt).SetDownloads(row.Downloads).
			SetUploadQuota(row.UploadQuota).SetWatermark(row.Watermark).SetAllowFeedback(in.AllowFeedback).
			SetCreatedAt(s.config.Now().UTC()).
			Save(ctx)
		if err != nil {
			return err
		}
		for i, path := range paths {
			if err := tx.ShareItem.Create().SetShareID(row.ID).SetPath(path).SetPosition(i).Exec(ctx); err != nil {
				return err
			}
		}
		after := facts(row)
		if in.Album != nil {
			after["album"] = in.Album.String()
		} else {
			after["paths"] = strings.Join(paths[:min(len(paths), 20)], "\n")
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionShareCreate, Target: target(row.ID), After: after})
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

// items returns what a link leads to, and its name. To share other kinds of things, add a kind here and get
// its files from Visitor.
func (s *Shares) items(ctx context.Context, in CreateInput) (kind share.Kind, paths []string, name string, err error) {
	if in.Album == nil {
		if kind, paths, err = s.files(ctx, in.Paths); err != nil {
			return "", nil, "", err
		}
		return kind, paths, defaultName(paths[0]), nil
	}
	if len(in.Paths) > 0 {
		return "", nil, "", fault.OnField(fault.Invalid, "paths", "there are paths and an album, expected one of them")
	}
	a, err := s.gallery.Album(ctx, *in.Album)
	if err != nil {
		return "", nil, "", fault.WithField(err, "albumId")
	}
	return share.KindAlbum, nil, a.Title(), nil
}

// files returns what a link to paths leads to.
func (s *Shares) files(ctx context.Context, list []string) (share.Kind, []string, error) {
	if n := len(list); n < 1 || n > maxFiles {
		return "", nil, fault.OnField(
			fault.Invalid, "paths", "%d paths, expected one folder, 1 to %d files, or an album", n, maxFiles,
		)
	}
	if len(list) == 1 {
		switch folder, err := s.folder(ctx, list[0]); {
		case err == nil:
			return share.KindFolder, []string{folder}, nil
		case fault.CodeOf(err) != fault.NotFound:
			return "", nil, fault.WithField(err, "paths")
		}
	}
	var paths []string
	for _, p := range list {
		k, err := gallery.ParseVisible(p, "paths")
		if err != nil {
			return "", nil, err
		}
		f, err := s.gallery.File(ctx, string(k))
		if err != nil {
			return "", nil, fault.WithField(err, "paths")
		}
		if f.Format() == nil {
			return "", nil, fault.OnField(fault.Invalid, "paths",
				"%s is not a picture, expected pictures or one folder", k)
		}
		if !slices.Contains(paths, f.Path()) {
			paths = append(paths, f.Path())
		}
	}
	return share.KindFiles, paths, nil
}

// folder returns the path of a folder if the caller may view all of it. Otherwise it returns fault.NotFound.
func (s *Shares) folder(ctx context.Context, p string) (string, error) {
	if p != "" {
		k, err := gallery.ParseVisible(p, "paths")
		if err != nil {
			return "", err
		}
		p = string(k)
	}
	f, err := s.gallery.Folder(ctx, p)
	if err != nil {
		return "", err
	}
	right, err := f.Access(ctx)
	if err == nil && right == nil {
		err = fault.OnField(fault.NotFound, "paths", "%s does not exist", p)
	}
	return f.Path(), err
}

// defaultName returns the name of a link to a path.
func defaultName(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	runes := []rune(name)
	return cmp.Or(string(runes[:min(len(runes), maxName)]), "Pictures")
}

// changes says which fields of a link have changed and must be checked.
type changes struct{ name, expiry, downloads, quota, watermark bool }

var everything = changes{true, true, true, true, true}

// check returns fault.Invalid for an invalid link, and fault.Forbidden for uploads to a folder that the
// caller may not edit. It trims the name.
func (s *Shares) check(ctx context.Context, row *ent.Share, paths []string, c changes) error {
	if c.name {
		row.Name = strings.TrimSpace(row.Name)
		if !gallery.IsText(row.Name, maxName, "") {
			return fault.OnField(
				fault.Invalid, "name", "the name has %d characters, expected one line of 1 to %d visible ones",
				utf8.RuneCountInString(row.Name), maxName,
			)
		}
	}
	if c.expiry && row.ExpiresAt != nil {
		at := row.ExpiresAt.UTC()
		if row.ExpiresAt = &at; !at.After(s.config.Now()) || at.Year() > 9999 {
			return fault.OnField(
				fault.Invalid, "expiresAt", "the link would end at %s, expected a time in the future",
				at.Format(time.RFC3339),
			)
		}
	}
	if c.watermark && row.Watermark != "" {
		if err := s.presets.CheckWatermark(row.Watermark); err != nil {
			return fault.WithField(err, "watermark")
		}
	}
	if (c.watermark || c.downloads) && row.Watermark != "" && row.Downloads == share.DownloadsOriginals {
		return fault.OnField(
			fault.Invalid, "downloads", "originals have no watermark, expected NONE or RENDITIONS with a watermark",
		)
	}
	if !c.quota || row.UploadQuota == 0 {
		return nil
	}
	if row.UploadQuota < 0 || row.UploadQuota > maxQuota {
		return fault.OnField(
			fault.Invalid, "uploadQuotaBytes", "the quota is %d bytes, expected 0 to %d", row.UploadQuota,
			int64(maxQuota),
		)
	}
	if row.Kind != share.KindFolder {
		return fault.OnField(fault.Invalid, "uploadQuotaBytes", "visitors can add files to a folder only, expected 0")
	}
	scope, err := s.gallery.Access.Scope(ctx)
	if err == nil && (len(paths) != 1 || scope.On(paths[0]) < access.Edit) {
		err = fault.OnField(
			fault.Forbidden, "uploadQuotaBytes", "you may view the folder, but not add files: visitors may not either",
		)
	}
	return err
}

func (s *Shares) hashPassword(ctx context.Context, password string) (string, error) {
	if err := auth.CheckPassword(password, ""); err != nil {
		return "", err
	}
	return s.accounts.HashPassword(ctx, password)
}

// makeRoom returns fault.RateLimited if there are too many links. First it removes expired links, oldest
// first.
func (s *Shares) makeRoom(ctx context.Context, tx *ent.Tx, owner uuid.UUID) error {
	if err := s.db.LockNames(ctx, tx.Client(), "shares"); err != nil {
		return err
	}
	of := share.OwnerID(owner)
	if err := s.makeRoomFor(ctx, tx, maxOwn, "the account has", of); err != nil {
		return err
	}
	return s.makeRoomFor(ctx, tx, maxAll, "there are", func(*entsql.Selector) {})
}

func (s *Shares) makeRoomFor(
	ctx context.Context, tx *ent.Tx, most int, there string, which predicate.Share,
) error {
	n, err := tx.Share.Query().Where(which).Count(ctx)
	if err != nil || n < most {
		return err
	}
	ended, err := tx.Share.Query().
		Where(which, share.ExpiresAtLTE(s.config.Now())).
		Order(share.ByExpiresAt(), share.ByID()).
		Limit(n - most + 1).
		All(ctx)
	if err != nil {
		return err
	}
	if n-len(ended) >= most {
		return fault.New(fault.RateLimited, "%s %d links, expected at most %d: revoke some first", there, n, most)
	}
	for _, row := range ended {
		if err := s.delete(ctx, tx, row); err != nil {
			return err
		}
	}
	return nil
}

// UpdateInput is a change of a link. nil fields stay unchanged.
type UpdateInput struct {
	Name          *string
	Password      *string     // empty: removes the password
	ExpiresAt     **time.Time // a pointer to nil: never
	Downloads     *share.Downloads
	UploadQuota   *int64
	Watermark     *string // empty: no watermark
	AllowFeedback *bool   // false: existing feedback is kept, but visitors can neither see nor change it
}

// Update changes a link. It returns the errors of Create, and fault.NotFound for a link that the caller does
// not own.
func (s *Shares) Update(ctx context.Context, id uuid.UUID, in UpdateInput) (*ent.Share, error) {
	var password string
	if in.Password != nil && *in.Password != "" {
		var err error
		if password, err = s.hashPassword(ctx, *in.Password); err != nil {
			return nil, err
		}
	}
	var saved *ent.Share
	err := s.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err := tx.Share.Query().Where(share.ID(id), mine(ctx), database.LockRows).Only(ctx)
		if err != nil {
			return database.Missing(err, "the link", "id")
		}
		before := facts(row)
		c := changes{in.Name != nil, in.ExpiresAt != nil, in.Downloads != nil, in.UploadQuota != nil,
			in.Watermark != nil}
		set(&row.Name, in.Name)
		set(&row.ExpiresAt, in.ExpiresAt)
		set(&row.Downloads, in.Downloads)
		set(&row.UploadQuota, in.UploadQuota)
		set(&row.Watermark, in.Watermark)
		paths, err := pathsOf(ctx, tx.Client(), row)
		if err != nil {
			return err
		}
		if err := s.check(ctx, row, paths, c); err != nil {
			return err
		}
		update := tx.Share.UpdateOne(row).
			SetNillableDownloads(in.Downloads).SetNillableUploadQuota(in.UploadQuota).SetNillableWatermark(in.Watermark)
		if in.Name != nil {
			update.SetName(row.Name) // trimmed
		}
		if in.ExpiresAt != nil {
			if update.ClearExpiresAt(); row.ExpiresAt != nil {
				update.SetExpiresAt(*row.ExpiresAt)
			}
		}
		if in.Password != nil {
			update.SetPasswordHash(password)
		}
		update.SetNillableAllowFeedback(in.AllowFeedback)
		if saved, err = update.Save(ctx); err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionShareUpdate, Target: target(id), Before: before, After: facts(saved),
		})
	})
	return saved, err
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// Delete revokes a link. Visitors lose access immediately. It returns fault.NotFound for a link that the
// caller does not own.
func (s *Shares) Delete(ctx context.Context, id uuid.UUID) error {
	return s.db.Transact(database.Essential(ctx), func(tx *ent.Tx) error {
		row, err := tx.Share.Query().Where(share.ID(id), mine(ctx)).Only(ctx)
		if err != nil {
			return database.Missing(err, "the link", "id")
		}
		return s.delete(ctx, tx, row)
	})
}

func (s *Shares) delete(ctx context.Context, tx *ent.Tx, row *ent.Share) error {
	if err := tx.Share.DeleteOne(row).Exec(ctx); err != nil {
		return err
	}
	return s.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionShareDelete, Target: target(row.ID), Before: facts(row),
	})
}

// mine selects the links of the caller, or all links with scope admin.
func mine(ctx context.Context) func(*entsql.Selector) {
	i := auth.FromContext(ctx)
	if i.Has(auth.ScopeAdmin) {
		return func(*entsql.Selector) {}
	}
	return share.OwnerID(i.UserID)
}

// target returns the target of audit events about a link.
func target(id uuid.UUID) string { return "share:" + id.String() }

// facts describes a link for the audit log.
func facts(row *ent.Share) audit.Facts {
	f := audit.Facts{
		"name": row.Name, "kind": string(row.Kind), "downloads": string(row.Downloads), "uploadQuota": row.UploadQuota,
		"watermark": row.Watermark, "password": row.PasswordHash != "", "feedback": row.AllowFeedback,
	}
	if row.ExpiresAt != nil {
		f["expiresAt"] = row.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return f
}

// ListInput selects links.
type ListInput struct {
	Path  *string    // only links to this file or folder
	Album *uuid.UUID // only links to this album
	All   bool       // of all accounts; needs scope admin
	First int        // 1 to 100
	After string     // cursor of the last link of the previous page; empty: from the start
}

// newest is the order of links.
var newest = database.Order[ent.Share]{
	Columns: []string{share.FieldCreatedAt, share.FieldID}, Descending: true,
	Values: func(s *ent.Share) []any { return []any{&s.CreatedAt, &s.ID} },
}

// List returns a page of links, newest first.
func (s *Shares) List(ctx context.Context, in ListInput) (*database.Page[*ent.Share], error) {
	i := auth.FromContext(ctx)
	if in.All && !i.Has(auth.ScopeAdmin) {
		return nil, fault.New(fault.Forbidden, "links of other accounts need scope admin")
	}
	query := s.db.Share.Query()
	if !in.All {
		query.Where(share.OwnerID(i.UserID))
	}
	if in.Path != nil {
		query.Where(share.HasItemsWith(shareitem.Path(*in.Path)))
	}
	if in.Album != nil {
		query.Where(share.AlbumID(*in.Album))
	}
	return database.ReadPage(ctx, query, newest, in.First, in.After)
}

// parseNumber parses a cursor of a list whose cursors are numbers. It returns 0 for the start of the list.
func parseNumber(cursor string) (n int, err error) {
	if cursor == "" {
		return 0, nil
	}
	if n, err = strconv.Atoi(cursor); err != nil || n < 0 {
		return 0, errCursor()
	}
	return n, nil
}

func errCursor() error { return fault.OnField(fault.Invalid, "after", "the cursor is not valid") }

// Share returns a link of the caller, or any link with scope admin. Otherwise it returns fault.NotFound.
func (s *Shares) Share(ctx context.Context, id uuid.UUID) (*ent.Share, error) {
	row, err := s.db.Share.Query().Where(share.ID(id), mine(ctx)).Only(ctx)
	if err != nil {
		return nil, database.Missing(err, "the link", "id")
	}
	return row, nil
}

// URL returns the path of a link on this server, or nil if the server no longer has the key that encrypted
// it.
func (s *Shares) URL(row *ent.Share) *string {
	key, err := s.keys.UnsealShared(keyPurpose, row.SealedKey)
	if err != nil {
		return nil
	}
	url := "/s/" + key
	return &url
}

// Paths returns the folder or the files of a link that the caller may view.
func (s *Shares) Paths(ctx context.Context, row *ent.Share) ([]string, error) {
	scope, err := s.gallery.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(ctx, s.db.Client, row)
	return slices.DeleteFunc(paths, func(p string) bool { return !scope.Sees(p) || strings.Contains("/"+p, "/.") }), err
}

// Album returns the album of a link. It returns nil if the link leads to something else, or if the caller may
// no longer see the album.
func (s *Shares) Album(ctx context.Context, row *ent.Share) (*gallery.Album, error) {
	if row.AlbumID == nil {
		return nil, nil
	}
	a, err := s.gallery.Album(ctx, *row.AlbumID)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	return a, err
}

// pathsOf returns the folder or the files of a link.
func pathsOf(ctx context.Context, db *ent.Client, row *ent.Share) ([]string, error) {
	paths, err := db.ShareItem.Query().
		Where(shareitem.ShareID(row.ID)).
		Order(shareitem.ByPosition()).
		Select(shareitem.FieldPath).
		Strings(ctx)
	return paths, database.Translate(err)
}

// IsActive reports whether a link currently gives visitors access to anything.
func (s *Shares) IsActive(ctx context.Context, row *ent.Share) (bool, error) {
	_, _, err := s.enter(ctx, row)
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Expired:
		return false, nil
	}
	return err == nil, err
}

// Owner returns the account that created a link.
func (s *Shares) Owner(ctx context.Context, row *ent.Share) (*ent.User, error) {
	return s.accounts.User(ctx, row.OwnerID)
}

// Days returns the visits of the last 30 days, oldest first, without days that had no visits.
func (s *Shares) Days(ctx context.Context, row *ent.Share) ([]*ent.ShareDay, error) {
	days, err := s.db.ShareDay.Query().
		Where(shareday.ShareID(row.ID), shareday.DayGTE(firstDay(s.config.Now()))).
		Order(shareday.ByDay()).
		All(ctx)
	return days, database.Translate(err)
}

// firstDay returns the first day of the visits that are shown.
func firstDay(now time.Time) string {
	return now.UTC().AddDate(0, 0, 1-daysShown).Format(time.DateOnly)
}

// errMissing is the error for an unusable key. It does not reveal the reason.
func errMissing() error { return fault.New(fault.NotFound, "the link does not exist or was revoked") }

// errEnded is the error for an expired link.
func errEnded(row *ent.Share) error {
	return fault.New(fault.Expired, "the link ended on %s", row.ExpiresAt.UTC().Format(time.DateOnly))
}

var errNoPassword = fmt.Errorf("the password of the link is missing")
