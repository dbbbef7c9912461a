package uploads

import (
	"context"
	"fmt"
	"io"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/storage"
)

// AddFileInput is a whole file to upload.
type AddFileInput struct {
	Path       string
	Content    io.ReadSeeker
	OnConflict gallery.ConflictPolicy
}

// AddFile writes a picture, or a template (by its name), and describes the file, which appears atomically. It
// returns fault.Conflict if the path exists and the policy is gallery.ConflictError, fault.UnsupportedType if
// the content is not a picture, fault.CorruptImage if it cannot be decoded or is truncated, fault.TooLarge
// beyond a limit, and fault.RateLimited beyond a quota.
func (u *Uploads) AddFile(ctx context.Context, in AddFileInput) (s storage.Stat, err error) {
	k, err := u.files.NewFile(ctx, in.Path)
	if err != nil {
		return s, err
	}
	if err := storage.CheckPut(u.store, k); err != nil {
		return s, err
	}
	size, err := in.Content.Seek(0, io.SeekEnd)
	if err != nil {
		return s, fmt.Errorf("measuring an upload: %w", err)
	}
	// The quota is checked again when the file is written. Check it first here, because checking a picture is
	// expensive.
	if err := u.CheckRoom(ctx, size); err != nil {
		return s, err
	}
	contentType, err := u.checkFile(ctx, k, in.Content, size)
	if err != nil {
		return s, err
	}
	s, err = u.write(ctx, k, in.OnConflict, contentType, in.Content)
	if err != nil {
		return s, err
	}
	u.audit.RecordDone(ctx, audit.Event{
		Action: audit.ActionFileUpload,
		Target: audit.FileTarget(s.Key),
		After:  audit.Facts{"size": s.Size, "onConflict": storedPolicy(in.OnConflict)},
	})
	return s, nil
}

// write creates the file k from the content of r. Depending on the policy, it uses another name.
func (u *Uploads) write(
	ctx context.Context,
	k storage.Key,
	policy gallery.ConflictPolicy,
	contentType string,
	r io.ReadSeeker,
) (storage.Stat, error) {
	var created storage.Stat
	err := u.files.TryNames(ctx, k, policy, func(k storage.Key, overwrite bool) error {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("reading the upload again: %w", err)
		}
		var err error
		created, err = u.files.CreateFile(
			ctx, k, r, storage.CreateOptions{ContentType: contentType, Overwrite: overwrite},
		)
		return err
	})
	return created, err
}
