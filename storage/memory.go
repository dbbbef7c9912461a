package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// NewMemory returns an empty store in memory, for tests. It behaves like a bucket.
func NewMemory() Store { return &bucket{o: &memory{objects: map[string]memoryObject{}}} }

type memory struct {
	mu      sync.RWMutex
	objects map[string]memoryObject
}

type memoryObject struct {
	info objectInfo
	data []byte // never changed
}

func (m *memory) find(ctx context.Context, name string) (memoryObject, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	o, found := m.objects[name]
	if err := ctx.Err(); err != nil {
		return o, err
	}
	if !found {
		return o, errMissing
	}
	return o, nil
}

func (m *memory) head(ctx context.Context, name string) (objectInfo, error) {
	o, err := m.find(ctx, name)
	return o.info, err
}

func (m *memory) get(
	ctx context.Context,
	name string,
	offset, length int64,
	etag string,
) (io.ReadCloser, objectInfo, error) {
	o, err := m.find(ctx, name)
	if err != nil {
		return nil, o.info, err
	}
	if etag != "" && etag != o.info.etag {
		return nil, o.info, errChanged
	}
	data := o.data[min(offset, o.info.size):]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	return io.NopCloser(bytes.NewReader(data)), o.info, nil
}

func (m *memory) put(ctx context.Context, name, _ string, ifNotExist bool, r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.objects[name]; taken && ifNotExist {
		return "", errChanged
	}
	sum := sha256.Sum256(data)
	etag := hex.EncodeToString(sum[:16])
	m.objects[name] = memoryObject{
		data: data,
		info: objectInfo{name: name, size: int64(len(data)), modified: time.Now().UTC(), etag: etag},
	}
	return etag, nil
}

func (m *memory) copy(ctx context.Context, from objectInfo, to string) (objectInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, found := m.objects[from.name]
	if err := ctx.Err(); err != nil {
		return objectInfo{}, err
	}
	if !found {
		return objectInfo{}, errMissing
	}
	if _, taken := m.objects[to]; taken || o.info.etag != from.etag {
		return objectInfo{}, errChanged
	}
	o.info.name, o.info.modified = to, time.Now().UTC()
	m.objects[to] = o
	return o.info, nil
}

func (m *memory) remove(ctx context.Context, o objectInfo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if now, found := m.objects[o.name]; found && now.info.etag != o.etag {
		return errChanged
	}
	delete(m.objects, o.name)
	return nil
}

func (m *memory) list(ctx context.Context, prefix string, folders bool, limit int) iter.Seq2[objectPage, error] {
	return func(yield func(objectPage, error) bool) {
		for page := range slices.Chunk(m.all(prefix, folders), limit) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// all returns the sorted entries of a listing.
func (m *memory) all(prefix string, folders bool) objectPage {
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := map[string]objectInfo{}
	for name, o := range m.objects {
		rest, matches := strings.CutPrefix(name, prefix)
		if !matches {
			continue
		}
		info := o.info
		if head, _, folder := strings.Cut(rest, "/"); folder && folders {
			info = objectInfo{name: prefix + head + "/", isPrefix: true}
		}
		found[info.name] = info
	}
	list := make(objectPage, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name])
	}
	return list
}

func (m *memory) close() error { return nil }
