package gallery

import (
	"context"
	"crypto/rand"
	"mime"
	"strings"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// stagingRoot is the folder of the storage that holds the pieces of uploads, so that every server on that
// storage can go on with them. Nobody sees it (see reserved).
const stagingRoot storage.Key = ".safelight/uploads"

// maxOpenUploads is how many unfinished uploads an account may have at a time.
const maxOpenUploads = 1000

// UploadState is how far an upload has come.
type UploadState string

// The states of an upload.
const (
	UploadOpen UploadState = "OPEN"
	UploadDone UploadState = "DONE"
)

// UploadHeader is a header that the request with the bytes must bear.
type UploadHeader struct{ Name, Value string }

// PendingUpload is a file that comes in pieces.
type PendingUpload struct {
	ID            string
	Path          string
	FinalPath     *string // nil until the file is there
	State         UploadState
	OnConflict    ConflictPolicy
	URL           string
	Method        string // that sends the whole file
	Headers       []UploadHeader
	SizeBytes     int64
	ReceivedBytes int64
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateUploadInput announces a file.
type CreateUploadInput struct {
	Path        string
	ContentType string // empty: unknown
	SizeBytes   int64
	OnConflict  ConflictPolicy
}

// CreateUpload announces a file whose bytes are to be received in pieces. fault.TooLarge beyond the
// limit, fault.UnsupportedType for a media type that is no picture's, fault.Conflict when the path exists
// and the policy is ConflictError.
func (g *Gallery) CreateUpload(ctx context.Context, in CreateUploadInput) (*PendingUpload, error) {
	k, err := g.checkUpload(in)
	if err != nil {
		return nil, err
	}
	if st, err := g.store.Stat(ctx, k); err == nil && (in.OnConflict == "" || in.OnConflict == ConflictError || in.OnConflict == ConflictReplace && st.IsFolder) {
		return nil, fault.OnField(fault.Conflict, "path", "%s exists already", k)
	}
	owner, now := auth.FromContext(ctx).UserID, g.config.Now()
	open, err := g.db.PendingUpload.Query().Where(pendingupload.OwnerID(owner), pendingupload.StateEQ(pendingupload.StateOpen), pendingupload.ExpiresAtGT(now)).Count(ctx)
	if err != nil {
		return nil, translate(err)
	}
	if open >= maxOpenUploads {
		return nil, fault.New(fault.RateLimited, "%d uploads are unfinished, finish or cancel some first", open)
	}
	row, err := g.db.PendingUpload.Create().SetID(rand.Text()).SetPath(string(k)).SetContentType(in.ContentType).SetSize(in.SizeBytes).
		SetOnConflict(storedPolicy(in.OnConflict)).SetOwnerID(owner).SetCreatedAt(now).SetExpiresAt(now.Add(g.config.UploadTTL)).Save(ctx)
	if err != nil {
		return nil, translate(err)
	}
	return g.pending(row), nil
}

// checkUpload refuses what could not be finished anyway.
func (g *Gallery) checkUpload(in CreateUploadInput) (storage.Key, error) {
	k, err := newFileKey(in.Path)
	if err != nil {
		return "", err
	}
	limit := g.fileLimit(k)
	switch {
	case in.SizeBytes <= 0:
		return "", fault.OnField(fault.Invalid, "sizeBytes", "the size is %d bytes, expected 1 or more", in.SizeBytes)
	case limit > 0 && in.SizeBytes > limit:
		return "", fault.OnField(fault.TooLarge, "sizeBytes", "the file has %d bytes, expected at most %d", in.SizeBytes, limit)
	}
	kind, _, err := mime.ParseMediaType(in.ContentType)
	if in.ContentType != "" && (err != nil || len(in.ContentType) > 255) {
		return "", fault.OnField(fault.Invalid, "contentType", "the content type is no media type, expected one such as image/jpeg")
	}
	switch {
	case kind == "", kind == "application/octet-stream", strings.HasPrefix(kind, "image/"):
	case kind == "application/json" && isTemplate(k):
	default:
		return "", fault.OnField(fault.UnsupportedType, "contentType", "files of type %s are not taken, expected a picture or a template", kind)
	}
	return k, nil
}

func storedPolicy(p ConflictPolicy) pendingupload.OnConflict {
	switch p {
	case ConflictRename:
		return pendingupload.OnConflictRename
	case ConflictReplace:
		return pendingupload.OnConflictReplace
	}
	return pendingupload.OnConflictError
}

// pending describes a row.
func (g *Gallery) pending(row *ent.PendingUpload) *PendingUpload {
	contentType := row.ContentType
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	u := &PendingUpload{ID: row.ID, Path: row.Path, State: UploadOpen, OnConflict: ConflictPolicy(strings.ToUpper(string(row.OnConflict))),
		URL: g.config.BaseURL + "/api/uploads/" + row.ID, Method: "PUT", Headers: []UploadHeader{{"Content-Type", contentType}},
		SizeBytes: row.Size, ReceivedBytes: row.Received, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt}
	if row.State == pendingupload.StateDone {
		u.State, u.FinalPath = UploadDone, &row.Target
	}
	return u
}

// unexpired returns the row of an upload; fault.NotFound when there is none, or none any more.
func (g *Gallery) unexpired(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := g.db.PendingUpload.Query().Where(pendingupload.ID(id), pendingupload.ExpiresAtGT(g.config.Now())).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, noUpload()
	}
	return row, translate(err)
}

func noUpload() error {
	return fault.OnField(fault.NotFound, "id", "there is no such upload, or it has expired")
}

// owned is unexpired for the caller: an upload of somebody else is none, but for admins.
func (g *Gallery) owned(ctx context.Context, id string) (*ent.PendingUpload, error) {
	row, err := g.unexpired(ctx, id)
	if err != nil {
		return nil, err
	}
	if i := auth.FromContext(ctx); row.OwnerID != i.UserID && !i.Has(auth.ScopeAdmin) {
		return nil, noUpload()
	}
	return row, nil
}

// Upload describes an upload of the caller's; fault.NotFound when there is none.
func (g *Gallery) Upload(ctx context.Context, id string) (*PendingUpload, error) {
	row, err := g.owned(ctx, id)
	if err != nil {
		return nil, err
	}
	return g.pending(row), nil
}

// UploadProgress describes an upload for whoever knows its id.
func (g *Gallery) UploadProgress(ctx context.Context, id string) (*PendingUpload, error) {
	row, err := g.unexpired(ctx, id)
	if err != nil {
		return nil, err
	}
	return g.pending(row), nil
}

// CancelUpload gives an upload of the caller's up; fault.NotFound when there is none.
func (g *Gallery) CancelUpload(ctx context.Context, id string) error {
	row, err := g.owned(ctx, id)
	if err != nil {
		return err
	}
	return g.removeUpload(ctx, row.ID)
}

// AbandonUpload is CancelUpload for whoever knows the id.
func (g *Gallery) AbandonUpload(ctx context.Context, id string) error {
	row, err := g.unexpired(ctx, id)
	if err != nil {
		return err
	}
	return g.removeUpload(ctx, row.ID)
}

// removeUpload removes what has arrived, then the row: a crash between leaves a row that is swept later.
func (g *Gallery) removeUpload(ctx context.Context, id string) error {
	if err := g.clearStaging(ctx, id); err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		if _, err := tx.PendingPart.Delete().Where(pendingpart.UploadID(id)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.PendingUpload.Delete().Where(pendingupload.ID(id)).Exec(ctx)
		return err
	})
}

// clearStaging removes the pieces of an upload from the storage.
func (g *Gallery) clearStaging(ctx context.Context, id string) error {
	if err := g.store.Delete(ctx, stagingFolder(id)); err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	return nil
}
