//go:build gs

package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/safelight/safelight/fault"
)

// gsBucket is a bucket of Google Cloud Storage, or the names in it that start with prefix. The ETag of an object is
// its generation. The server compares it.
type gsBucket struct {
	client    *gcs.Client
	bucket    *gcs.BucketHandle
	prefix    string // prefix of all names; empty, or with a final slash
	transport *http.Transport
}

func (s *gsBucket) object(name string) *gcs.ObjectHandle { return s.bucket.Object(s.prefix + name) }

// version returns a handle whose requests fail unless the object has this generation.
func (s *gsBucket) version(o objectInfo) *gcs.ObjectHandle {
	generation, err := strconv.ParseInt(o.etag, 10, 64)
	if err != nil || generation <= 0 {
		generation = -1 // matches no object
	}
	return s.object(o.name).If(gcs.Conditions{GenerationMatch: generation})
}

func (s *gsBucket) info(o *gcs.ObjectAttrs) objectInfo {
	return objectInfo{
		name:     strings.TrimPrefix(o.Name, s.prefix),
		size:     o.Size,
		modified: o.Created.UTC(),
		etag:     strconv.FormatInt(o.Generation, 10),
	}
}

// gsError translates an error of the client. It removes the URL, because the URL of an upload session is a secret.
func gsError(err error) error {
	var ours *fault.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	var answer *googleapi.Error
	if !errors.As(err, &answer) {
		var request *url.Error
		if errors.As(err, &request) {
			return request.Err
		}
		return err
	}
	refused := &refusal{answer.Code, http.StatusText(answer.Code)}
	if len(answer.Errors) > 0 && answer.Errors[0].Reason != "" {
		refused.code = answer.Errors[0].Reason
	}
	switch {
	case answer.Code == http.StatusNotFound && !strings.Contains(answer.Message, "bucket does not exist"):
		return errors.Join(errMissing, refused)
	case answer.Code == http.StatusPreconditionFailed:
		return errors.Join(errChanged, refused)
	}
	return refused
}

func (s *gsBucket) head(ctx context.Context, name string) (objectInfo, error) {
	o, err := s.object(name).Attrs(ctx)
	if err != nil {
		return objectInfo{}, gsError(err)
	}
	info := s.info(o)
	info.token, info.sum = o.Metadata[writeToken], strconv.FormatUint(uint64(o.CRC32C), 10)
	return info, nil
}

func (s *gsBucket) get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser,
	objectInfo, error) {
	object := s.object(name)
	if etag != "" {
		object = s.version(objectInfo{name: name, etag: etag})
	}
	if length >= 0 {
		length = max(length, 1)
	}
	r, err := object.NewRangeReader(ctx, offset, length)
	if err != nil {
		return nil, objectInfo{}, gsError(err)
	}
	return r, objectInfo{name: name, size: r.Attrs.Size, etag: strconv.FormatInt(r.Attrs.Generation, 10)}, nil
}

// put uploads an object with a writeToken, which identifies the object's creator if a response was lost.
func (s *gsBucket) put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) (string, error) {
	object := s.object(name)
	if ifNotExist {
		object = object.If(gcs.Conditions{DoesNotExist: true})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := object.NewWriter(ctx)
	w.ChunkSize, w.ContentType = cloudPart, contentType
	w.Metadata = map[string]string{writeToken: rand.Text()}
	_, err := io.Copy(w, r)
	var source sourceError
	if errors.As(err, &source) {
		cancel() // before Close, which would create an object from the data so far
		_ = w.Close()
		return "", source
	}
	if err = gsError(w.Close()); err == nil {
		return strconv.FormatInt(w.Attrs().Generation, 10), nil
	}
	if isRefusedByState(err) {
		return written(ctx, s, name, w.Metadata[writeToken], err)
	}
	return "", err
}

// errStalled is the error of a copy that no longer makes progress.
var errStalled = errors.New("the copy of an object makes no progress")

func (s *gsBucket) copy(ctx context.Context, from objectInfo, to string) (objectInfo, error) {
	counted, tries := countTries(ctx)
	counted, cancel := context.WithCancelCause(counted)
	defer cancel(nil)
	copier := s.object(to).If(gcs.Conditions{DoesNotExist: true}).CopierFrom(s.version(from))
	var progress uint64
	stalls := 0
	copier.ProgressFunc = func(now, _ uint64) { // called after each of the requests that a large object needs
		if now > progress {
			progress, stalls = now, 0
		} else if stalls++; stalls == maxTries {
			cancel(errStalled)
		}
	}
	made, err := copier.Run(counted)
	if err == nil {
		return s.info(made), nil
	}
	if errors.Is(context.Cause(counted), errStalled) {
		return objectInfo{}, errStalled
	}
	if err = gsError(err); isRefusedByState(err) && tries.Load() > 1 {
		return copied(ctx, s, from, to, err)
	}
	return objectInfo{}, err
}

func (s *gsBucket) remove(ctx context.Context, o objectInfo) error {
	err := gsError(s.version(o).Delete(ctx))
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

func (s *gsBucket) list(ctx context.Context, prefix string, folders bool, limit int) iter.Seq2[objectPage, error] {
	query := &gcs.Query{Prefix: s.prefix + prefix, Projection: gcs.ProjectionNoACL}
	if folders {
		query.Delimiter = "/"
	}
	return func(yield func(objectPage, error) bool) {
		if err := query.SetAttrSelection([]string{"Name", "Size", "Created", "Generation"}); err != nil {
			yield(nil, err)
			return
		}
		pages := iterator.NewPager(s.bucket.Objects(ctx, query), limit, "")
		for {
			var found []*gcs.ObjectAttrs
			next, err := pages.NextPage(&found)
			// The bucket is missing. Returning errMissing would make this look like an empty folder.
			if err = gsError(err); errors.Is(err, errMissing) {
				err = &refusal{http.StatusNotFound, "NoSuchBucket"}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if page := s.page(found); len(page) > 0 && !yield(page, nil) || next == "" {
				return
			}
		}
	}
}

// page converts a page of a listing.
func (s *gsBucket) page(found []*gcs.ObjectAttrs) objectPage {
	page := make(objectPage, 0, len(found))
	for _, o := range found {
		info := s.info(o)
		if o.Prefix != "" {
			info = objectInfo{name: strings.TrimPrefix(o.Prefix, s.prefix), isPrefix: true}
		}
		page = append(page, info)
	}
	return page
}

func (s *gsBucket) close() error {
	err := s.client.Close()
	s.transport.CloseIdleConnections()
	return err
}
