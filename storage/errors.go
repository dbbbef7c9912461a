package storage

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/fault"
)

func notFound(k Key) error {
	return fault.OnField(fault.NotFound, "path", "%s does not exist", show(k))
}

func exists(k Key) error { return fault.OnField(fault.Conflict, "path", "%s exists already", show(k)) }

// changed returns the error of a file that no longer has the expected version.
func changed(k Key) error {
	f := fault.Wrap(errChanged, fault.Unavailable, "%s changed while it was read, try again", show(k))
	f.Field = "path"
	return f
}

// IsChanged reports whether an error of reading a file means that it was replaced in the meantime.
func IsChanged(err error) bool { return errors.Is(err, errChanged) }

func isRoot() error {
	return fault.OnField(fault.Invalid, "path", "the path is the storage root, expected something in it")
}

func intoItself(from Key) error {
	return fault.OnField(fault.Invalid, "path", "%s cannot be moved or copied into itself", show(from))
}

// show returns a key for a message. The root has no name of its own.
func show(k Key) string {
	if k == "" {
		return "the storage root"
	}
	return string(k)
}

// translate turns an error of the operating system about k into a fault.
func translate(err error, k Key) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "the storage took too long for %s", show(k))
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "the request for %s was canceled", show(k))
	case errors.Is(err, fs.ErrNotExist),
		errors.Is(err, syscall.ELOOP),
		strings.Contains(err.Error(), "path escapes from parent"):
		return notFound(k)
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EISDIR):
		return exists(k)
	case errors.Is(err, syscall.ENOTDIR):
		return fault.OnField(fault.Conflict, "path", "a folder of %s is a file", show(k))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.OnField(fault.Invalid, "path", "a name of %s is too long for this storage", show(k))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f := fault.Wrap(err, fault.Unavailable, "the storage is full, try again when there is space")
		f.RetryAfter = 30 * time.Second
		return f
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EIO):
		f := fault.Wrap(err, fault.Unavailable, "the storage denies access to %s", show(k))
		f.RetryAfter = 10 * time.Second
		return f
	}
	return err
}

// contextReader is a reader that fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   interface{ Read([]byte) (int, error) }
}

// Read implements io.Reader.
func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
