package storageconfig_test

import (
	"context"
	"database/sql"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/storageconfig"
)

// TestEpoch checks that a choice ends the epoch only if it changes the files.
func TestEpoch(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		dir, policy := place(t)
		s := newStage(t, pool, name, gallerytest.Config{Backend: storageconfig.Config{Kind: "file", Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		db := database.New(pool, name)
		read := func() *storageconfig.Epoch {
			t.Helper()
			e, err := storageconfig.ReadEpoch(ctx, db, nil)
			must(t, err)
			return e
		}
		must(t, os.Symlink(dir+"/srv/one", dir+"/srv/link"))
		for _, c := range []struct {
			folder string
			ends   bool
		}{{"/data/files", false}, {"/srv/one", true}, {"/srv/one", false}, {"/srv/./one", false}, {"/srv/link", false},
			{"/srv/two", true}, {"/srv/one", true}, {"/data/files", true}} {
			before := read()
			guarded := db.Guarded(before)
			must(t, guarded.Transact(ctx, func(*ent.Tx) error { return nil }))
			must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + c.folder}))
			if read().Is(before) == c.ends {
				t.Errorf("%s: the epoch ends: %v, expected %v", c.folder, !c.ends, c.ends)
			}
			code := fault.Code("")
			if c.ends {
				code = fault.Unavailable
			}
			want(
				t, guarded.Transact(ctx, func(*ent.Tx) error { return nil }), code,
				"a transaction of the storage before "+c.folder,
			)
			want(t, guarded.CheckGuard(ctx), code, "the guard after "+c.folder)
			must(t, guarded.Transact(database.WithoutGuard(ctx), func(*ent.Tx) error { return nil }))
		}
	})
}

// TestEpochWaits checks that replacing the storage waits for the transactions that write to its index.
func TestEpochWaits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		dir, policy := place(t)
		s := newStage(t, pool, name, gallerytest.Config{Backend: storageconfig.Config{Kind: "file", Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		db := database.New(pool, name)
		epoch, err := storageconfig.ReadEpoch(ctx, db, nil)
		must(t, err)
		inside, goOn := make(chan struct{}), make(chan struct{})
		var over atomic.Bool
		ended := make(chan error, 1)
		go func() {
			ended <- db.Guarded(epoch).Transact(ctx, func(*ent.Tx) error {
				close(inside)
				<-goOn
				over.Store(true)
				return nil
			})
		}()
		<-inside
		replaced := make(chan error, 1)
		go func() {
			err := s.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + "/srv/one"})
			if !over.Load() {
				t.Error("it was replaced while a transaction wrote to its index")
			}
			replaced <- err
		}()
		if db.IsPostgres() { // on SQLite it waits for the only writer in any case
			for waiting := 0; waiting == 0 && len(replaced) == 0; {
				must(
					t,
					pool.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname "+
						"= current_database()").
						Scan(&waiting),
				)
			}
		}
		close(goOn)
		must(t, <-ended)
		must(t, <-replaced)
	})
}

// TestCheckOfEpoch checks that reading the epoch, as each /readyz does, neither waits for a choice in
// progress nor writes.
func TestCheckOfEpoch(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		db := database.New(pool, name)
		if !db.IsPostgres() {
			t.Skip("SQLite locks no rows")
		}
		newStage(t, pool, name, gallerytest.Config{})
		epoch, err := storageconfig.ReadEpoch(t.Context(), db, nil)
		must(t, err)
		row := func() (version string) {
			must(t, pool.QueryRow("SELECT xmin || ' ' || xmax FROM leases WHERE name = 'storage'").Scan(&version))
			return version
		}
		before := row()
		must(t, db.Guarded(epoch).CheckGuard(t.Context()))
		if after := row(); after != before {
			t.Errorf("it was locked: %s, before %s", after, before)
		}
		choice, err := pool.Begin()
		must(t, err)
		defer choice.Rollback()
		_, err = choice.Exec("UPDATE leases SET fence = fence + 1 WHERE name = 'storage'")
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		must(t, db.Guarded(epoch).CheckGuard(ctx))
		must(t, choice.Commit())
		want(t, db.Guarded(epoch).CheckGuard(ctx), fault.Unavailable, "the guard after a choice")
	})
}

// TestEpochOfFrozenServer checks that a server that is frozen during a transaction does not prevent the
// others from changing the storage.
func TestEpochOfFrozenServer(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		db := database.New(pool, name)
		if !db.IsPostgres() {
			t.Skip("on SQLite there is one server")
		}
		newStage(t, pool, name, gallerytest.Config{})
		epoch, err := storageconfig.ReadEpoch(t.Context(), db, nil)
		must(t, err)
		must(t, db.Guarded(epoch).Transact(t.Context(), func(tx *ent.Tx) error {
			if limit := databasetest.Setting(t, tx, "idle_in_transaction_session_timeout"); limit != "10s" {
				t.Errorf("its transaction may do nothing for %s, expected 10s", limit)
			}
			return nil
		}))
	})
}

// TestMayReplace checks that MayReplace is called before a choice is stored.
func TestMayReplace(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		dir, policy := place(t)
		no := fault.New(fault.Conflict, "the files are being moved")
		s := newStage(t, pool, name, gallerytest.Config{
			Backend: storageconfig.Config{
				Kind:       "file",
				Policy:     policy,
				MayReplace: func(context.Context) error { return no },
			},
		})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		want(
			t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + "/srv/one"}), fault.Conflict,
			"a choice during a move",
		)
		if status, err := s.StorageStatus(ctx); err != nil || status.LastUpdated != nil {
			t.Errorf("it was stored: %+v, %v", status, err)
		}
		must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: policy.Default})) // the same storage
	})
}
