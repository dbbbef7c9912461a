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
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/backend"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

type backupCommand struct {
	Archive string
	Files   bool
}

func (p *program) backup() *cobra.Command {
	var c backupCommand
	command := &cobra.Command{
		Use:   "backup <archive>",
		Short: "Back up database, keys, settings and, on request, files to one archive.",
		Long:  "Creates an archive such as backup.tar.gz. It holds keys and secrets: keep it private.",
		RunE: func(_ *cobra.Command, args []string) error {
			c.Archive = args[0]
			return c.run(p)
		},
	}
	command.Flags().BoolVar(&c.Files, "files", false, "Include all files of the storage.")
	return command
}

// The entries of an archive, in this order. Files follow under filesEntry.
const (
	manifestEntry = "manifest.json"
	keysEntry     = "keys.json"
	settingsEntry = "settings.conf"
	databaseEntry = "database"
	filesEntry    = "files/"
)

// archiveFormat is the number of the archive's format.
const archiveFormat = 1

// manifest is the first entry of an archive.
type manifest struct {
	Format   int       `json:"format"`
	Version  string    `json:"version"` // of the program
	Made     time.Time `json:"made"`
	Database string    `json:"database"` // ent's name of the dialect
	Files    bool      `json:"files"`
}

// run writes the archive: to a file of another name at first, so that an incomplete archive is never taken for one. The
// server may run meanwhile.
func (c backupCommand) run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.Archive); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the archive %s exists already", c.Archive)
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
	part := c.Archive + ".part"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("creating the archive: %w", err)
	}
	b := &backup{Settings: s, ctx: p.ctx, db: db, dialect: name}
	files, err := b.write(out, c.Files)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(part, c.Archive)
	}
	if err != nil {
		os.Remove(part)
		return fmt.Errorf("writing the archive: %w", err)
	}
	if err := noteBackup(s, started); err != nil {
		return fmt.Errorf("the archive %s is complete, but its time could not be noted for the metrics: %w", c.Archive, err)
	}
	_, err = fmt.Fprintf(p.stdout, "backed up the database, the keys and the settings to %s", c.Archive)
	if c.Files {
		fmt.Fprintf(p.stdout, ", with %d files", files)
	}
	fmt.Fprintln(p.stdout)
	return err
}

// backupNote is the content of backup.json in the data folder.
type backupNote struct {
	Made time.Time `json:"made"` // when the last successful backup began
}

func backupFile(s *Settings) string { return filepath.Join(s.Data, "backup.json") }

// noteBackup records the time of a successful backup for the metrics of the server.
func noteBackup(s *Settings, began time.Time) error {
	text, err := json.Marshal(backupNote{began.UTC()})
	if err != nil {
		return err
	}
	return replaceFile(backupFile(s), text)
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
	if err := b.add(settingsEntry, []byte(settingsText(b.Settings))); err != nil {
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

// settingsText returns the settings that were set, secrets included, in the form of a settings file: each as the operator
// wrote it, so that a server reads the same value again.
func settingsText(s *Settings) string {
	var text strings.Builder
	for _, row := range settingsTable {
		if !s.IsSet(row.Name) {
			continue
		}
		fmt.Fprintf(&text, "%s = %s\n", row.Name, quote(s.texts[row.Name]))
	}
	return text.String()
}

// addDatabase adds a consistent copy of the database while it is in use.
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
		err = database.PostgresTool(b.ctx, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file="+file, "--dbname="+b.Database)
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
	if err := b.tar.WriteHeader(&tar.Header{Name: databaseEntry, Mode: 0o600, Size: info.Size(), ModTime: time.Now()}); err != nil {
		return err
	}
	_, err = io.Copy(b.tar, f)
	return err
}

// leftOut are the parts of unfinished uploads, unfinished writes, and what shows that the storage takes writes.
var leftOut = []storage.Key{uploads.StagingRoot, ".safelight-work", storage.WritableKey}

// addFiles adds every object of the storage that is not left out, and returns their number.
func (b *backup) addFiles() (n int, err error) {
	store, err := openCurrentStore(b.ctx, b.Settings, b.db, b.dialect)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	err = storage.Walk(b.ctx, store, "", leftOut, func(k storage.Key) error {
		o, err := store.Open(b.ctx, k)
		if fault.CodeOf(err) == fault.NotFound {
			return nil // deleted since it was listed
		}
		if err != nil {
			return err
		}
		defer o.Close()
		st := o.Stat()
		if err := b.tar.WriteHeader(&tar.Header{Name: filesEntry + string(k), Mode: 0o600, Size: st.Size, ModTime: st.Modified, Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := io.CopyN(b.tar, o, st.Size); err != nil {
			return fmt.Errorf("reading %s: %w", k, err)
		}
		n++
		return nil
	})
	return n, err
}

// openCurrentStore opens the storage that a server on this database would use.
func openCurrentStore(ctx context.Context, s *Settings, db *sql.DB, name string) (storage.Store, error) {
	policy, err := storagePolicy(s)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(s, nil)
	if err != nil {
		return nil, err
	}
	chosen, err := backend.OpenChosen(ctx, database.New(db, name), policy, keys)
	if err != nil {
		return nil, err
	}
	if chosen != nil {
		return chosen.Store, nil
	}
	return openStore(ctx, s)
}
