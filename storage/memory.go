package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// NewMemory returns an empty store whose content is lost with the process. It behaves as a bucket does, for tests.
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

func (m *memory) get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser, objectInfo, error) {
	o, err := m.find(ctx, name)
	if err != nil {
		return nil, o.info, err
	}
	if etag != "" && etag != o.info.etag {
		return nil, o.info, errTaken
	}
	data := o.data[min(offset, o.info.size):]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	return io.NopCloser(bytes.NewReader(data)), o.info, nil
}

func (m *memory) put(ctx context.Context, name, _ string, ifNotExist bool, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.objects[name]; taken && ifNotExist {
		return errTaken
	}
	sum := sha256.Sum256(data)
	m.objects[name] = memoryObject{data: data, info: objectInfo{
		name: name, size: int64(len(data)), modified: time.Now().UTC(), etag: hex.EncodeToString(sum[:16])}}
	return nil
}

func (m *memory) copy(ctx context.Context, from, to string) error {
	o, err := m.find(ctx, from)
	if err != nil {
		return err
	}
	o.info.name, o.info.modified = to, time.Now().UTC()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[to] = o
	return nil
}

func (m *memory) remove(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
	return ctx.Err()
}

// list takes the last name of a page as the token of the next.
func (m *memory) list(ctx context.Context, prefix, delimiter, token string, limit int) (objectPage, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := map[string]objectInfo{}
	for name, o := range m.objects {
		rest, matches := strings.CutPrefix(name, prefix)
		if !matches {
			continue
		}
		info := o.info
		if head, _, folder := strings.Cut(rest, delimiter); folder && delimiter != "" {
			info = objectInfo{name: prefix + head + delimiter, isPrefix: true}
		}
		if info.name > token {
			found[info.name] = info
		}
	}
	page := objectPage{}
	for _, info := range found {
		page.objects = append(page.objects, info)
	}
	slices.SortFunc(page.objects, func(a, b objectInfo) int { return strings.Compare(a.name, b.name) })
	if len(page.objects) > limit {
		page.objects = page.objects[:limit]
		page.next = page.objects[limit-1].name
	}
	return page, ctx.Err()
}

func (m *memory) close() error { return nil }
