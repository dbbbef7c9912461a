package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
)

// bucket stores files in a flat object store: S3, Google Cloud Storage, Azure, or memory for tests. A folder exists if
// it is not empty, or if there is a marker: an empty object `name/`.
type bucket struct {
	o       objects
	folders folderCache
}

// retryAfter is the RetryAfter of errors when a store has failed.
const retryAfter = 2 * time.Second

// missingBucket is the error of a bucket that does not exist.
type missingBucket struct {
	name string
	err  error
}

// Error names the bucket.
func (m *missingBucket) Error() string {
	return fmt.Sprintf("create the bucket %q, or correct its name or region", m.name)
}

// Unwrap returns the error of the client.
func (m *missingBucket) Unwrap() error { return m.err }

// fault returns the error for callers. Only its cause contains the name of the bucket, because a caller may not even
// have an account.
func (m *missingBucket) fault() error {
	f := fault.Wrap(m, fault.Unavailable, "the bucket of the storage does not exist (NoSuchBucket)")
	f.RetryAfter = 10 * time.Second
	return f
}

// translateObject turns an error of an object store about k into a fault.
func translateObject(err error, k Key) error {
	var f *fault.Error
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.Is(err, errMissing):
		return notFound(k)
	case errors.Is(err, errChanged):
		return exists(k)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return translate(err, k)
	}
	var missing *missingBucket
	if errors.As(err, &missing) {
		return missing.fault()
	}
	if Reason(err) != "" {
		return fault.Wrap(err, fault.Unavailable, "the storage denies access to %s", show(k))
	}
	f = fault.Wrap(err, fault.Unavailable, "the storage does not respond for %s", show(k))
	f.RetryAfter = retryAfter
	return f
}

// Stat implements Store.
func (s *bucket) Stat(ctx context.Context, k Key) (Stat, error) {
	if k == "" {
		return Stat{IsFolder: true}, translate(ctx.Err(), k)
	}
	o, err := s.o.head(ctx, string(k))
	if err == nil {
		return statOf(k, o), nil
	}
	if !errors.Is(err, errMissing) || hintsIn(ctx).FilesOnly {
		return Stat{}, translateObject(err, k)
	}
	inside, err := s.firstIn(ctx, k)
	if err != nil {
		return Stat{}, err
	}
	if inside == nil {
		return Stat{}, notFound(k)
	}
	return Stat{Key: k, IsFolder: true, Modified: inside.modified}, nil
}

// firstIn returns the first object of a folder; nil if there is no such folder.
func (s *bucket) firstIn(ctx context.Context, k Key) (*objectInfo, error) {
	for page, err := range s.o.list(ctx, string(k)+"/", false, 1) {
		if err != nil {
			return nil, translateObject(err, k)
		}
		if len(page) > 0 {
			return &page[0], nil
		}
	}
	return nil, nil
}

func statOf(k Key, o objectInfo) Stat {
	return Stat{Key: k, Size: o.size, Modified: o.modified, ETag: o.etag}
}

// Open implements Store.
func (s *bucket) Open(ctx context.Context, k Key) (Object, error) {
	st, err := s.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	if st.IsFolder {
		return nil, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", show(k))
	}
	return &object{ctx: ctx, o: s.o, stat: st}, nil
}

// OpenVersion implements versionOpener.
func (s *bucket) OpenVersion(ctx context.Context, st Stat) (Object, error) {
	o := &object{ctx: ctx, o: s.o, stat: st}
	if st.Size == 0 {
		return o, nil // there is nothing to read
	}
	var err error
	o.r, err = o.fetch(0, -1)
	if IsChanged(err) { // Azure also responds like this for a deleted file
		if _, gone := s.Stat(ctx, st.Key); fault.CodeOf(gone) == fault.NotFound {
			err = gone
		}
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Create implements Store.
func (s *bucket) Create(ctx context.Context, k Key, r io.Reader, o CreateOptions) (Stat, error) {
	if k == "" {
		return Stat{}, isRoot()
	}
	if err := s.checkFree(ctx, k, o.Overwrite); err != nil {
		return Stat{}, err
	}
	if err := checkFence(ctx); err != nil {
		return Stat{}, err
	}
	st, err := s.compose(ctx, k, o)
	if errors.Is(err, errNotComposed) {
		st, err = s.put(ctx, k, r, o)
	}
	if err != nil {
		return Stat{}, err
	}
	s.folders.add(k.Parent())
	// Reading the time from the store would take another request.
	st.Key, st.Modified = k, time.Now().UTC().Truncate(time.Second)
	return st, nil
}

// put uploads the bytes of r.
func (s *bucket) put(ctx context.Context, k Key, r io.Reader, o CreateOptions) (Stat, error) {
	counted := &sourceReader{r: contextReader{ctx, r}}
	etag, err := s.o.put(ctx, string(k), o.ContentType, !o.Overwrite, counted)
	var source sourceError
	if errors.As(err, &source) {
		return Stat{}, translate(source.err, k)
	}
	return Stat{Size: counted.n, ETag: etag}, translateObject(err, k)
}

// compose lets the store join o.Parts. It returns errNotComposed if the store cannot do that.
func (s *bucket) compose(ctx context.Context, k Key, o CreateOptions) (Stat, error) {
	c, ok := s.o.(composer)
	if !ok || len(o.Parts) == 0 {
		return Stat{}, errNotComposed
	}
	var size int64
	parts := make([]objectInfo, len(o.Parts))
	for i, p := range o.Parts {
		parts[i] = objectInfo{name: string(p.Key), size: p.Size, modified: p.Modified, etag: p.ETag}
		size += p.Size
	}
	etag, err := c.compose(ctx, parts, string(k), o.ContentType, !o.Overwrite)
	switch {
	case errors.Is(err, errNotComposed):
		return Stat{}, err
	case errors.Is(err, errChanged) && !o.Overwrite:
		if _, e := s.o.head(ctx, string(k)); e == nil {
			return Stat{}, exists(k)
		}
		fallthrough
	case errors.Is(err, errChanged), errors.Is(err, errMissing):
		return Stat{}, fault.Wrap(err, fault.Unavailable, "a part of %s was changed or deleted", show(k))
	}
	return Stat{Size: size, ETag: etag}, translateObject(err, k)
}

// sourceReader counts the bytes to store, and marks errors of its reader, so that they are not taken for errors of the
// store.
type sourceReader struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}

type sourceError struct{ err error }

// Error implements error.
func (e sourceError) Error() string { return e.err.Error() }

// Unwrap returns the reader's error, but nil for one that wraps io.EOF, which a client would mistake for the end of
// the data.
func (e sourceError) Unwrap() error {
	if errors.Is(e.err, io.EOF) {
		return nil
	}
	return e.err
}

// CreateFolder implements Store.
func (s *bucket) CreateFolder(ctx context.Context, k Key) error {
	if k == "" {
		return exists(k)
	}
	if err := s.checkFree(ctx, k, false); err != nil {
		return err
	}
	_, err := s.createMarker(ctx, string(k)+"/")
	return translateObject(err, k)
}

// createMarker writes the marker of a folder; errChanged if it already exists.
func (s *bucket) createMarker(ctx context.Context, name string) (objectInfo, error) {
	if err := checkFence(ctx); err != nil {
		return objectInfo{}, err
	}
	etag, err := s.o.put(ctx, name, "application/x-directory", true, strings.NewReader(""))
	return objectInfo{name: name, etag: etag}, err
}

// Check implements Store.
func (s *bucket) Check(ctx context.Context) error {
	for _, err := range s.o.list(ctx, "", false, 1) {
		if err != nil {
			var missing *missingBucket
			if errors.As(err, &missing) {
				return missing.fault()
			}
			if code := Reason(err); code != "" {
				return fault.Wrap(err, fault.Unavailable, "the bucket denies access with %s", code)
			}
			return fault.Wrap(err, fault.Unavailable, "the bucket cannot be reached")
		}
		break
	}
	return nil
}

// Close implements Store.
func (s *bucket) Close() error { return s.o.close() }
