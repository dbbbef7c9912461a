package storage

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// The client repeats a request whose answer was lost: a closed connection, a timeout, a 503. If S3 had carried it out, the
// repetition meets its own object: 412 for the name is taken, or 404 for the parts of the upload are put together already.

// writeToken is the metadata of an object that tells the write which made it. A copy of the object has it too.
const writeToken = "Safelight-Write"

type triesKey struct{}

// countTries counts the requests of one change: more than one means that the client has repeated it.
func countTries(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, triesKey{}, n), n
}

func countTry(r *http.Request) {
	if n, ok := r.Context().Value(triesKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}

// isRefusedByState reports whether S3 refused a write by what it holds, which may be the result of an earlier try.
func isRefusedByState(err error) bool {
	return errors.Is(err, errChanged) || errors.Is(err, errMissing)
}

// written describes the object name if the write with this token made it, or returns the error of that write, or the one
// for which that cannot be known.
func (s *s3Bucket) written(ctx context.Context, name, token string, failed error) (objectInfo, error) {
	o, err := s.stat(ctx, name)
	switch {
	case err == nil && o.UserMetadata[writeToken] == token:
		return infoOf(name, o), nil
	case err != nil && !errors.Is(err, errMissing):
		return objectInfo{}, err
	}
	return objectInfo{}, failed
}

// copied does the same for a copy of this version of from.
func (s *s3Bucket) copied(ctx context.Context, from objectInfo, to string, failed error) (objectInfo, error) {
	made, err := s.stat(ctx, to)
	switch {
	case errors.Is(err, errMissing), err == nil && made.Size != from.size:
		return objectInfo{}, failed
	case err != nil:
		return objectInfo{}, err
	case bareETag(made.ETag) == from.etag:
		return infoOf(to, made), nil
	}
	// the ETag of an object that was uploaded in parts is not the one of its copy
	source, err := s.stat(ctx, from.name)
	if err != nil || bareETag(source.ETag) != from.etag || source.UserMetadata[writeToken] == "" {
		return objectInfo{}, failed
	}
	return s.written(ctx, to, source.UserMetadata[writeToken], failed)
}

// stat describes an object, with its metadata.
func (s *s3Bucket) stat(ctx context.Context, name string) (o minio.ObjectInfo, err error) {
	err = s.do(func() (err error) {
		o, err = s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
		return err
	})
	return o, err
}
