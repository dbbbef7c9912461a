package storage

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/safelight/safelight/fault"
)

// bucket keeps files in a flat object store: S3, or memory for tests. A folder exists if it holds something, or by an
// empty object `name/`.
type bucket struct {
	o  objects
	mu sync.Mutex // held while a name is checked to be free and taken by a copy
}

// mark writes the empty object of a folder.
func (s *bucket) mark(ctx context.Context, name string) error {
	return s.o.put(ctx, name, "application/x-directory", false, strings.NewReader(""))
}

// translateObject turns an error of an object store about k into a fault.
func translateObject(err error, k Key) error {
	var f *fault.Error
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.Is(err, errMissing):
		return notFound(k)
	case errors.Is(err, errTaken):
		return exists(k)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return translate(err, k)
	}
	return fault.Wrap(err, fault.Unavailable, "storage does not answer for %s", show(k))
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
	if !errors.Is(err, errMissing) {
		return Stat{}, translateObject(err, k)
	}
	page, err := s.o.list(ctx, string(k)+"/", "", "", 1)
	if err != nil {
		return Stat{}, translateObject(err, k)
	}
	if len(page.objects) == 0 {
		return Stat{}, notFound(k)
	}
	return Stat{Key: k, IsFolder: true, Modified: page.objects[0].modified}, nil
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

// Create implements Store.
func (s *bucket) Create(ctx context.Context, k Key, r io.Reader, o CreateOptions) (Stat, error) {
	if k == "" {
		return Stat{}, isRoot()
	}
	if err := s.free(ctx, k, o.Overwrite); err != nil {
		return Stat{}, err
	}
	if err := s.o.put(ctx, string(k), o.ContentType, !o.Overwrite, sourceReader{contextReader{ctx, r}}); err != nil {
		var source sourceError
		if errors.As(err, &source) {
			return Stat{}, translate(source.err, k)
		}
		return Stat{}, translateObject(err, k)
	}
	return s.Stat(context.WithoutCancel(ctx), k)
}

// sourceReader marks the errors of what is to be stored, which are not the store's.
type sourceReader struct{ r io.Reader }

// Read implements io.Reader.
func (s sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}

type sourceError struct{ err error }

// Error implements error.
func (e sourceError) Error() string { return e.err.Error() }

// Unwrap returns the reader's error.
func (e sourceError) Unwrap() error { return e.err }

// free checks that an object can be called k: no folder of that name, no file where a folder would be.
func (s *bucket) free(ctx context.Context, k Key, overwrite bool) error {
	st, err := s.Stat(ctx, k)
	if err == nil && (st.IsFolder || !overwrite) {
		return exists(k)
	}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	for p := k.Parent(); p != ""; p = p.Parent() {
		if st, err := s.Stat(ctx, p); err == nil && !st.IsFolder {
			return fault.OnField(fault.Conflict, "path", "a folder of %s is a file", show(k))
		}
	}
	return nil
}

// CreateFolder implements Store.
func (s *bucket) CreateFolder(ctx context.Context, k Key) error {
	if k == "" {
		return exists(k)
	}
	if err := s.free(ctx, k, false); err != nil {
		return err
	}
	return translateObject(s.mark(ctx, string(k)+"/"), k)
}

// List implements Store.
func (s *bucket) List(ctx context.Context, k Key, o ListOptions) (Page, error) {
	st, err := s.Stat(ctx, k)
	if err != nil {
		return Page{}, err
	}
	if !st.IsFolder {
		return Page{}, fault.OnField(fault.NotFound, "path", "%s is a file, expected a folder", show(k))
	}
	entries, err := s.entries(ctx, k, o)
	if err != nil {
		return Page{}, err
	}
	page := Page{Entries: entries}
	if limit := pageLimit(o.Limit); len(entries) > limit {
		page.Entries = entries[:limit]
		page.NextToken = entries[limit-1].Key.Name()
	}
	return page, nil
}

// entries reads a whole folder: bucket order puts `a.jpg` before `a/`, ours is by name.
func (s *bucket) entries(ctx context.Context, k Key, o ListOptions) ([]Stat, error) {
	prefix := ""
	if k != "" {
		prefix = string(k) + "/"
	}
	var list []Stat
	err := eachObject(ctx, s.o, prefix, "/", func(obj objectInfo) {
		name := strings.TrimSuffix(strings.TrimPrefix(obj.name, prefix), "/")
		if name == "" || name <= o.PageToken && o.PageToken != "" || strings.HasPrefix(name, ".") && !o.ShowHidden {
			return
		}
		key, err := ParseKey(string(k.Join(name)))
		if err != nil || string(key) != string(k.Join(name)) {
			return // no key can name it
		}
		st := statOf(key, obj)
		if obj.isPrefix || strings.HasSuffix(obj.name, "/") {
			st = Stat{Key: key, Modified: obj.modified, IsFolder: true}
		}
		list = append(list, st)
	})
	if err != nil {
		return nil, translateObject(err, k)
	}
	slices.SortFunc(list, func(a, b Stat) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return slices.CompactFunc(list, func(a, b Stat) bool { return a.Key == b.Key }), nil
}

// Check implements Store.
func (s *bucket) Check(ctx context.Context) error {
	if _, err := s.o.list(ctx, "", "", "", 1); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the bucket cannot be reached")
	}
	return nil
}

// Close implements Store.
func (s *bucket) Close() error { return s.o.close() }
