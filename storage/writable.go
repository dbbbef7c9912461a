package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/safelight/safelight/fault"
)

// WritableKey is the hidden object that CheckWrite overwrites. It is neither backed up nor moved to another storage.
const WritableKey Key = ".safelight/writable"

const (
	checkWriteTimeout = 10 * time.Second
	checkWriteRetry   = 10 * time.Second

	localProbe  = 64 << 10 // bytes, because a full disk may still have room for a very short file
	bucketProbe = 64       // bytes, because a bucket with versioning keeps each one
)

// CheckWrite overwrites a hidden object of the main storage of s. It returns fault.Unavailable if the storage refuses
// writes because it is full, read-only or access is denied: the message says why, the cause says what to do, and
// RefusesWrites reports true. Other errors mean that this is unknown, for example because the storage did not respond
// within 10 s.
func CheckWrite(ctx context.Context, s Store) error {
	ctx, cancel := context.WithTimeout(ctx, checkWriteTimeout)
	defer cancel()
	for {
		t, ok := as[Tree](s)
		if !ok {
			break
		}
		s = t.Main()
	}

	l, isLocal := as[*local](s)
	data := make([]byte, bucketProbe)
	if isLocal {
		// Replacing an existing file does not require write access to the root folder, so check that separately.
		if err := l.dir.checkWrite(); err != nil {
			return explainWrite(err, isLocal)
		}
		data = make([]byte, localProbe)
	}
	_, _ = rand.Read(data) // random, because compressing file systems need no space for zeros

	ctx = WithHints(ctx, Hints{Fresh: WritableKey}) // skips the check whether the name is taken
	_, err := s.Create(ctx, WritableKey, bytes.NewReader(data),
		CreateOptions{ContentType: "application/octet-stream", Overwrite: true})
	return explainWrite(err, isLocal)
}

// RefusesWrites reports whether an error of CheckWrite means that the storage refuses writes.
func RefusesWrites(err error) bool { return errors.As(err, new(*writeRefusal)) }

// writeRefusal is the cause of a refused write.
type writeRefusal struct {
	advice string // what to do; empty: err already says so
	err    error
}

// Error implements error.
func (w *writeRefusal) Error() string {
	if w.advice == "" {
		return w.err.Error()
	}
	return w.advice + " (" + w.err.Error() + ")"
}

// Unwrap returns the error of the storage.
func (w *writeRefusal) Unwrap() error { return w.err }

// explainWrite turns an error of the storage into an error of CheckWrite.
func explainWrite(err error, isLocal bool) error {
	reason, advice := refusedByFolder(err)
	if isLocal && fault.CodeOf(err) == fault.NotFound {
		err = fs.ErrNotExist
		reason, advice = "its folder is gone, or "+workFolder+" in it", "restore the folder and restart the server"
	}
	if reason == "" {
		reason, advice = refusedByBucket(err)
	}
	if reason == "" {
		return err
	}
	var f *fault.Error
	if errors.As(err, &f) && f.Err != nil {
		err = f.Err // f names the test object, which callers do not know
	}
	refused := fault.Wrap(&writeRefusal{advice, err}, fault.Unavailable, "the storage cannot be written: %s", reason)
	refused.RetryAfter = checkWriteRetry
	return refused
}

// refusedByFolder says why the operating system refuses a write, and what to do; empty for other errors.
func refusedByFolder(err error) (reason, advice string) {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "its disk is full", "make room on the disk, or enlarge it"
	case errors.Is(err, syscall.EDQUOT):
		return "its disk quota is used up", "raise the quota, or delete files"
	case errors.Is(err, syscall.EROFS):
		return "its file system is read-only",
			"mount it for writing; pictures that nobody changes can be a mount with readonly=true, " +
				"docs/guides/mounts.md"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied", fmt.Sprintf(
			"let user %d, who runs this program, write to the folder and to what is in it",
			os.Geteuid(),
		)
	}
	return "", ""
}

// refusedByBucket says why an object store refuses a write, and what to do; empty for responses that may change with a
// retry.
func refusedByBucket(err error) (reason, advice string) {
	var s3 minio.ErrorResponse
	var other *refusal
	status := 0
	switch {
	case errors.As(err, &s3):
		status = s3.StatusCode
	case errors.As(err, &other):
		status = other.status
	}
	switch status {
	case http.StatusRequestTimeout,
		http.StatusConflict,
		http.StatusPreconditionFailed,
		http.StatusTooEarly,
		http.StatusTooManyRequests:
		return "", ""
	case http.StatusInsufficientStorage:
	default:
		if status < http.StatusBadRequest || status >= http.StatusInternalServerError {
			return "", ""
		}
	}
	isMissing := errors.As(err, new(*missingBucket))
	if s3Refusals[s3.Code] == "" && !isMissing { // otherwise the error already contains the advice
		advice = "check the quota of the bucket, and the rights of its credentials, docs/guides/storage.md"
	}
	return "the bucket refuses with " + Reason(err), advice
}

// withAdvice adds advice to an error about a folder.
func withAdvice(err error) error {
	if _, advice := refusedByFolder(err); advice != "" {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}
