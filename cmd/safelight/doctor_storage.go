package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery/backend"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
)

// errPending reports that the database cannot be queried yet.
var errPending = errors.New("not checked: the next start applies the pending migrations, or safelight migrate up")

// storage opens the storage that a server would open, and checks that it is available and takes writes. It does not create a
// missing folder.
func (d *diagnosis) storage(ctx context.Context, s *Settings) {
	chosen, err := d.chosen(ctx, s)
	if errors.Is(err, errPending) {
		d.report("storage", err.Error(), nil)
		return
	}
	if err != nil {
		d.report("storage", "", err)
		return
	}
	if chosen != nil {
		d.mainStorage(ctx, chosen.Kind, chosen.Place, ", chosen by the API", chosen.Store)
		d.mounts(ctx, s, chosen.Store, backend.Config{Kind: chosen.Kind, Place: chosen.Place})
		return
	}
	kind, where := storagePlace(s)
	if kind == "file" && missing(where) {
		_, err := folderRoom(where)
		d.report("storage", where+" is not there yet, the first start makes it", err)
		d.mounts(ctx, s, storage.NewUnavailable(errPending), backend.Config{Kind: kind, Place: where})
		return
	}
	var store storage.Store
	if store, err = openStore(ctx, s); err != nil {
		d.report("storage", "", err)
		return
	}
	d.mainStorage(ctx, kind, where, "", store)
	d.mounts(ctx, s, store, backend.Config{Kind: kind, Place: where})
}

// mainStorage checks the storage that holds everything but the mounts. origin says who has named it; empty: the settings.
func (d *diagnosis) mainStorage(ctx context.Context, kind, place, origin string, s storage.Store) {
	text := kind + " " + place + origin
	err := s.Check(ctx)
	if err == nil {
		err = storage.CheckWrite(ctx, s)
	}
	if err == nil && kind == "file" {
		var free int64
		free, err = freeSpace(place)
		text += fmt.Sprintf("; %s free", formatBytes(free))
	}
	if err != nil {
		err = fmt.Errorf("%s %s%s: %s", kind, place, origin, message(err))
	}
	d.report("storage", text, err)
}

// mounts checks the mounts beside main, which it closes.
func (d *diagnosis) mounts(ctx context.Context, s *Settings, main storage.Store, at backend.Config) {
	store, err := mounted(ctx, s, main, at)
	if err != nil {
		d.report("mounts", "", errors.Join(err, main.Close()))
		return
	}
	defer store.Close()
	tree, ok := store.(*mounts.Tree)
	if !ok {
		return
	}
	for _, m := range tree.Status(ctx) {
		d.report("mount", m.String(), m.Err)
		if m.Hides {
			d.warn("mount", mounts.Hides(m.Name))
		}
	}
}

// chosen opens the storage that an admin has chosen by the API; nil if none is chosen or there is no database.
func (d *diagnosis) chosen(ctx context.Context, s *Settings) (*backend.Chosen, error) {
	policy, err := storagePolicy(s)
	if err != nil || policy.Overridden {
		return nil, err
	}
	if !s.usesPostgres() && missing(databasePlace(s)) {
		return nil, nil
	}
	db, dialect, err := openDatabase(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("whether the API has chosen one is not known: %w", err)
	}
	defer db.Close()
	states, err := database.MigrationStatus(ctx, db, dialect)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(states, func(m database.Migration) bool { return !m.Applied }) {
		return nil, errPending
	}
	client := database.New(db, dialect)
	keys, err := keysAsTheyAre(s)
	if err != nil {
		return nil, err
	}
	in, err := backend.ReadChosen(ctx, client, policy, keys)
	if err != nil || in == nil {
		return nil, err
	}
	if in.S3 == nil && missing(in.Folder) {
		return nil, fmt.Errorf("%s, chosen by the API, does not exist; a start would create an empty one", in.Folder)
	}
	return backend.OpenChosen(ctx, client, policy, keys)
}

// keysAsTheyAre opens the key file, but returns nil if a server would create it or change its mode.
func keysAsTheyAre(s *Settings) (*auth.Keyring, error) {
	info, err := os.Stat(keysFile(s))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return openKeys(s, nil)
}

func missing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}
