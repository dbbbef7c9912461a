package storageconfig

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/storagesettings"
	"github.com/safelight/safelight/storage"
)

// settingsID is the id of the only row of settings.
const settingsID = 1

// Input describes a storage: a folder, or a bucket if S3 is not nil.
type Input struct {
	Folder string
	S3     *storage.S3Config // Control is not set; empty keys mean the stored keys of the same bucket and endpoint
}

// S3Parts describe a bucket and its keys.
type S3Parts = storage.S3Config

// S3Input describes a bucket.
func S3Input(p S3Parts) Input { return Input{S3: &p} }

// Reason returns the error code that an S3 server sent, or an empty text.
func Reason(err error) string { return storage.Reason(err) }

// kind returns the kind of the storage.
func (in Input) kind() storagesettings.Kind {
	if in.S3 != nil {
		return storagesettings.KindS3
	}
	return storagesettings.KindFile
}

// facts describes a storage for the audit log.
func (in Input) facts() audit.Facts {
	if in.S3 == nil {
		return audit.Facts{"type": "file", "baseDir": in.Folder}
	}
	c := in.S3
	return audit.Facts{
		"type":           "s3",
		"bucket":         c.Bucket,
		"baseDir":        c.Prefix,
		"region":         c.Region,
		"endpoint":       c.Endpoint,
		"forcePathStyle": c.PathStyle,
		"accessKeyId":    c.AccessKeyID,
	}
}

// Chosen is the storage that an admin has chosen.
type Chosen struct {
	Store storage.Store
	Kind  string // "file" or "s3"
	Place string // folder or bucket
}

// OpenChosen opens the storage that an admin has chosen. It returns nil if none was chosen, or if the
// operator has set the storage. It returns an error if the policy does not allow the storage, or if its keys
// cannot be decrypted.
func OpenChosen(ctx context.Context, db *database.DB, p Policy, keys *auth.Keyring) (*Chosen, error) {
	in, err := ReadChosen(ctx, db, p, keys)
	if err != nil || in == nil {
		return nil, err
	}
	store, err := p.open(ctx, *in)
	if err != nil {
		return nil, fmt.Errorf(
			"opening the storage that was configured by the API (the setting storage overrides it): %w",
			err,
		)
	}
	place := in.Folder
	if in.S3 != nil {
		place = in.S3.Bucket
	}
	return &Chosen{Store: store, Kind: string(in.kind()), Place: place}, nil
}

// ReadChosen returns the storage that an admin has chosen, with decrypted secrets, without opening it. It
// returns nil if none was chosen, or if the operator has set the storage. A bucket without keys is an error.
func ReadChosen(ctx context.Context, db *database.DB, p Policy, keys *auth.Keyring) (*Input, error) {
	if p.Overridden {
		return nil, nil
	}
	row, err := db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the storage settings: %w", err)
	}
	in, err := stored(row, keys)
	if err != nil {
		return nil, fmt.Errorf("reading the storage settings: %w", err)
	}
	return &in, nil
}

// place returns the content of a row without secrets.
func place(row *ent.StorageSettings) Input {
	if row.Kind == storagesettings.KindFile {
		return Input{Folder: row.Folder}
	}
	return Input{
		S3: &storage.S3Config{
			Bucket:      row.Bucket,
			Prefix:      row.Prefix,
			Region:      row.Region,
			Endpoint:    row.Endpoint,
			PathStyle:   row.PathStyle,
			AccessKeyID: row.AccessKeyID,
		},
	}
}

// samePlace reports whether two storages contain the same files. It ignores keys.
func samePlace(a, b Input) bool {
	if (a.S3 == nil) != (b.S3 == nil) {
		return false
	}
	if a.S3 == nil {
		return sameFolder(a.Folder, b.Folder)
	}
	return a.S3.Bucket == b.S3.Bucket && strings.Trim(a.S3.Prefix, "/") == strings.Trim(b.S3.Prefix, "/") &&
		a.S3.Endpoint == b.S3.Endpoint
}

// stored returns the content of a row with decrypted secrets.
func stored(row *ent.StorageSettings, keys *auth.Keyring) (Input, error) {
	in := place(row)
	c := in.S3
	if c == nil {
		return in, nil
	}
	if keys == nil {
		return Input{}, errors.New("decrypting the bucket's keys requires a key file that others cannot read")
	}
	var err error
	if c.SecretAccessKey, err = keys.Unseal(row.SecretAccessKey); err != nil {
		return Input{}, err
	}
	if row.SessionToken != "" {
		c.SessionToken, err = keys.Unseal(row.SessionToken)
	}
	return in, err
}

// open checks and opens a storage.
func (p Policy) open(ctx context.Context, in Input) (storage.Store, error) {
	if in.S3 == nil {
		dir, err := p.folder(in.Folder)
		if err == nil {
			err = p.checkMounts("baseDir", url.URL{Scheme: "file", Path: dir})
		}
		if err != nil {
			return nil, err
		}
		return storage.OpenLocal(dir)
	}
	if err := checkS3(*in.S3); err != nil {
		return nil, err
	}
	address := url.URL{
		Scheme:   "s3",
		Host:     in.S3.Bucket,
		Path:     in.S3.Prefix,
		RawQuery: url.Values{"endpoint": {in.S3.Endpoint}}.Encode(),
	}
	if err := p.checkMounts("bucket", address); err != nil {
		return nil, err
	}
	c := *in.S3
	c.Control = p.Control
	return storage.OpenS3(ctx, c)
}
