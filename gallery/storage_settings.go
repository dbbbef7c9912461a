package gallery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/storagesettings"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// probeTimeout bounds the test of a storage.
const probeTimeout = 20 * time.Second

// StorageInput names a storage: a folder, or a bucket when S3 is not nil.
type StorageInput struct {
	Folder string
	S3     *storage.S3Config // without Control. Keys that are empty are those that are stored for the same bucket and endpoint
}

// S3Parts name a bucket and its keys.
type S3Parts = storage.S3Config

// S3Input names a bucket.
func S3Input(p S3Parts) StorageInput { return StorageInput{S3: &p} }

// StorageReason returns the code with which a storage refused; empty when it gave none.
func StorageReason(err error) string { return storage.Reason(err) }

// kind returns the storage's kind.
func (in StorageInput) kind() storagesettings.Kind {
	if in.S3 != nil {
		return storagesettings.KindS3
	}
	return storagesettings.KindFile
}

// facts are what the audit log says of a storage.
func (in StorageInput) facts() facts {
	if in.S3 == nil {
		return facts{"type": "file", "baseDir": in.Folder}
	}
	c := in.S3
	return facts{"type": "s3", "bucket": c.Bucket, "baseDir": c.Prefix, "region": c.Region, "endpoint": c.Endpoint, "forcePathStyle": c.PathStyle, "accessKeyId": c.AccessKeyID}
}

// ConfiguredStorage is the storage that an admin has chosen.
type ConfiguredStorage struct {
	Store storage.Store
	Kind  string // "file" or "s3"
	Place string // folder or bucket
}

// OpenConfiguredStorage opens the storage that an admin has chosen, before there is a gallery; nil when nobody
// has chosen one or the operator decides. It returns an error when it is not what the operator allows (any
// more) or its keys cannot be unsealed.
func OpenConfiguredStorage(ctx context.Context, db *ent.Client, p StoragePolicy, keys *auth.Keyring) (*ConfiguredStorage, error) {
	in, err := ChosenStorage(ctx, db, p, keys)
	if err != nil || in == nil {
		return nil, err
	}
	store, err := p.open(ctx, *in)
	if err != nil {
		return nil, fmt.Errorf("opening the storage that was configured by the API (the setting storage overrides it): %w", err)
	}
	place := in.Folder
	if in.S3 != nil {
		place = in.S3.Bucket
	}
	return &ConfiguredStorage{Store: store, Kind: string(in.kind()), Place: place}, nil
}

// ChosenStorage returns what an admin has chosen, secrets unsealed, and opens nothing; nil as for
// OpenConfiguredStorage. Without keys a bucket is an error.
func ChosenStorage(ctx context.Context, db *ent.Client, p StoragePolicy, keys *auth.Keyring) (*StorageInput, error) {
	if p.Overridden {
		return nil, nil
	}
	row, err := db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the storage settings: %w", err)
	}
	in, err := stored(row, keys)
	if err != nil {
		return nil, fmt.Errorf("reading the storage settings: %w", err)
	}
	return &in, nil
}

// stored returns what a row says, secrets unsealed.
func stored(row *ent.StorageSettings, keys *auth.Keyring) (StorageInput, error) {
	if row.Kind == storagesettings.KindFile {
		return StorageInput{Folder: row.Folder}, nil
	}
	if keys == nil {
		return StorageInput{}, errors.New("there is no key file to unseal the bucket's keys with, or others can read it")
	}
	c := &storage.S3Config{Bucket: row.Bucket, Prefix: row.Prefix, Region: row.Region, Endpoint: row.Endpoint, PathStyle: row.PathStyle, AccessKeyID: row.AccessKeyID}
	var err error
	if c.SecretAccessKey, err = keys.Unseal(row.SecretAccessKey); err != nil {
		return StorageInput{}, err
	}
	if row.SessionToken != "" {
		c.SessionToken, err = keys.Unseal(row.SessionToken)
	}
	return StorageInput{S3: c}, err
}

// open checks and opens a storage.
func (p StoragePolicy) open(ctx context.Context, in StorageInput) (storage.Store, error) {
	if in.S3 == nil {
		dir, err := p.folder(in.Folder)
		if err != nil {
			return nil, err
		}
		return storage.OpenLocal(dir)
	}
	if err := checkS3(*in.S3); err != nil {
		return nil, err
	}
	c := *in.S3
	c.Control = p.Control
	return storage.OpenS3(ctx, c)
}

// TestStorage writes, reads and deletes an object in a storage, which it makes where it is a folder that is
// missing. It needs admin scope, and returns what is wrong.
func (g *Gallery) TestStorage(ctx context.Context, in StorageInput) error {
	in, err := g.withStoredKeys(ctx, in)
	if err != nil {
		return err
	}
	err = g.probe(ctx, in)
	told := in.facts()
	told["works"] = err == nil
	g.recordDone(ctx, event{action: ActionStorageTest, target: "storage", after: told})
	return err
}

func (g *Gallery) probe(ctx context.Context, in StorageInput) error {
	if g.config.Storage.Overridden {
		return fault.New(fault.Conflict, "the storage is configured by flag or environment, change it there")
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	store, err := g.config.Storage.open(ctx, in)
	if err != nil {
		if fault.CodeOf(err) == fault.Internal {
			return fault.Wrap(err, fault.Invalid, "the storage cannot be opened")
		}
		return err
	}
	defer store.Close()
	return storage.Probe(ctx, store)
}

// withStoredKeys fills in the keys that were left out.
func (g *Gallery) withStoredKeys(ctx context.Context, in StorageInput) (StorageInput, error) {
	if in.S3 == nil || in.S3.SecretAccessKey != "" {
		return in, nil
	}
	row, err := g.db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return in, nil
	}
	if err != nil {
		return in, translate(err)
	}
	c := *in.S3
	if row.Kind != storagesettings.KindS3 || row.Bucket != c.Bucket || row.Endpoint != c.Endpoint || c.AccessKeyID != "" && c.AccessKeyID != row.AccessKeyID {
		return in, nil
	}
	before, err := stored(row, g.keys)
	if err != nil {
		return in, err
	}
	c.AccessKeyID, c.SecretAccessKey, c.SessionToken = before.S3.AccessKeyID, before.S3.SecretAccessKey, before.S3.SessionToken
	return StorageInput{S3: &c}, nil
}

// ConfigureStorage tests a storage as TestStorage does and keeps it for the next start, S3's keys sealed.
// fault.Conflict when flags or environment decide; what TestStorage says of one that does not work, which is
// not kept.
func (g *Gallery) ConfigureStorage(ctx context.Context, in StorageInput) error {
	in, err := g.withStoredKeys(ctx, in)
	if err != nil {
		return err
	}
	if err := g.probe(ctx, in); err != nil {
		return err
	}
	c := storage.S3Config{}
	if in.S3 != nil {
		c = *in.S3
	}
	secret, err := g.sealed(c.SecretAccessKey)
	if err != nil {
		return err
	}
	session, err := g.sealed(c.SessionToken)
	if err != nil {
		return err
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		var before facts
		if row, err := tx.StorageSettings.Get(ctx, settingsID); err == nil {
			old, err := stored(row, g.keys)
			if err == nil { // who lost the key file must be able to say it anew
				before = old.facts()
			}
		} else if !ent.IsNotFound(err) {
			return err
		}
		if _, err := tx.StorageSettings.Delete().Exec(ctx); err != nil {
			return err
		}
		err := tx.StorageSettings.Create().SetID(settingsID).SetKind(in.kind()).SetFolder(in.Folder).SetBucket(c.Bucket).SetPrefix(c.Prefix).SetRegion(c.Region).
			SetEndpoint(c.Endpoint).SetPathStyle(c.PathStyle).SetAccessKeyID(c.AccessKeyID).SetSecretAccessKey(secret).SetSessionToken(session).
			SetUpdatedAt(g.config.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionStorage, target: "storage", before: before, after: in.facts()})
	})
}

// sealed seals a secret; the empty one stays.
func (g *Gallery) sealed(secret string) (string, error) {
	if secret == "" {
		return "", nil
	}
	return g.keys.Seal(secret)
}

// applyStorage lets the index forget what it knew of another storage, at the first start with a new one.
func (g *Gallery) applyStorage(ctx context.Context) error {
	if g.config.Storage.Overridden {
		return nil
	}
	return g.tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.StorageSettings.Update().Where(storagesettings.ID(settingsID), storagesettings.AppliedAtIsNil()).SetAppliedAt(g.config.Now()).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		return g.distrust(ctx, tx.Client(), "")
	})
}

// pendingStorage returns when an admin last chose a storage, and whether a start is needed for it; the zero
// time when nobody has.
func (g *Gallery) pendingStorage(ctx context.Context) (updated time.Time, pending bool, err error) {
	if g.config.Storage.Overridden {
		return time.Time{}, false, nil
	}
	row, err := g.db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, translate(err)
	}
	return row.UpdatedAt, row.AppliedAt == nil, nil
}
