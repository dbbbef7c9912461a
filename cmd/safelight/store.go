package main

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/safelight/safelight/storage"
)

// openStore opens the storage that the settings name; without any, the folder files of the data
// folder.
func openStore(ctx context.Context, s *Settings) (storage.Store, error) {
	if s.Storage != "" {
		return storage.Open(ctx, s.Storage)
	}
	folder, err := filepath.Abs(filepath.Join(s.Data, "files"))
	if err != nil {
		return nil, err
	}
	return storage.OpenLocal(folder)
}

// storagePlace returns the kind of the storage, file or s3, and its folder or bucket.
func storagePlace(s *Settings) (kind, where string) {
	if s.Storage == "" {
		return "file", filepath.Join(s.Data, "files")
	}
	u, err := url.Parse(s.Storage)
	if err != nil {
		return "", "" // the kind of the setting let no such value through
	}
	if u.Scheme == "s3" {
		return u.Scheme, u.Host
	}
	return u.Scheme, u.Host + u.Path + u.Opaque
}
