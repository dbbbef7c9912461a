package storage

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
)

// The clients retry a request whose response was lost: a closed connection, a timeout, a 503. If the store had
// executed the request, the retry fails because the object already exists: S3 answers 412 because the name exists, or
// 404 because the upload is completed.

// writeToken is the metadata that identifies the write that created an object. Copies of an object inherit it.
const writeToken = "Safelight-Write"

type triesKey struct{}

// countTries counts the requests of one change. More than one means that the client has retried it.
func countTries(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, triesKey{}, n), n
}

func countTry(r *http.Request) {
	if n, ok := r.Context().Value(triesKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}

// isRefusedByState reports whether a write failed because of the state of the bucket, which may be the result of an
// earlier attempt of the same write.
func isRefusedByState(err error) bool {
	return errors.Is(err, errChanged) || errors.Is(err, errMissing)
}

// written returns the ETag of the object name if the write with this token created it. Otherwise it returns failed,
// which is the error of that write, or the error of the lookup.
func written(ctx context.Context, o objects, name, token string, failed error) (etag string, err error) {
	made, err := o.head(ctx, name)
	switch {
	case err == nil && made.token == token:
		return made.etag, nil
	case err != nil && !errors.Is(err, errMissing):
		return "", err
	}
	return "", failed
}

// copied describes the object to if it is a copy of this version of from, which an earlier attempt has made. Otherwise
// it returns failed, which is the error of the last attempt, or the error of the lookup.
func copied(ctx context.Context, o objects, from objectInfo, to string, failed error) (objectInfo, error) {
	made, err := o.head(ctx, to)
	if errors.Is(err, errMissing) {
		return objectInfo{}, failed
	}
	if err != nil {
		return objectInfo{}, err
	}
	// This works on S3, where the ETag of a small object is the MD5 of its bytes.
	if made.etag == from.etag && made.size == from.size {
		return made, nil
	}
	source, err := o.head(ctx, from.name)
	if err != nil || source.etag != from.etag || source.size != made.size || source.token != made.token ||
		source.token == "" && source.sum != made.sum { // another program has made the object
		return objectInfo{}, failed
	}
	return made, nil
}
