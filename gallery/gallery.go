// Package gallery holds the rules of Safelight: files and folders, accounts and sessions, and
// how image URLs are signed. It is the only holder of the database client; transactions live
// here. Every method is safe for concurrent use and returns fault errors.
package gallery

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Config is what the operator decides.
type Config struct {
	Guest        bool
	Registration bool
	BaseURL      string                // absolute, without a final slash; empty: URLs are paths
	Processor    *imaging.SignerConfig // from flags or environment; nil: the database decides
	StorageKind  string                // "file" or "s3", for StorageStatus
	StoragePlace string                // folder or bucket, for StorageStatus
	MaxFileBytes int64                 // of an upload; 0 is no limit
	Now          func() time.Time      // nil is time.Now
}

// Gallery is the one holder of the rules. Make it with New.
type Gallery struct {
	config Config
	db     *ent.Client
	store  storage.Store
	keys   *auth.Keyring
	log    *slog.Logger
}

// Session answers login, refresh, guest and register, in the JSON shape of the API.
type Session struct {
	Token     string      `json:"token"`
	ExpiresIn int64       `json:"expiresIn"` // seconds
	User      SessionUser `json:"user"`
}

// SessionUser is who a session belongs to.
type SessionUser struct {
	ID          uuid.UUID `json:"id"`
	DisplayName string    `json:"displayName"`
	Username    string    `json:"username"`
	Role        auth.Role `json:"role"`
}

// RegisterInput asks for an account. SetupToken is needed while no user exists.
type RegisterInput struct{ DisplayName, Username, Password, SetupToken string }

// CreateUserInput asks an admin's new account.
type CreateUserInput struct {
	DisplayName, Username, Password string
	Role                            auth.Role // admin or user
}

// UpdateProfileInput changes the fields that are not nil.
type UpdateProfileInput struct {
	DisplayName, Username *string
	Role                  *auth.Role // admin scope needed
}

// SortBy is what a listing is sorted by.
type SortBy string

// The sort keys; the empty one is SortByName. Folders come before files.
const (
	SortByName     SortBy = "NAME"
	SortBySize     SortBy = "SIZE"
	SortByModified SortBy = "MODIFIED_TIME"
)

// ListFilesOptions says which entries of a folder are wanted. Offset and Limit count after
// filtering; a Limit of 0 is no limit.
type ListFilesOptions struct {
	Offset, Limit          int
	OnlyFiles, OnlyFolders bool
	Extensions             []string // lower case, with or without the dot; empty is all
	ShowHidden             bool
	SortBy                 SortBy
	Descending             bool
}

// FileItem is a file or a folder of the gallery.
type FileItem struct {
	Name         string
	Path         string
	Size         int64 // bytes; 0 for a folder
	IsDirectory  bool
	ModifiedTime time.Time
	ETag         string
	Thumbnails   *ThumbnailURLs // nil for folders and for files that are no pictures
}

// ThumbnailURLs are signed URLs of one picture.
type ThumbnailURLs struct{ Grid, Preview, Full, Original, Meta string }

// FileList is a part of a folder; TotalCount counts all that match.
type FileList struct {
	Items      []*FileItem
	TotalCount int
}

// StorageStatus says where files lie.
type StorageStatus struct {
	Configured           bool
	Type                 string // "file" or "s3"
	Place                string // folder or bucket
	Reachable            bool
	IsOverriddenByConfig bool
}

// ProcessorStatus says how image URLs are signed. The secret is never in it.
type ProcessorStatus struct {
	Configured           bool
	LastUpdated          *time.Time
	IsOverriddenByConfig bool
	HasSecret            bool
	SignerType           imaging.SignerType
	SignerTruncate       int
	PreviousUntil        *time.Time // until when the secret before is accepted
}

// ProcessorInput changes how image URLs are signed. A nil field stays as it is.
type ProcessorInput struct {
	Secret         *string
	SignerType     *imaging.SignerType
	SignerTruncate *int
}

// the methods, by subject; each is moved to its file with its body

type methods interface {
	// sessions.go

	Login(ctx context.Context, username, password, address string) (*Session, error)
	Refresh(ctx context.Context, token string) (*Session, error)
	GuestSession(ctx context.Context) (*Session, error)
	Register(ctx context.Context, in RegisterInput) (*Session, error)
	Logout(ctx context.Context) error                                        // the token of the identity in ctx
	Authenticate(ctx context.Context, c *auth.Claims) (auth.Identity, error) // after the signature was checked: not revoked, active, version
	SessionUser(ctx context.Context) (*SessionUser, []auth.Scope, error)

	// users.go

	Me(ctx context.Context) (*ent.User, error) // a guest gets a made-up entity of role guest
	User(ctx context.Context, id uuid.UUID) (*ent.User, error)
	Users(ctx context.Context, offset, limit int, search string) ([]*ent.User, int, error)
	CreateUser(ctx context.Context, in CreateUserInput) (*ent.User, error)
	UpdateProfile(ctx context.Context, userID *uuid.UUID, in UpdateProfileInput) (*ent.User, error)
	ChangePassword(ctx context.Context, userID *uuid.UUID, current, new string) error
	DeactivateAccount(ctx context.Context, userID *uuid.UUID) error
	ReactivateAccount(ctx context.Context, userID uuid.UUID) error

	// files.go

	ListFiles(ctx context.Context, path string, o ListFilesOptions) (*FileList, error)
	StatFile(ctx context.Context, path string) (*FileItem, error)
	UploadFile(ctx context.Context, path string, r io.Reader) (*FileItem, error)
	DeleteFile(ctx context.Context, path string) error
	CreateFolder(ctx context.Context, path string) error
	CopyFile(ctx context.Context, from, to string) error
	MoveFile(ctx context.Context, from, to string) error
	StorageStatus(ctx context.Context) (*StorageStatus, error)
	OpenImage(ctx context.Context, image string) (storage.Object, error) // for the image routes

	// processor.go

	ProcessorStatus(ctx context.Context) (*ProcessorStatus, error)
	ConfigureProcessor(ctx context.Context, in ProcessorInput) (*ProcessorStatus, error)
	VerifyURL(hash, signed string) bool // against the current and, while it is accepted, the previous secret; no I/O
	GenerateURL(ctx context.Context, image string, o imaging.Operations) (string, error)
	Ready(ctx context.Context) error // database and storage answer
}

var _ methods = (*Gallery)(nil)
