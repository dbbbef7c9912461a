package uploads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/google/uuid"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// maxClientKey is the maximum length of CreateUploadInput.ClientKey in bytes.
const maxClientKey = 64

// checkClientKey rejects a key that is empty, too long or contains characters that the API does not allow.
// nil is allowed.
func checkClientKey(key *string) error {
	if key == nil {
		return nil
	}
	ok := len(*key) >= 1 && len(*key) <= maxClientKey
	for i := 0; ok && i < len(*key); i++ {
		c := (*key)[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
	}
	if !ok {
		return fault.OnField(
			fault.Invalid, "clientKey",
			"the key has %d bytes or a character that is not allowed, expected 1 to %d letters, digits, -, _ or .",
			len(*key), maxClientKey,
		)
	}
	return nil
}

// storedKey returns the key under which an upload is stored. A visitor's key never equals a key of the link's
// owner or of visitors of another link.
func (u *Uploads) storedKey(key *string) *string {
	if key == nil || u.link == nil {
		return key
	}
	sum := sha256.Sum256([]byte(u.link.share.String() + "/" + *key))
	stored := hex.EncodeToString(sum[:])
	return &stored
}

// repeated returns the upload that an earlier identical call has created, or nil if there is none. It returns
// fault.Invalid if the key belongs to an upload with other fields.
func (u *Uploads) repeated(
	ctx context.Context,
	owner uuid.UUID,
	k storage.Key,
	in CreateUploadInput,
) (*PendingUpload, error) {
	if in.ClientKey == nil {
		return nil, nil
	}
	row, err := u.db.PendingUpload.Query().
		Where(
			pendingupload.OwnerID(owner), pendingupload.ClientKey(*in.ClientKey),
			pendingupload.ExpiresAtGT(u.config.Now()), u.own(),
		).
		Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, database.Translate(err)
	case row.Path != string(k), row.ContentType != in.ContentType, row.Size != in.SizeBytes,
		row.OnConflict != storedPolicy(in.OnConflict):
		return nil, fault.OnField(
			fault.Invalid, "clientKey",
			"the key belongs to an upload of %s with other fields, expected a new key for each upload",
			fault.Quote(row.Path),
		)
	}
	return u.pending(row), nil
}

// freeClientKey removes the key from an expired upload that was not swept yet.
func (u *Uploads) freeClientKey(ctx context.Context, tx *ent.Tx, owner uuid.UUID, key *string) error {
	if key == nil {
		return nil
	}
	return tx.PendingUpload.Update().
		Where(pendingupload.OwnerID(owner), pendingupload.ClientKey(*key), pendingupload.ExpiresAtLTE(u.config.Now())).
		ClearClientKey().
		Exec(ctx)
}
