// Package files creates the services that work on one storage, and replaces them while the server runs.
package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/templates"
	"github.com/safelight/safelight/uploads"
)

// checkTimeout limits the first request to a storage that replaces another.
const checkTimeout = 20 * time.Second

// Config configures the services and the storage of the files.
type Config struct {
	Gallery   gallery.Config
	Uploads   uploads.Config
	Archives  archive.Config
	Templates templates.Config
	Policy    storageconfig.Policy
	Now       func() time.Time
	// Default opens the storage in the settings.
	Default func(context.Context) (storage.Store, error)
	// DefaultKind and DefaultPlace describe that storage: its kind, such as file or s3, and its folder or bucket.
	DefaultKind, DefaultPlace string
	// Mount adds the mounts in the settings to main. If there are none, it returns main itself. at describes where
	// main is.
	Mount func(ctx context.Context, main storage.Store, at storageconfig.Config) (storage.Store, error)
	// MayReplace is passed on to storageconfig.Config.
	MayReplace func(context.Context) error
}

// Deps are the dependencies of the services. They do not depend on the storage. Engine is nil in commands that do not
// decode pictures.
type Deps struct {
	DB       *database.DB
	Audit    *audit.Log
	Accounts *accounts.Accounts
	Signing  *signing.Signer
	Keys     *auth.Keyring
	Mail     *mail.Mailer // nil: the server sends no e-mail
	Engine   imaging.Engine
	Log      *slog.Logger
}

// Files are the services on one storage.
type Files struct {
	Backend   *storageconfig.Settings
	Gallery   *gallery.Gallery
	Templates *templates.Templates
	Uploads   *uploads.Uploads
	Archives  *archive.Archives
	Shares    *shares.Shares
	Main      storage.Store // Store without its mounts
	Store     storage.Store
	Folder    string // folder of the main storage; empty if that is not a local folder
	Chosen    string // kind of a storage that was chosen with the API; empty: the storage in the settings is used

	place         string
	epoch         *storageconfig.Epoch // nil: the storage is not replaced while the program runs
	started       chan struct{}        // closed when the background work has started
	stop          func()               // stops the background work and waits for its end
	ended         sync.Once
	isReplacement bool
}

// IsReplacement reports whether the server used another storage before. Requests may still change that storage.
func (f *Files) IsReplacement() bool { return f.isReplacement }

// Close closes the storage.
func (f *Files) Close() error { return f.Store.Close() }

// Open opens the storage for a command: the one that was chosen with the API, or else the one in the settings. If
// another storage is chosen later, the command keeps using this one.
func Open(ctx context.Context, c Config, d Deps) (*Files, error) { return open(ctx, c, d, nil) }

// open opens the storage and creates the services. l is nil for a command; otherwise the result may replace the files
// of l.
func open(ctx context.Context, c Config, d Deps, l *Live) (f *Files, err error) {
	f = &Files{started: make(chan struct{}), stop: func() {}}
	where := storageconfig.Config{Policy: c.Policy, Now: c.Now, MayReplace: c.MayReplace}
	if l != nil && !c.Policy.Overridden {
		// Read the epoch before the choice of the storage, so that a change in between ends the epoch.
		if f.epoch, err = storageconfig.ReadEpoch(ctx, d.DB, l.Wake); err != nil {
			return nil, err
		}
		f.isReplacement = l.current.Load() != nil
		where.Epoch, where.Use, where.Problem = f.epoch, l.Use, l.Problem
		d.DB = d.DB.Guarded(f.epoch)
	}
	if err := f.openStorage(ctx, c, d, &where); err != nil {
		return nil, err
	}
	if f.Store, err = c.Mount(ctx, f.Main, where); err != nil {
		return nil, errors.Join(err, f.Main.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if f.isReplacement {
		if err := check(ctx, f.Store); err != nil {
			return nil, err
		}
	}
	return f, f.openRules(ctx, c, d, where)
}

// check returns an error if a storage does not respond.
func check(ctx context.Context, s storage.Store) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return s.Check(ctx)
}

// openStorage opens the storage and completes where. If the access key of a bucket cannot be decrypted, the result is
// an unavailable storage, or an error if it would replace another storage.
func (f *Files) openStorage(ctx context.Context, c Config, d Deps, where *storageconfig.Config) error {
	if f.isReplacement {
		if in, err := storageconfig.ReadChosen(ctx, d.DB, c.Policy, d.Keys); err == nil && in != nil && in.S3 == nil {
			if _, err := os.Stat(in.Folder); errors.Is(err, fs.ErrNotExist) {
				// An empty folder would show an empty gallery.
				return fault.New(fault.Unavailable, "the folder %s does not exist on this server", in.Folder)
			}
		}
	}
	chosen, err := storageconfig.OpenChosen(ctx, d.DB, c.Policy, d.Keys)
	if errors.Is(err, auth.ErrOtherKeys) && !f.isReplacement {
		d.Log.Error("the access key of the bucket was sealed with another key file: files are unavailable until " +
			"keys.json is restored, or the storage is configured again by configureStorage or the setting storage")
		f.Main = storage.NewUnavailable(fault.Wrap(err, fault.Unavailable,
			"the access key of the bucket is lost with the key file: an admin must configure the storage again"))
		where.Kind = "s3"
		return nil
	}
	if err != nil {
		return err
	}
	if chosen != nil {
		f.Main, f.Chosen, where.Kind, where.Place = chosen.Store, chosen.Kind, chosen.Kind, chosen.Place
	} else {
		where.Kind, where.Place = c.DefaultKind, c.DefaultPlace
		f.Main, err = c.Default(ctx)
	}
	f.place = where.Kind + " " + where.Place
	if where.Kind == "file" {
		f.Folder = where.Place
	}
	return err
}

// openRules creates the services.
func (f *Files) openRules(ctx context.Context, c Config, d Deps, where storageconfig.Config) (err error) {
	plain := d.DB.Guarded(nil) // it must be possible to choose a storage after an epoch has ended
	if f.Backend, err = storageconfig.New(where, plain, d.Audit, f.Store, d.Keys); err != nil {
		return err
	}
	// An admin has chosen this storage, so it may be empty.
	c.Gallery.MayBeEmptied = c.Gallery.MayBeEmptied || f.isReplacement
	if f.Gallery, err = gallery.New(c.Gallery, d.DB, d.Audit, d.Signing, f.Store, d.Engine, d.Log); err != nil {
		return err
	}
	if f.Uploads, err = uploads.New(c.Uploads, d.DB, d.Audit, f.Gallery, f.Gallery.Stored, f.Store, d.Log); err != nil {
		return err
	}
	if f.Archives, err = archive.New(c.Archives, plain, d.Accounts, f.Store); err != nil {
		return err
	}
	links := shares.Config{Mail: d.Mail, Now: c.Now, Outbox: c.Gallery.Outbox}
	f.Shares = shares.New(links, d.DB, d.Audit, d.Accounts, d.Keys, d.Signing, f.Gallery)
	if f.Templates, err = templates.New(c.Templates, d.Audit, f.Gallery, d.Signing, f.Store, d.Engine,
		d.Log); err != nil {
		return err
	}
	err = f.Backend.Apply(ctx, func(ctx context.Context, tx *ent.Tx) error {
		return errors.Join(f.Gallery.ReplaceStorage(ctx, tx), f.Uploads.ReplaceStorage(ctx, tx))
	})
	if err != nil {
		return fmt.Errorf("applying the storage settings: %w", err)
	}
	return nil
}
