package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cmd/safelight/demo"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/storage"
)

// refuseOtherStorage returns an error if the storage, or a mount, has none of the files that the index knows, unless
// the operator allows that. Otherwise a typo in a setting, or a file system that is not mounted, would make the first
// scan remove all files from the index, and therefore permanently from all albums.
func refuseOtherStorage(ctx context.Context, s *Settings, db *database.DB, keys *auth.Keyring) error {
	if s.AllowNewStorage {
		return nil
	}
	store, err := openAsServed(ctx, s, db, keys)
	if errors.Is(err, auth.ErrOtherKeys) {
		return nil // the server starts, but its files are unavailable
	}
	if err != nil {
		return err
	}
	defer store.Close()
	lost, err := gallery.AllMissing(ctx, db, store, storage.Key(demo.Welcome.Path))
	if err != nil || len(lost) == 0 {
		return err
	}
	var texts []string
	for _, m := range lost {
		texts = append(texts, m.String())
	}
	return fmt.Errorf("%s. Mount its file system, or correct the settings storage and storage-mounts: with this "+
		"storage, the server would remove these files from all albums. If they are gone on purpose, start once "+
		"with --allow-new-storage", strings.Join(texts, "; "))
}

// openAsServed opens the storage that a server would use, with its mounts, without creating or changing anything. A
// folder that does not exist is an empty storage.
func openAsServed(ctx context.Context, s *Settings, db *database.DB, keys *auth.Keyring) (storage.Store, error) {
	policy, err := storagePolicy(s)
	if err != nil {
		return nil, err
	}
	in, err := storageconfig.ReadChosen(ctx, db, policy, keys)
	if err != nil {
		return nil, err
	}
	if in == nil {
		return openReadOnly(ctx, s, s.Storage)
	}
	if in.S3 == nil {
		return openReadOnly(ctx, s, fileAddress(in.Folder))
	}
	chosen, err := storageconfig.OpenChosen(ctx, db, policy, keys)
	if err != nil {
		return nil, err
	}
	return withReadOnlyMounts(ctx, s, chosen.Store, storageconfig.Config{Kind: chosen.Kind, Place: chosen.Place})
}

// openReadOnly opens the storage at an address with the mounts in the settings, without creating or changing anything.
// An empty address is the folder of files in the data folder. A folder that does not exist is an empty storage.
func openReadOnly(ctx context.Context, s *Settings, address string) (storage.Store, error) {
	if address == "" {
		folder, err := defaultFolder(s)
		if err != nil {
			return nil, err
		}
		address = fileAddress(folder)
	}
	kind, place := storage.Place(address)
	at := storageconfig.Config{Kind: kind, Place: place}
	if kind == "file" && missing(place) {
		return withReadOnlyMounts(ctx, s, storage.NewMemory(), at)
	}
	main, err := storage.OpenWith(ctx, address, storage.OpenOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return withReadOnlyMounts(ctx, s, main, at)
}

// withReadOnlyMounts returns main with the mounts in the settings, which it opens for reading only. It closes main
// after an error.
func withReadOnlyMounts(
	ctx context.Context, s *Settings, main storage.Store, at storageconfig.Config,
) (storage.Store, error) {
	unchanged := *s
	unchanged.Mounts = slices.Clone(s.Mounts)
	for i := range unchanged.Mounts {
		unchanged.Mounts[i].ReadOnly = true
	}
	store, err := mounted(ctx, &unchanged, main, at)
	if err != nil {
		return nil, errors.Join(err, main.Close())
	}
	return store, nil
}
