package storage

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/safelight/safelight/fault"
)

// bucket keeps objects in a gocloud.dev bucket: S3, or memory for tests. A folder exists when
// something lies in it, or by an empty object `name/`.
type bucket struct {
	b  *blob.Bucket
	mu sync.Mutex // held while a name is checked to be free and taken by a copy
}

// folderMarker is how the empty object of a folder is written.
var folderMarker = &blob.WriterOptions{ContentType: "application/x-directory"}

// OpenBucket returns the store of what lies in b; Close closes b.
func OpenBucket(b *blob.Bucket) Store { return &bucket{b: b} }

// translateCloud turns an error of gocloud.dev about k into a fault.
func translateCloud(err error, k Key) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) {
		return err
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return notFound(k)
	case gcerrors.AlreadyExists, gcerrors.FailedPrecondition:
		return exists(k)
	case gcerrors.Canceled, gcerrors.DeadlineExceeded:
		if errors.Is(err, context.DeadlineExceeded) {
			return translate(context.DeadlineExceeded, k)
		}
		return translate(context.Canceled, k)
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
	a, err := s.b.Attributes(ctx, string(k))
	if err == nil {
		return attributes(k, a), nil
	}
	if gcerrors.Code(err) != gcerrors.NotFound {
		return Stat{}, translateCloud(err, k)
	}
	o, err := s.b.List(&blob.ListOptions{Prefix: string(k) + "/"}).Next(ctx)
	if errors.Is(err, io.EOF) {
		return Stat{}, notFound(k)
	}
	if err != nil {
		return Stat{}, translateCloud(err, k)
	}
	return Stat{Key: k, IsFolder: true, Modified: o.ModTime.UTC()}, nil
}

func attributes(k Key, a *blob.Attributes) Stat {
	return Stat{Key: k, Size: a.Size, Modified: a.ModTime.UTC(), ETag: strings.Trim(a.ETag, `W/"`)}
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
	return &object{ctx: ctx, b: s.b, stat: st}, nil
}

// Create implements Store.
func (s *bucket) Create(ctx context.Context, k Key, r io.Reader, o CreateOptions) (Stat, error) {
	if k == "" {
		return Stat{}, isRoot()
	}
	if err := s.free(ctx, k, o.Overwrite); err != nil {
		return Stat{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.b.NewWriter(ctx, string(k), &blob.WriterOptions{ContentType: o.ContentType, IfNotExist: !o.Overwrite})
	if err != nil {
		return Stat{}, translateCloud(err, k)
	}
	if _, err := io.Copy(w, contextReader{ctx, r}); err != nil {
		cancel() // before Close, which would commit what has arrived
		w.Close()
		return Stat{}, translate(err, k)
	}
	if err := w.Close(); err != nil {
		return Stat{}, translateCloud(err, k)
	}
	return s.Stat(context.WithoutCancel(ctx), k)
}

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
	return translateCloud(s.b.WriteAll(ctx, string(k)+"/", nil, folderMarker), k)
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
	it := s.b.List(&blob.ListOptions{Prefix: prefix, Delimiter: "/"})
	for {
		obj, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, translateCloud(err, k)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(obj.Key, prefix), "/")
		if name == "" || name <= o.PageToken && o.PageToken != "" || strings.HasPrefix(name, ".") && !o.ShowHidden {
			continue
		}
		key, err := ParseKey(string(k.Join(name)))
		if err != nil || string(key) != string(k.Join(name)) {
			continue // no key can name it
		}
		st := Stat{Key: key, Modified: obj.ModTime.UTC(), IsFolder: obj.IsDir || strings.HasSuffix(obj.Key, "/")}
		if !st.IsFolder {
			a, err := s.b.Attributes(ctx, obj.Key)
			if err != nil {
				continue // gone meanwhile
			}
			st = attributes(key, a)
		}
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b Stat) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return slices.CompactFunc(list, func(a, b Stat) bool { return a.Key == b.Key }), nil
}

// Check implements Store.
func (s *bucket) Check(ctx context.Context) error {
	ok, err := s.b.IsAccessible(ctx)
	if err != nil || !ok {
		return fault.Wrap(err, fault.Unavailable, "the bucket cannot be reached")
	}
	return nil
}

// Close implements Store.
func (s *bucket) Close() error { return s.b.Close() }
