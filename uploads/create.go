package uploads

import (
	"context"
	"crypto/rand"
	"mime"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/storage"
)

// StagingRoot is the folder for the parts of uploads. It is in the main storage or the mount that receives
// the file, so that every server can continue an upload. Its name starts with a dot, so listings and image
// URLs cannot access it.
const StagingRoot storage.Key = ".safelight/uploads"

// UploadState is the progress of an upload.
type UploadState string

// The states of an upload.
const (
	UploadOpen UploadState = "OPEN"
	UploadDone UploadState = "DONE"
)

// UploadHeader is a header that the request with the content must have.
type UploadHeader struct{ Name, Value string }

// tusPrefix is the prefix of the ids of uploads that are finished by the request with their last byte, as the
// tus protocol requires.
const tusPrefix = "tus-"

// PendingUpload is a file that is uploaded in parts.
type PendingUpload struct {
	ID            string
	OwnerID       uuid.UUID
	AutoFinish    bool // see CreateUploadInput
	Path          string
	FinalPath     *string // nil until the upload is finished
	State         UploadState
	OnConflict    gallery.ConflictPolicy
	URL           string // empty for uploads of visitors
	Method        string // of the request that sends the whole file
	Headers       []UploadHeader
	SizeBytes     int64
	ReceivedBytes int64
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateUploadInput describes a file that will be uploaded.
type CreateUploadInput struct {
	Path        string
	ContentType string // empty: unknown
	SizeBytes   int64
	OnConflict  gallery.ConflictPolicy
	// ClientKey is an idempotency key: a retry with the same key returns the upload that the first call
	// created. An account and each of its links have separate keys. nil: no key.
	ClientKey *string
	// AutoFinish makes the request that sends the last byte also finish the upload, as clients of the tus
	// protocol expect.
	AutoFinish bool
}

// CreateUpload starts the upload of a file in parts, or returns the upload that an earlier call with the same
// ClientKey has started. It returns fault.TooLarge beyond the limit, fault.UnsupportedType for a media type
// that is not that of a picture or template, fault.Conflict if the path exists and the policy is
// gallery.ConflictError, and fault.RateLimited beyond a quota.
func (u *Uploads) CreateUpload(ctx context.Context, in CreateUploadInput) (*PendingUpload, error) {
	k, err := u.checkUpload(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := storage.CheckPut(u.store, k); err != nil {
		return nil, err
	}
	owner, now, id := auth.FromContext(ctx).UserID, u.config.Now(), rand.Text()
	in.ClientKey = u.storedKey(in.ClientKey)
	if known, err := u.repeated(ctx, owner, k, in); known != nil || err != nil {
		return known, err
	}
	if in.OnConflict != gallery.ConflictRename {
		st, err := u.store.Stat(ctx, k)
		if err == nil && (st.IsFolder || in.OnConflict != gallery.ConflictReplace) {
			return nil, fault.OnField(fault.Conflict, "path", "%s exists already", k)
		}
	}
	if err := u.checkStored(ctx, owner, in); err != nil {
		return nil, err
	}
	if in.AutoFinish {
		id = tusPrefix + id
	}
	var row *ent.PendingUpload
	err = u.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := u.checkOpen(ctx, tx, owner, in.SizeBytes); err != nil {
			return err
		}
		if err := u.checkLink(ctx, tx, in.SizeBytes); err != nil {
			return err
		}
		if err := u.freeClientKey(ctx, tx, owner, in.ClientKey); err != nil {
			return err
		}
		create := tx.PendingUpload.Create()
		if u.link != nil {
			create.SetShareID(u.link.share)
		}
		row, err = create.
			SetID(id).
			SetNillableClientKey(in.ClientKey).
			SetPath(string(k)).
			SetContentType(in.ContentType).
			SetSize(in.SizeBytes).
			SetOnConflict(storedPolicy(in.OnConflict)).
			SetOwnerID(owner).
			SetCreatedAt(now).
			SetExpiresAt(u.expiry()).
			Save(ctx)
		return err
	})
	if ent.IsConstraintError(err) { // a concurrent call with the same key was faster
		if known, lookup := u.repeated(ctx, owner, k, in); known != nil || lookup != nil {
			return known, lookup
		}
	}
	if err != nil {
		return nil, err
	}
	return u.pending(row), nil
}

// checkUpload rejects an upload that could not be finished.
func (u *Uploads) checkUpload(ctx context.Context, in CreateUploadInput) (storage.Key, error) {
	k, err := u.files.NewFile(ctx, in.Path)
	if err != nil {
		return "", err
	}
	limit := u.fileLimit(k)
	switch {
	case in.SizeBytes <= 0:
		return "", fault.OnField(fault.Invalid, "sizeBytes", "the size is %d bytes, expected 1 or more", in.SizeBytes)
	case limit > 0 && in.SizeBytes > limit:
		return "", fault.OnField(
			fault.TooLarge, "sizeBytes", "the file has %d bytes, expected at most %d", in.SizeBytes, limit,
		)
	}
	if err := checkClientKey(in.ClientKey); err != nil {
		return "", err
	}
	kind, _, err := mime.ParseMediaType(in.ContentType)
	if in.ContentType != "" && (err != nil || len(in.ContentType) > 255) {
		return "", fault.OnField(
			fault.Invalid, "contentType",
			"the content type is not a media type, expected one such as image/jpeg",
		)
	}
	switch {
	case kind == "", kind == "application/octet-stream", strings.HasPrefix(kind, "image/"):
	case kind == "application/json" && gallery.IsTemplate(k):
	default:
		return "", fault.OnField(
			fault.UnsupportedType, "contentType",
			"files of type %s are not accepted, expected a picture or a template", kind,
		)
	}
	return k, nil
}

func storedPolicy(p gallery.ConflictPolicy) pendingupload.OnConflict {
	switch p {
	case gallery.ConflictRename:
		return pendingupload.OnConflictRename
	case gallery.ConflictReplace:
		return pendingupload.OnConflictReplace
	}
	return pendingupload.OnConflictError
}

// pending converts a row to the format of the API.
func (u *Uploads) pending(row *ent.PendingUpload) *PendingUpload {
	contentType := row.ContentType
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	p := &PendingUpload{
		ID:            row.ID,
		OwnerID:       row.OwnerID,
		AutoFinish:    strings.HasPrefix(row.ID, tusPrefix),
		Path:          row.Path,
		State:         UploadOpen,
		OnConflict:    gallery.ConflictPolicy(strings.ToUpper(string(row.OnConflict))),
		URL:           u.url(row),
		Method:        "PUT",
		Headers:       []UploadHeader{{"Content-Type", contentType}},
		SizeBytes:     row.Size,
		ReceivedBytes: row.Received,
		CreatedAt:     row.CreatedAt,
		ExpiresAt:     row.ExpiresAt,
	}
	if row.State == pendingupload.StateDone {
		p.State, p.FinalPath = UploadDone, &row.Target
	}
	return p
}

// url returns the URL of an upload of an account. The URL of a visitor's upload contains the key of the link,
// which is not stored here.
func (u *Uploads) url(row *ent.PendingUpload) string {
	if row.ShareID != nil {
		return ""
	}
	return u.config.BaseURL + "/api/uploads/" + row.ID
}

// unexpired returns the row of an upload. It returns fault.NotFound if the upload does not exist or has
// expired.
func (u *Uploads) unexpired(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := u.db.PendingUpload.Query().
		Where(pendingupload.ID(id), pendingupload.ExpiresAtGT(u.config.Now()), u.own()).
		Only(ctx)
	if ent.IsNotFound(err) {
		return nil, noUpload()
	}
	return row, database.Translate(err)
}

func noUpload() error {
	return fault.OnField(fault.NotFound, "id", "the upload does not exist or has expired")
}

// owned is unexpired for uploads of the caller. Admins own all uploads.
func (u *Uploads) owned(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := u.unexpired(ctx, id)
	if err != nil {
		return nil, err
	}
	if i := auth.FromContext(ctx); row.OwnerID != i.UserID && !i.Has(auth.ScopeAdmin) {
		return nil, noUpload()
	}
	return row, nil
}

// Upload describes an upload of the caller. It returns fault.NotFound if the upload does not exist.
func (u *Uploads) Upload(ctx context.Context, id string) (*PendingUpload, error) {
	row, err := u.owned(ctx, id)
	if err != nil {
		return nil, err
	}
	return u.pending(row), nil
}

// IsNode implements the interface Node of the API.
func (*PendingUpload) IsNode() {}

// UploadProgress describes an upload to anyone who knows its id.
func (u *Uploads) UploadProgress(ctx context.Context, id string) (*PendingUpload, error) {
	row, err := u.unexpired(ctx, id)
	if err != nil {
		return nil, err
	}
	return u.pending(row), nil
}
