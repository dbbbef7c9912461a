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

// WritableKey names the hidden object that CheckWrite overwrites. It is neither backed up nor moved to another storage.
const WritableKey Key = ".safelight/writable"

const (
	checkWriteTimeout = 10 * time.Second
	checkWriteRetry   = 10 * time.Second

	localProbe  = 64 << 10 // bytes: some file systems keep a short file where a full disk still has room
	bucketProbe = 64       // bytes: a bucket with versions keeps each one
)

// CheckWrite overwrites a hidden object of the main storage of s. For a storage that refuses writes, because a right is missing, it is
// read-only or it is full, it returns fault.Unavailable: the message is the reason, the cause says what to do, and RefusesWrites is true.
// Other errors say nothing about rights: the storage did not answer within 10 s, for example.
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
		// a file that exists is replaced without a change of the root folder, which others may have locked since
		if err := l.dir.checkWrite(); err != nil {
			return explainWrite(err, isLocal)
		}
		data = make([]byte, localProbe)
	}
	_, _ = rand.Read(data) // a file system that compresses stores zeros in nothing

	ctx = WithHints(ctx, Hints{Fresh: WritableKey}) // saves a bucket the requests to look whether the name is taken
	_, err := s.Create(ctx, WritableKey, bytes.NewReader(data),
		CreateOptions{ContentType: "application/octet-stream", Overwrite: true})
	return explainWrite(err, isLocal)
}

// RefusesWrites reports whether an error of CheckWrite means that the storage refuses writes.
func RefusesWrites(err error) bool { return errors.As(err, new(*writeRefusal)) }

// writeRefusal is the cause of a refused write.
type writeRefusal struct {
	advice string // empty: err says what to do
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

// explainWrite returns an error of CheckWrite for the one of a storage.
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
		err = f.Err // f names the probe's object
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
			"mount it for writing; pictures that nobody changes can be a mount with readonly=true, docs/mounts.md"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied", fmt.Sprintf("let user %d, who runs this program, write to the folder and to what is in it", os.Geteuid())
	}
	return "", ""
}

// refusedByBucket does the same for the answer of an object store. One that may be another a moment later is no refusal.
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
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusPreconditionFailed, http.StatusTooEarly, http.StatusTooManyRequests:
		return "", ""
	case http.StatusInsufficientStorage:
	default:
		if status < http.StatusBadRequest || status >= http.StatusInternalServerError {
			return "", ""
		}
	}
	if s3Refusals[s3.Code] == "" { // else the error has the advice already
		advice = "check the quota of the bucket, and the rights of its credentials, docs/storage.md"
	}
	return "the bucket refuses with " + Reason(err), advice
}

// withAdvice adds to an error of a folder what to do.
func withAdvice(err error) error {
	if _, advice := refusedByFolder(err); advice != "" {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}
