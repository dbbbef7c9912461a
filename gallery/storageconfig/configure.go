package storageconfig

import (
	"context"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/storagesettings"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// probeTimeout is the maximum duration of a storage test.
const probeTimeout = 20 * time.Second

// TestStorage writes, reads and deletes an object in a storage. It creates a missing folder. It returns the
// error of a failed test, and fault.Conflict if flags or environment variables determine the storage.
func (s *Settings) TestStorage(ctx context.Context, in Input) error {
	in, err := s.withStoredKeys(ctx, in)
	if err != nil {
		return err
	}
	err = s.probe(ctx, in)
	facts := in.facts()
	facts["works"] = err == nil
	s.audit.RecordDone(ctx, audit.Event{Action: audit.ActionStorageTest, Target: "storage", After: facts})
	return err
}

func (s *Settings) probe(ctx context.Context, in Input) error {
	if s.config.Policy.Overridden {
		return fault.New(fault.Conflict, "the storage is configured by flag or environment, change it there")
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	store, err := s.config.Policy.open(ctx, in)
	if err != nil {
		if fault.CodeOf(err) == fault.Internal {
			return fault.Wrap(err, fault.Invalid, "the storage cannot be opened")
		}
		return err
	}
	defer store.Close()
	return storage.Probe(ctx, store)
}

// withStoredKeys replaces empty keys by the stored keys of the same bucket and endpoint.
func (s *Settings) withStoredKeys(ctx context.Context, in Input) (Input, error) {
	if in.S3 == nil || in.S3.SecretAccessKey != "" {
		return in, nil
	}
	row, err := s.db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return in, nil
	}
	if err != nil {
		return in, database.Translate(err)
	}
	c := *in.S3
	if row.Kind != storagesettings.KindS3 || row.Bucket != c.Bucket || row.Endpoint != c.Endpoint ||
		c.AccessKeyID != "" && c.AccessKeyID != row.AccessKeyID {
		return in, nil
	}
	before, err := stored(row, s.keys)
	if err != nil {
		return in, err
	}
	c.AccessKeyID, c.SecretAccessKey = before.S3.AccessKeyID, before.S3.SecretAccessKey
	c.SessionToken = before.S3.SessionToken
	return Input{S3: &c}, nil
}

// ConfigureStorage tests a storage as TestStorage does. If the test fails, it returns the error. Otherwise it
// stores the choice, with encrypted S3 keys. From then on no server writes to the previous storage, except
// for changes in progress. Use makes this server switch to the new storage.
func (s *Settings) ConfigureStorage(ctx context.Context, in Input) error {
	in, err := s.withStoredKeys(ctx, in)
	if err != nil {
		return err
	}
	if err := s.probe(ctx, in); err != nil {
		return err
	}
	if s.config.MayReplace != nil && !s.uses(in) {
		if err := s.config.MayReplace(ctx); err != nil {
			return err
		}
	}
	c := storage.S3Config{}
	if in.S3 != nil {
		c = *in.S3
	}
	secret, err := s.sealed(c.SecretAccessKey)
	if err != nil {
		return err
	}
	session, err := s.sealed(c.SessionToken)
	if err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := s.db.LockNames(ctx, tx.Client(), "storage settings"); err != nil {
			return err
		}
		row, err := tx.StorageSettings.Get(ctx, settingsID)
		if ent.IsNotFound(err) {
			row, err = nil, nil
		}
		if err != nil {
			return err
		}
		applied, err := s.applied(ctx, tx, row, in)
		if err != nil {
			return err
		}
		if _, err := tx.StorageSettings.Delete().Exec(ctx); err != nil {
			return err
		}
		err = tx.StorageSettings.Create().SetID(settingsID).
			SetKind(in.kind()).SetFolder(in.Folder).
			SetBucket(c.Bucket).SetPrefix(c.Prefix).SetRegion(c.Region).
			SetEndpoint(c.Endpoint).SetPathStyle(c.PathStyle).
			SetAccessKeyID(c.AccessKeyID).SetSecretAccessKey(secret).SetSessionToken(session).
			SetUpdatedAt(s.config.Now()).SetAppliedAt(applied).
			Exec(ctx)
		if err != nil {
			return err
		}
		var before audit.Facts
		if row != nil {
			before = place(row).facts()
		}
		return s.audit.Record(
			ctx, tx,
			audit.Event{Action: audit.ActionStorage, Target: "storage", Before: before, After: in.facts()},
		)
	})
}

// applied replaces the storage of row (nil: no row) by in, unless both have the same files. It returns the
// time when the storage came into use, which is a new time if the storage was replaced.
func (s *Settings) applied(ctx context.Context, tx *ent.Tx, row *ent.StorageSettings, in Input) (time.Time, error) {
	now, before := s.config.Now(), Input{Folder: s.config.Policy.Default}
	if row != nil {
		before = place(row)
		if row.AppliedAt != nil {
			if samePlace(before, in) {
				return *row.AppliedAt, nil
			}
			if !now.After(*row.AppliedAt) { // on SQLite the time is the epoch, so it must increase
				now = row.AppliedAt.Add(time.Microsecond)
			}
		}
	} else if samePlace(before, in) {
		return time.Unix(0, 0).UTC(), nil // the same as without a choice: the epoch does not change
	}
	return now, s.replace(ctx, tx)
}

// sealed encrypts a secret. An empty secret stays empty.
func (s *Settings) sealed(secret string) (string, error) {
	if secret == "" {
		return "", nil
	}
	return s.keys.Seal(secret)
}
