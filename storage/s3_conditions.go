package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// conditions is a transport for features for which the client has no options: conditional copies and deletes, and
// counts of responses. The headers that it adds are not signed; S3 requires signatures only for host and x-amz-*.
type conditions struct{ next http.RoundTripper }

type (
	conditionKey struct{}
	answersKey   struct{}
	condition    struct{ name, value string }
)

// withCondition adds a header to the request of ctx that changes an object.
func withCondition(ctx context.Context, name, value string) context.Context {
	return context.WithValue(ctx, conditionKey{}, condition{name, value})
}

// countAnswers counts the responses with status 200.
func countAnswers(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, answersKey{}, n), n
}

// RoundTrip implements http.RoundTripper.
func (t conditions) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if changesObject(r) { // not the parts of an upload
		countTry(r)
	}
	if c, ok := ctx.Value(conditionKey{}).(condition); ok && changesObject(r) {
		r = r.Clone(ctx)
		r.Header.Set(c.name, c.value)
	}
	response, err := t.next.RoundTrip(r)
	if n, ok := ctx.Value(answersKey{}).(*atomic.Int64); ok && err == nil && response.StatusCode == http.StatusOK {
		n.Add(1)
	}
	return response, err
}

func isS3List(r *http.Request) bool { return r.URL.Query().Has("list-type") }

// changesObject reports whether a request changes an object. It is false for the start and the parts of a multipart
// upload.
func changesObject(r *http.Request) bool {
	q := r.URL.Query()
	switch r.Method {
	case http.MethodPut:
		return !q.Has("partNumber")
	case http.MethodPost:
		return q.Has("uploadId")
	}
	return r.Method == http.MethodDelete && !q.Has("uploadId")
}

// deletesByVersion reports whether the server supports conditional deletes; some ignore the condition and delete any
// version. It checks this once, with three requests for its own hidden object.
func (s *s3Bucket) deletesByVersion(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byVersion != nil {
		return *s.byVersion, nil
	}
	name := ".safelight-probe-" + rand.Text()
	if _, err := s.put(ctx, name, "text/plain", false, strings.NewReader(name)); err != nil {
		return false, err
	}
	object := s.prefix + name
	clean := context.WithoutCancel(ctx)
	// If this fails, the object stays, but it is hidden.
	defer func() { _ = s.client.RemoveObject(clean, s.bucket, object, minio.RemoveObjectOptions{}) }()
	err := s.do(func() error {
		return s.client.RemoveObject(
			withCondition(ctx, "If-Match", `"00000000000000000000000000000000"`), s.bucket, object,
			minio.RemoveObjectOptions{},
		)
	})
	if err != nil && Reason(err) == "" {
		return false, err // S3 did not respond
	}
	obeys := errors.Is(err, errChanged)
	s.byVersion = &obeys
	return obeys, nil
}
