package storage

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// The client retries a request whose response was lost: a closed connection, a timeout, a 503. If S3 had executed it,
// the retry fails because of its own object: with 412 because the name exists, or with 404 because the upload is
// completed.

// writeToken is the metadata that identifies the write that created an object. Copies of the object inherit it.
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

// isRefusedByState reports whether a write failed because of the state of the bucket, which may be the result of an
// earlier attempt of the same write.
func isRefusedByState(err error) bool {
	return errors.Is(err, errChanged) || errors.Is(err, errMissing)
}

// written describes the object name if the write with this token created it. Otherwise it returns failed, the error of
// that write, or the error of finding out.
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
	// the ETag of an object that was uploaded in parts differs from that of its copy
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
