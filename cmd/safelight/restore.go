package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/storage"
)

type restoreCommand struct {
	Archive string
}

func (p *program) restore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore <archive>",
		Short: "Restore an archive of backup into an empty data folder.",
		RunE: func(_ *cobra.Command, args []string) error {
			return restoreCommand{Archive: args[0]}.run(p)
		},
	}
}

// run restores an archive into a data folder without keys and database. Nothing is put in place before the keys, the
// settings and the database are read completely and the database is checked.
func (c restoreCommand) run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	s.AllowNewDatabase = true // that is what it is about
	if err := isEmptySite(p.ctx, s); err != nil {
		return err
	}
	in, err := os.Open(c.Archive)
	if err != nil {
		return fmt.Errorf("opening the archive: %w", err)
	}
	defer in.Close()
	if err := makeData(s); err != nil {
		return err
	}
	staging, err := os.MkdirTemp(s.Data, ".restore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	r := &restoration{Settings: s, ctx: p.ctx, staging: staging, out: p.stdout}
	if err := r.read(in); err != nil {
		return fmt.Errorf("restoring %s: %w", c.Archive, err)
	}
	_, err = fmt.Fprintln(p.stdout, "restored; start the server, then end sessions that were ended since the backup once more")
	return err
}

// isEmptySite returns an error if there are keys or a database that a restoration would replace.
func isEmptySite(ctx context.Context, s *Settings) error {
	taken := []string{keysFile(s)}
	if !s.usesPostgres() {
		file, err := sqliteFile(s)
		if err != nil {
			return err
		}
		taken = append(taken, file, file+"-wal")
	}
	for _, name := range taken {
		if !missing(name) {
			return fmt.Errorf("%s exists: restore into an empty data folder, or move it away", name)
		}
	}
	if !s.usesPostgres() {
		return nil
	}
	db, _, err := openDatabase(ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	if empty, err := database.IsNewPostgres(ctx, db); err != nil || !empty {
		return errors.Join(fmt.Errorf("the database %s is not empty: restore into an empty one", databasePlace(s)), err)
	}
	return nil
}

// restoration reads one archive.
type restoration struct {
	*Settings
	ctx     context.Context
	staging string
	out     io.Writer
	about   manifest
	store   storage.Store // open once the keys and the database are in place
	files   int
}

func (r *restoration) read(in io.Reader) error {
	packed, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("it is not an archive of safelight backup: %w", err)
	}
	defer func() {
		if r.store != nil {
			r.store.Close()
		}
	}()
	archive := tar.NewReader(packed)
	for first := true; ; first = false {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, packed); err != nil { // its checksum
				return fmt.Errorf("it is damaged: %w", err)
			}
			return r.settle()
		}
		if err != nil {
			return fmt.Errorf("it is damaged or incomplete: %w", err)
		}
		if first != (header.Name == manifestEntry) {
			return errors.New("it is not an archive of safelight backup")
		}
		if err := r.entry(header.Name, archive); err != nil {
			return err
		}
	}
}

// entry handles one entry.
func (r *restoration) entry(name string, content io.Reader) error {
	switch {
	case name == manifestEntry:
		if err := json.NewDecoder(io.LimitReader(content, 1<<20)).Decode(&r.about); err != nil {
			return fmt.Errorf("its manifest is damaged: %w", err)
		}
		return r.checkManifest()
	case name == keysEntry, name == settingsEntry, name == databaseEntry:
		return r.stage(name, content)
	case strings.HasPrefix(name, filesEntry):
		return r.file(strings.TrimPrefix(name, filesEntry), content)
	}
	return fmt.Errorf("it holds %q, which this version does not know: restore it with the version that made it, %s, or a later one", name, r.about.Version)
}

func (r *restoration) checkManifest() error {
	if r.about.Format != archiveFormat {
		return fmt.Errorf("it was made by version %s in a newer format: restore it with that version or a later one", r.about.Version)
	}
	have := dialect.SQLite
	if r.usesPostgres() {
		have = dialect.Postgres
	}
	if r.about.Database != have {
		return fmt.Errorf("it holds a %s database, but the setting database names a %s one", r.about.Database, have)
	}
	return nil
}

func (r *restoration) stage(name string, content io.Reader) error {
	f, err := os.OpenFile(filepath.Join(r.staging, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("it is damaged or incomplete: %s: %w", name, err)
	}
	return nil
}

// settle puts the keys, the settings and the database in place, once.
func (r *restoration) settle() error {
	if r.store != nil {
		return nil
	}
	for _, name := range []string{keysEntry, databaseEntry} {
		if missing(filepath.Join(r.staging, name)) {
			return fmt.Errorf("it is incomplete: %s is missing", name)
		}
	}
	if err := r.settleDatabase(); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(r.staging, keysEntry), keysFile(r.Settings)); err != nil {
		return err
	}
	settings := filepath.Join(r.Data, "restored-settings.conf")
	if err := os.Rename(filepath.Join(r.staging, settingsEntry), settings); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "the settings of the backup are in %s, for --config; it holds secrets\n", settings)
	db, name, err := openDatabase(r.ctx, r.Settings)
	if err != nil {
		return err
	}
	defer db.Close()
	r.store, err = openCurrentStore(r.ctx, r.Settings, db, name)
	return err
}

func (r *restoration) settleDatabase() error {
	staged := filepath.Join(r.staging, databaseEntry)
	if r.about.Database == dialect.Postgres {
		return database.PostgresTool(r.ctx, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", "--dbname="+r.Database, staged)
	}
	if err := database.CheckFile(r.ctx, staged); err != nil {
		return err
	}
	file, err := sqliteFile(r.Settings)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.Rename(staged, file)
}

// file writes one file to the storage.
func (r *restoration) file(name string, content io.Reader) error {
	if err := r.settle(); err != nil {
		return err
	}
	k, err := storage.ParseKey(name)
	if err == nil {
		_, err = r.store.Create(r.ctx, k, content, storage.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("file %q, after %d files: %w", name, r.files, err)
	}
	r.files++
	return nil
}
