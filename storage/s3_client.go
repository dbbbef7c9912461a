package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

// s3Bucket is a bucket, or the names in it that start with prefix.
type s3Bucket struct {
	client    *minio.Client
	bucket    string
	prefix    string // prefix of all names; empty, or with a final slash
	transport *http.Transport
	breaker   *breaker

	mu        sync.Mutex
	byVersion *bool // result of deletesByVersion; nil: not known yet
}

// s3Part is the size, in bytes, of the parts in which an object is buffered and uploaded; S3 accepts 10,000 parts.
const s3Part = 16 << 20

// maxS3Copy is the size, in bytes, above which S3 only copies in parts.
const maxS3Copy = 5 << 30

func infoOf(name string, o minio.ObjectInfo) objectInfo {
	// Listings contain fractions of a second, but HEAD and GET do not.
	return objectInfo{
		name:     name,
		size:     o.Size,
		modified: o.LastModified.UTC().Truncate(time.Second),
		etag:     bareETag(o.ETag),
	}
}

func bareETag(text string) string { return strings.Trim(text, `W/"`) }

// totalOf returns the size of the whole object from a Content-Range. It returns 0, which counts as another version, if
// the Content-Range is invalid.
func totalOf(contentRange string) int64 {
	_, total, _ := strings.Cut(contentRange, "/")
	n, _ := strconv.ParseInt(total, 10, 64)
	return n
}

// s3Refusals explain S3's error codes to an operator.
var s3Refusals = map[string]string{
	"InvalidAccessKeyId":    "the server does not know the access key: check AWS_ACCESS_KEY_ID",
	"SignatureDoesNotMatch": "the secret key does not belong to the access key: check AWS_SECRET_ACCESS_KEY",
	"XAdminUserNotFound":    "the server does not know the access key: check AWS_ACCESS_KEY_ID", // VersityGW
	"AccessDenied": "the access key has no right to do this: its policy needs ListBucket for the " +
		"bucket, and GetObject, PutObject and DeleteObject for its objects",
	"ExpiredToken": "the session token has expired: check AWS_SESSION_TOKEN",
	"InvalidToken": "the session token is not valid: check AWS_SESSION_TOKEN",
	"AuthorizationHeaderMalformed": "the region is probably not that of the bucket: check region in the address, or " +
		"AWS_REGION",
	"PermanentRedirect":    "the bucket is at another endpoint: check region and endpoint in the address",
	"RequestTimeTooSkewed": "the clock of this machine is wrong",
}

// do calls S3, unless the circuit breaker is open, and translates its errors.
func (s *s3Bucket) do(call func() error) error {
	if err := s.breaker.check(); err != nil {
		return err
	}
	err := call()
	var refused minio.ErrorResponse
	errors.As(err, &refused)
	// This ignores the status, because some servers respond to an unknown access key with 404.
	if refused.Code == "NoSuchBucket" {
		return &missingBucket{s.bucket, err}
	}
	meaning := s3Refusals[refused.Code]
	if refused.Code == "AccessDenied" && s.isAnonymous() {
		meaning = "no credentials were found, so the request was not signed: " +
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine"
	}
	if meaning != "" {
		return fmt.Errorf("%s (%s): %w", meaning, refused.Code, err)
	}
	switch {
	case refused.StatusCode == http.StatusNotFound:
		return errors.Join(errMissing, err)
	case refused.StatusCode == http.StatusPreconditionFailed, refused.Code == "ConditionalRequestConflict":
		return errors.Join(errChanged, err)
	}
	return err
}

// isAnonymous reports whether requests are not signed, because no credentials were found.
func (s *s3Bucket) isAnonymous() bool {
	keys, err := s.client.GetCreds()
	return err == nil && keys.SignerType.IsAnonymous()
}

func (s *s3Bucket) head(ctx context.Context, name string) (info objectInfo, err error) {
	err = s.do(func() error {
		o, err := s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
		info = infoOf(name, o)
		info.token, info.sum = o.UserMetadata[writeToken], info.etag
		return err
	})
	return info, err
}

func (s *s3Bucket) get(
	ctx context.Context,
	name string,
	offset, length int64,
	etag string,
) (r io.ReadCloser, info objectInfo, err error) {
	o := minio.GetObjectOptions{}
	switch {
	case length >= 0:
		err = o.SetRange(offset, offset+max(length, 1)-1)
	case offset > 0:
		err = o.SetRange(offset, 0)
	}
	if err == nil && etag != "" {
		err = o.SetMatchETag(etag)
	}
	if err != nil {
		return nil, info, err
	}
	err = s.do(func() error {
		body, found, header, err := minio.Core{Client: s.client}.GetObject(ctx, s.bucket, s.prefix+name, o)
		if err != nil {
			return err
		}
		r, info = body, infoOf(name, found)
		if whole := header.Get("Content-Range"); whole != "" {
			info.size = totalOf(whole)
		} else if offset > 0 {
			body.Close()
			return errors.New("S3 responded with the whole object instead of a range")
		}
		return nil
	})
	return r, info, err
}

func (s *s3Bucket) put(
	ctx context.Context,
	name, contentType string,
	ifNotExist bool,
	r io.Reader,
) (etag string, err error) {
	token := rand.Text()
	o := minio.PutObjectOptions{
		ContentType:  contentType,
		PartSize:     s3Part,
		UserMetadata: map[string]string{writeToken: token},
	}
	if ifNotExist {
		// The client's option has no effect on the completion of a multipart upload.
		ctx = withCondition(ctx, "If-None-Match", "*")
	}
	// An object that fits into one part takes one request, but its length is known only after reading it.
	var first bytes.Buffer
	size, err := io.Copy(&first, io.LimitReader(r, s3Part))
	if err != nil {
		return "", err
	}
	body := io.Reader(bytes.NewReader(first.Bytes()))
	if size == s3Part {
		body, size = io.MultiReader(body, r), -1
	}
	err = s.do(func() error {
		stored, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, body, size, o)
		etag = bareETag(stored.ETag)
		return err
	})
	if isRefusedByState(err) {
		return written(ctx, s, name, token, err)
	}
	return etag, err
}

// copy relies on the server to reject a target that exists. Some servers ignore the condition. For those, bucket has
// just checked the name, and callers that share a bucket between servers hold a lock.
func (s *s3Bucket) copy(ctx context.Context, from objectInfo, to string) (info objectInfo, err error) {
	source := minio.CopySrcOptions{Bucket: s.bucket, Object: s.prefix + from.name, MatchETag: from.etag}
	target := minio.CopyDestOptions{Bucket: s.bucket, Object: s.prefix + to}
	ctx, tries := countTries(ctx)
	err = s.do(func() error {
		ctx := withCondition(ctx, "If-None-Match", "*")
		var o minio.UploadInfo
		if from.size > maxS3Copy {
			o, err = s.client.ComposeObject(ctx, target, source)
		} else {
			o, err = s.client.CopyObject(ctx, target, source)
		}
		info = objectInfo{
			name:     to,
			size:     from.size,
			modified: o.LastModified.UTC().Truncate(time.Second),
			etag:     bareETag(o.ETag),
		}
		return err
	})
	if isRefusedByState(err) && tries.Load() > 1 {
		return copied(ctx, s, from, to, err)
	}
	return info, err
}

func (s *s3Bucket) remove(ctx context.Context, o objectInfo) error {
	byVersion, err := s.deletesByVersion(ctx)
	if err != nil {
		return err
	}
	if !byVersion { // not atomic, but the best that is possible with such a server
		now, err := s.head(ctx, o.name)
		if errors.Is(err, errMissing) {
			return nil
		}
		if err != nil {
			return err
		}
		if now.etag != o.etag {
			return errChanged
		}
	}
	err = s.do(func() error {
		ctx := withCondition(ctx, "If-Match", `"`+o.etag+`"`)
		return s.client.RemoveObject(ctx, s.bucket, s.prefix+o.name, minio.RemoveObjectOptions{})
	})
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

func (s *s3Bucket) list(ctx context.Context, prefix string, folders bool, limit int) iter.Seq2[objectPage, error] {
	o := minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: !folders, MaxKeys: limit}
	return func(yield func(objectPage, error) bool) {
		if err := s.breaker.check(); err != nil {
			yield(nil, err)
			return
		}
		ctx, answers := countAnswers(ctx)
		var page objectPage
		number := 0 // number of the page, which is how many responses have arrived
		for found := range s.client.ListObjectsIter(ctx, s.bucket, o) {
			if found.Err != nil {
				err := s.do(func() error { return found.Err })
				if errors.Is(err, errMissing) { // a listing requests no object, so none can be missing
					err = found.Err
				}
				yield(nil, err)
				return
			}
			if answers.Load() != int64(number) {
				if len(page) > 0 && !yield(page, nil) {
					return
				}
				page, number = nil, int(answers.Load())
			}
			info := infoOf(strings.TrimPrefix(found.Key, s.prefix), found)
			info.isPrefix = folders && found.ETag == "" && strings.HasSuffix(found.Key, "/")
			if page = append(page, info); len(page) == limit { // before the client waits for a response
				if !yield(page, nil) {
					return
				}
				page = nil
			}
		}
		if err := ctx.Err(); err != nil { // on cancellation the client ends the listing without an error
			yield(nil, err)
			return
		}
		if len(page) > 0 {
			yield(page, nil)
		}
	}
}

func (s *s3Bucket) close() error {
	s.transport.CloseIdleConnections()
	return nil
}
