package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"github.com/spf13/cobra"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

func (p *program) backup() *cobra.Command {
	withFiles := false
	command := &cobra.Command{
		Use:   "backup <archive>",
		Short: "Back up database, keys, settings and, on request, files to one archive.",
		Long:  "Create an archive such as backup.tar.gz. It contains keys and secrets: keep it private.",
		RunE:  func(_ *cobra.Command, args []string) error { return p.writeBackup(args[0], withFiles) },
	}
	command.Flags().BoolVar(&withFiles, "files", false, "Include all files of the storage.")
	return command
}

// The entries of an archive, in this order. The files follow below filesEntry.
const (
	manifestEntry = "manifest.json"
	keysEntry     = "keys.json"
	settingsEntry = "settings.conf"
	databaseEntry = "database"
	filesEntry    = "files/"
)

// archiveFormat is the number of the archive's format.
const archiveFormat = 1

// manifest is the content of the first entry of an archive.
type manifest struct {
	Format   int       `json:"format"`
	Version  string    `json:"version"` // of the program
	Made     time.Time `json:"made"`
	Database string    `json:"database"` // ent's name for the SQL dialect
	Files    bool      `json:"files"`
}

// writeBackup writes the archive under a temporary name and renames it at the end, so that an incomplete archive cannot
// be mistaken for a backup. The server may keep running.
func (p *program) writeBackup(archive string, withFiles bool) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(archive); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the archive %s exists already", archive)
	}
	if err := checkExisting(s); err != nil {
		return err
	}
	db, name, err := openDatabase(p.ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	started := time.Now()
	part := archive + ".part"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("creating the archive: %w", err)
	}
	b := &backup{Settings: s, ctx: p.ctx, db: db, dialect: name}
	files, err := b.write(out, withFiles)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(part, archive)
	}
	if err != nil {
		os.Remove(part)
		return fmt.Errorf("writing the archive: %w", err)
	}
	if err := noteBackup(s, started); err != nil {
		return fmt.Errorf("the archive %s is complete, but its time could not be noted for the metrics: %w",
			archive, err)
	}
	_, err = fmt.Fprintf(p.stdout, "backed up the database, the keys and the settings to %s", archive)
	if withFiles {
		fmt.Fprintf(p.stdout, ", with the files (%d)", files)
	}
	fmt.Fprintln(p.stdout)
	return err
}

// backupNote is the content of backup.json in the data folder.
type backupNote struct {
	Made time.Time `json:"made"` // when the last successful backup began
}

func backupFile(s *Settings) string { return filepath.Join(s.Data, "backup.json") }

// noteBackup records the time of a successful backup for the server's metrics.
func noteBackup(s *Settings, began time.Time) error {
	text, err := json.Marshal(backupNote{began.UTC()})
	if err != nil {
		return err
	}
	return auth.ReplaceFile(backupFile(s), text)
}

// lastBackup returns when the last successful backup began; zero if there was none, or if backup.json cannot be read.
func lastBackup(s *Settings) time.Time {
	var note backupNote
	text, err := os.ReadFile(backupFile(s))
	if err != nil || json.Unmarshal(text, &note) != nil {
		return time.Time{}
	}
	return note.Made
}

// backup writes one archive.
type backup struct {
	*Settings
	ctx     context.Context
	db      *sql.DB
	dialect string
	tar     *tar.Writer
}

func (b *backup) write(out io.Writer, withFiles bool) (files int, err error) {
	packed := gzip.NewWriter(out)
	b.tar = tar.NewWriter(packed)
	about, err := json.Marshal(manifest{archiveFormat, version, time.Now().UTC(), b.dialect, withFiles})
	if err != nil {
		return 0, err
	}
	if err := b.add(manifestEntry, about); err != nil {
		return 0, err
	}
	keys, err := os.ReadFile(keysFile(b.Settings))
	if err == nil {
		err = b.add(keysEntry, keys)
	}
	if err != nil {
		return 0, fmt.Errorf("the key file: %w", err)
	}
	if err := b.add(settingsEntry, []byte(settingsText(b.Settings, placeSettings...))); err != nil {
		return 0, err
	}
	if err := b.addDatabase(); err != nil {
		return 0, fmt.Errorf("the database: %w", err)
	}
	if withFiles {
		if files, err = b.addFiles(); err != nil {
			return files, fmt.Errorf("the files: %w", err)
		}
	}
	return files, errors.Join(b.tar.Close(), packed.Close())
}

func (b *backup) add(name string, data []byte) error {
	err := b.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: time.Now()})
	if err == nil {
		_, err = b.tar.Write(data)
	}
	return err
}

// placeSettings are commented out in the settings of a backup. A server that reads them elsewhere must not use the
// folder, the database or the bucket of the server that was backed up.
var placeSettings = []string{"data", "database", "storage"}

// settingsText returns the explicit settings, including secrets, as a settings file. Each value is written as the
// operator wrote it, so that a server reads the same value again; those named in comments are commented out.
func settingsText(s *Settings, comments ...string) string {
	var text strings.Builder
	for _, row := range settingsTable {
		if !s.IsSet(row.Name) {
			continue
		}
		line := row.Name + " = " + quote(s.texts[row.Name])
		if slices.Contains(comments, row.Name) {
			line = "# as it was: " + strings.ReplaceAll(line, "\n", "\n# ")
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

// addDatabase adds a consistent copy of the database, which may be in use.
func (b *backup) addDatabase() error {
	dir, err := os.MkdirTemp(b.Data, ".backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, databaseEntry)
	if b.dialect == dialect.SQLite {
		_, err = b.db.ExecContext(b.ctx, "VACUUM INTO ?", file)
	} else {
		err = database.PostgresTool(b.ctx, "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
			"--file="+file, "--dbname="+b.Database)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(&tar.Header{Name: databaseEntry, Mode: 0o600, Size: info.Size(),
		ModTime: time.Now()}); err != nil {
		return err
	}
	_, err = io.Copy(b.tar, f)
	return err
}

// notBackedUp are the parts of unfinished uploads, unfinished writes, and the test object of CheckWrite.
var notBackedUp = []storage.Key{uploads.StagingRoot, ".safelight-work", storage.WritableKey}

// addFiles adds every object of the storage except notBackedUp, and returns their number.
func (b *backup) addFiles() (n int, err error) {
	store, err := openCurrentStore(b.ctx, b.Settings, b.db, b.dialect)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	err = storage.Walk(b.ctx, store, "", notBackedUp, func(e storage.Stat) error {
		o, err := store.Open(b.ctx, e.Key)
		if fault.CodeOf(err) == fault.NotFound {
			return nil // the file was deleted after it was listed
		}
		if err != nil {
			return err
		}
		defer o.Close()
		st := o.Stat()
		if err := b.tar.WriteHeader(&tar.Header{Name: filesEntry + string(e.Key), Mode: 0o600, Size: st.Size,
			ModTime: st.Modified, Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := io.CopyN(b.tar, o, st.Size); err != nil {
			return fmt.Errorf("reading %s: %w", e.Key, err)
		}
		n++
		return nil
	})
	return n, err
}

// openCurrentStore opens the storage that a server with these settings and this database would use.
func openCurrentStore(ctx context.Context, s *Settings, db *sql.DB, name string) (storage.Store, error) {
	policy, err := storagePolicy(s)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(s, nil)
	if err != nil {
		return nil, err
	}
	chosen, err := storageconfig.OpenChosen(ctx, database.New(db, name), policy, keys)
	if err != nil {
		return nil, err
	}
	if chosen != nil {
		return chosen.Store, nil
	}
	return openStore(ctx, s)
}

func (p *program) restore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore <archive>",
		Short: "Restore an archive made by backup into an empty data folder.",
		RunE:  func(_ *cobra.Command, args []string) error { return p.restoreBackup(args[0]) },
	}
}

// restoreBackup restores an archive into a data folder without keys and database. It reads the keys, the settings and
// the database completely, and checks the database, before it installs any of them.
func (p *program) restoreBackup(archive string) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	s.AllowNewDatabase = true // the database is about to be restored
	if err := checkEmptySite(p.ctx, s); err != nil {
		return err
	}
	in, err := os.Open(archive)
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
		return fmt.Errorf("restoring %s: %w", archive, err)
	}
	_, err = fmt.Fprintln(p.stdout, "restored; sessions, API tokens and share links that were ended since the backup are "+
		"valid again: start the server, and end them once more")
	return err
}

// checkEmptySite returns an error if there are keys or a database, which restoring would replace.
func checkEmptySite(ctx context.Context, s *Settings) error {
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
			hint := ""
			if used, err := known(s); name == keysFile(s) && used == nil && err == nil {
				hint = " (no database was ever used with it: it may be left from a start that failed)"
			}
			return fmt.Errorf("%s exists: restore into an empty data folder, or move it away%s", name, hint)
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
	store   storage.Store // opened once the keys and the database are installed
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
			if _, err := io.Copy(io.Discard, packed); err != nil { // reading to the end verifies the checksum
				return fmt.Errorf("it is damaged: %w", err)
			}
			return r.install()
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

// entry handles one entry of the archive.
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
	return fmt.Errorf("it contains %q, which this version does not know: restore it with version %s, which made "+
		"it, or a later one", name, r.about.Version)
}

func (r *restoration) checkManifest() error {
	if r.about.Format != archiveFormat {
		return fmt.Errorf("it was made by version %s in a newer format: restore it with that version or a later one",
			r.about.Version)
	}
	have := dialect.SQLite
	if r.usesPostgres() {
		have = dialect.Postgres
	}
	if r.about.Database != have {
		return fmt.Errorf("it contains a %s database, but the setting database names a %s one", r.about.Database, have)
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

// install installs the keys, the settings and the database. Further calls do nothing.
func (r *restoration) install() error {
	if r.store != nil {
		return nil
	}
	for _, name := range []string{keysEntry, databaseEntry} {
		if missing(filepath.Join(r.staging, name)) {
			return fmt.Errorf("it is incomplete: %s is missing", name)
		}
	}
	if err := r.installDatabase(); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(r.staging, keysEntry), keysFile(r.Settings)); err != nil {
		return err
	}
	settings := filepath.Join(r.Data, "restored-settings.conf")
	if err := os.Rename(filepath.Join(r.staging, settingsEntry), settings); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "the settings of the backup are in %s, which contains secrets. Pass it to --config, with "+
		"--data, --database and --storage of this restore: in the file, those of the old server are comments\n",
		settings)
	db, name, err := openDatabase(r.ctx, r.Settings)
	if err != nil {
		return err
	}
	defer db.Close()
	r.store, err = openCurrentStore(r.ctx, r.Settings, db, name)
	return err
}

func (r *restoration) installDatabase() error {
	staged := filepath.Join(r.staging, databaseEntry)
	if r.about.Database == dialect.Postgres {
		return database.PostgresTool(r.ctx, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error",
			"--single-transaction", "--dbname="+r.Database, staged)
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
	if err := r.install(); err != nil {
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
