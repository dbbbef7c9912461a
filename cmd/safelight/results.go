package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// openResults opens the result cache of the settings; nil if it is off.
func openResults(ctx context.Context, s *Settings, log *slog.Logger) (*cache.Cache, error) {
	config, err := resultsConfig(ctx, s)
	if err != nil {
		return nil, err
	}
	config.Log = log
	c, err := cache.New(config)
	if err != nil {
		return nil, explainData(s, fmt.Errorf("opening the result cache: %w", err))
	}
	return c, nil
}

// checkResults returns an error if the result cache of the settings cannot be opened, or its folder cannot be created.
// It does not create anything.
func checkResults(ctx context.Context, s *Settings) error {
	config, err := resultsConfig(ctx, s)
	if remote, ok := config.Remote.(objectStore); ok {
		err = errors.Join(err, remote.store.Close())
	}
	if err == nil && config.Folder != "" {
		if _, absent := os.Stat(config.Folder); absent != nil { // an existing one may be on a temporarily full disk
			_, err = tryWrite(config.Folder)
		}
	}
	if err != nil {
		return explainData(s, fmt.Errorf("opening the result cache: %w", err))
	}
	return nil
}

func resultsConfig(ctx context.Context, s *Settings) (cache.Config, error) {
	c := s.Results
	if s.ResultCache == "off" {
		return c, nil
	}
	for part := range strings.SplitSeq(s.ResultCache, ",") {
		switch part = strings.TrimSpace(part); {
		case part == "memory":
			c.MemoryBytes = s.ResultCacheMemory
		case part == "file":
			c.Folder = filepath.Join(s.Data, "cache")
		default:
			scheme, folder := storage.Place(part)
			if scheme == "file" {
				c.Folder = filepath.FromSlash(folder)
				continue
			}
			store, err := storage.Open(ctx, part)
			if err != nil {
				return c, err
			}
			c.Remote = objectStore{store}
		}
	}
	return c, nil
}

// objectStore adapts a storage to the interface of the result cache.
type objectStore struct{ store storage.Store }

var _ cache.ObjectStore = objectStore{}

// Get implements cache.ObjectStore.
func (p objectStore) Get(ctx context.Context, name string) ([]byte, error) {
	o, err := p.store.Open(ctx, storage.Key(name))
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return io.ReadAll(o)
}

// Put implements cache.ObjectStore.
func (p objectStore) Put(ctx context.Context, name string, data []byte) error {
	_, err := p.store.Create(ctx, storage.Key(name), bytes.NewReader(data),
		storage.CreateOptions{ContentType: "application/octet-stream", Overwrite: true})
	return err
}

// Delete implements cache.ObjectStore.
func (p objectStore) Delete(ctx context.Context, name string) error {
	err := p.store.Delete(ctx, storage.Key(name))
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// List implements cache.ObjectStore.
func (p objectStore) List(ctx context.Context, folder string, each func(string, int64) error) error {
	return storage.Walk(ctx, p.store, storage.Key(folder), nil, func(one storage.Stat) error {
		return each(string(one.Key), one.Size)
	})
}
