// Package uploads receives files: whole files in one request (AddFile), or in chunks that survive lost
// connections and restarts (CreateUpload, ReceiveUpload, FinishUpload). It checks the content and passes
// finished files to the gallery. It is the only writer of the tables of pending uploads and their parts, and
// of their folder in the storage.
package uploads

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Config is the configuration of uploads.
type Config struct {
	BaseURL      string // absolute, without a trailing slash; empty: URLs are paths
	MaxFileBytes int64  // maximum size of a file; 0 means no limit
	// TTL is how long an upload is kept after its last byte; required.
	TTL time.Duration
	// MaxOpen and MaxOpenBytes limit the unfinished uploads of an account. MaxOpenTotal and MaxOpenTotalBytes
	// limit those of all accounts. Bytes are the sizes of the whole files. 0 means no limit.
	MaxOpen, MaxOpenBytes, MaxOpenTotal, MaxOpenTotalBytes int64
	// Probe rejects content that is not a complete picture within the limits. Its reader is at the start.
	// nil: only the first bytes are checked.
	Probe func(context.Context, imaging.Source) error
	Now   func() time.Time // nil is time.Now
}

// Files stores finished files. *gallery.Gallery implements it.
type Files interface {
	// NewFile parses the path of a file that the caller in ctx wants to write.
	NewFile(ctx context.Context, path string) (storage.Key, error)
	// CreateFile writes a file atomically and indexes it.
	CreateFile(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error)
	// ClaimFile makes the caller the owner of a file that has no owner.
	ClaimFile(ctx context.Context, k storage.Key) error
	// TryNames calls try with k and, with gallery.ConflictRename, with other names until one is free.
	TryNames(
		ctx context.Context, k storage.Key, policy gallery.ConflictPolicy,
		try func(k storage.Key, overwrite bool) error,
	) error
}

// Uploads manages the uploads of one database and storage. Create it with New. All methods are safe for
// concurrent use and return fault errors.
type Uploads struct {
	config  Config
	db      *database.DB
	audit   *audit.Log
	files   Files
	store   storage.Store // for parts
	stored  *gallery.Quotas
	log     *slog.Logger
	checked *checkedUploads
	link    *link // the link whose visitors these uploads belong to; nil: uploads of accounts
}

// Links counts what visitors add through share links. *shares.Shares implements it. Both methods run in the
// given transaction.
type Links interface {
	// CheckUpload returns an error unless a link accepts this number of bytes, in addition to those that
	// visitors have added.
	CheckUpload(ctx context.Context, tx *ent.Tx, share uuid.UUID, bytes int64) error
	// CountUpload records that a visitor has added a file.
	CountUpload(ctx context.Context, tx *ent.Tx, share uuid.UUID, path storage.Key, bytes int64) error
}

type link struct {
	share uuid.UUID
	links Links
}

// OfLink returns the uploads of the visitors of a share link. Its methods only access these uploads, and
// other Uploads cannot access them. The caller of its methods must be the owner of the link.
func (u *Uploads) OfLink(share uuid.UUID, links Links) *Uploads {
	of := *u
	of.link = &link{share, links}
	return &of
}

// own selects the uploads that these methods may access.
func (u *Uploads) own() predicate.PendingUpload {
	if u.link == nil {
		return pendingupload.ShareIDIsNil()
	}
	return pendingupload.ShareID(u.link.share)
}

// New returns the uploads of a migrated database. store is the storage of files. quotas are the quotas of
// stored files.
func New(
	c Config,
	db *database.DB,
	events *audit.Log,
	files Files,
	quotas *gallery.Quotas,
	store storage.Store,
	log *slog.Logger,
) (*Uploads, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.TTL <= 0 {
		return nil, fmt.Errorf("uploads are kept for %s, expected a positive duration", c.TTL)
	}
	return &Uploads{
		config: c, db: db, audit: events, files: files, store: store, stored: quotas, log: log,
		checked: &checkedUploads{},
	}, nil
}

// ReplaceStorage deletes the uploads to the main storage, because their parts are in the previous storage.
func (u *Uploads) ReplaceStorage(ctx context.Context, tx *ent.Tx) error {
	rows, err := tx.PendingUpload.Query().Select(pendingupload.FieldID, pendingupload.FieldPath).All(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for _, row := range rows {
		if storage.MountOf(u.store, storage.Key(row.Path)).Name == "" {
			ids = append(ids, row.ID)
		}
	}
	for some := range slices.Chunk(ids, sweepBatch) {
		if _, err := tx.PendingPart.Delete().Where(pendingpart.UploadIDIn(some...)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.PendingUpload.Delete().Where(pendingupload.IDIn(some...)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
