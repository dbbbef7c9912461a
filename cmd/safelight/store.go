package main

import (
	"context"
	"net/netip"
	"net/url"
	"path/filepath"
	"syscall"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/backend"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/storage/remote"
)

// openStore opens the storage of the settings; by default the folder files of the data folder.
func openStore(ctx context.Context, s *Settings) (storage.Store, error) {
	if s.Storage != "" {
		return storage.Open(ctx, s.Storage)
	}
	folder, err := filepath.Abs(filepath.Join(s.Data, "files"))
	if err != nil {
		return nil, err
	}
	store, err := storage.OpenLocal(folder)
	return store, explainData(s, err)
}

// storagePlace returns the kind of the storage, such as file or s3, and its folder or bucket.
func storagePlace(s *Settings) (kind, where string) {
	if s.Storage == "" {
		return "file", filepath.Join(s.Data, "files")
	}
	return storage.Place(s.Storage)
}

// mounted returns main, the storage at that place, with the mounts of the settings; main itself if there are none.
func mounted(ctx context.Context, s *Settings, main storage.Store, at backend.Config) (storage.Store, error) {
	if len(s.Mounts) == 0 && len(s.MountKeys) == 0 {
		return main, nil
	}
	policy, err := storagePolicy(s)
	if err != nil {
		return nil, err
	}
	o := mounts.Options{Keys: s.MountKeys, Private: []string{s.Storage}}
	if at.Kind == "file" {
		policy.Private = append(policy.Private, at.Place)
	}
	for _, place := range policy.Private {
		if place, err = filepath.Abs(place); err != nil {
			return nil, err
		}
		o.Private = append(o.Private, (&url.URL{Scheme: "file", Path: place}).String())
	}
	return mounts.New(ctx, main, s.Mounts, o)
}

// storagePolicy returns which storages admins may choose by the API.
func storagePolicy(s *Settings) (backend.Policy, error) {
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return backend.Policy{}, err
	}
	policy := s.Backend
	policy.Overridden = s.Storage != ""
	policy.Default = filepath.Join(data, "files")
	policy.Private = []string{data}
	policy.MountAt = func(address string) storage.Key { return mounts.At(s.Mounts, address) }
	policy.Control = storageControl(s.StorageNetworks)
	if !s.usesPostgres() {
		file, err := sqliteFile(s)
		if err != nil {
			return backend.Policy{}, err
		}
		policy.Private = append(policy.Private, file)
	}
	return policy, nil
}

// storageControl rejects S3 endpoints in networks that are neither public nor allowed by the operator: a gallery admin
// must not use the server to reach its private network.
func storageControl(networks []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	check := remote.Guard(networks)
	return func(network, address string, c syscall.RawConn) error {
		if err := check(network, address, c); err != nil {
			f := fault.OnField(fault.Invalid, "endpoint", "the endpoint's address %s is not public, expected one of those that the operator allows (setting storage-networks)", address)
			f.Err = err
			return f
		}
		return nil
	}
}
