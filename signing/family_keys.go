package signing

import (
	"context"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/signingkey"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

// maxFamilyKeys is the max number of keys, including revoked ones. Every server holds the active keys in memory.
const maxFamilyKeys = 1000

// FamilyKeys returns all keys that sign families, newest first.
func (s *Signer) FamilyKeys(ctx context.Context) ([]*ent.SigningKey, error) {
	return s.db.SigningKey.Query().Order(ent.Desc(signingkey.FieldCreatedAt), ent.Desc(signingkey.FieldID)).All(ctx)
}

// FamilyKey returns the key with the given id; fault.NotFound if it does not exist.
func (s *Signer) FamilyKey(ctx context.Context, id string) (*ent.SigningKey, error) {
	k, err := s.db.SigningKey.Get(ctx, id)
	if err != nil {
		return nil, database.Missing(err, "the family key", "id")
	}
	return k, nil
}

func (s *Signer) activeKeys(ctx context.Context) ([]*ent.SigningKey, error) {
	return s.db.SigningKey.Query().Where(signingkey.RevokedAtIsNil()).All(ctx)
}

// CreateFamilyKey creates a key that signs families with the processor's current settings, and returns its secret,
// which cannot be read later. It returns fault.Invalid for a malformed id, and fault.Conflict for an id that has been
// used before and for too many keys.
func (s *Signer) CreateFamilyKey(ctx context.Context, id string) (key *ent.SigningKey, secret string, err error) {
	if !family.IsKeyID(id) {
		return nil, "", fault.OnField(
			fault.Invalid, "id", "the id is %s, expected 1 to 32 of A-Z, a-z, 0-9, - and _", fault.Quote(id),
		)
	}
	status, err := s.ProcessorStatus(ctx)
	if err != nil {
		return nil, "", err
	}
	secret = newSecret()
	sealed, err := s.keyring.Seal(secret)
	if err != nil {
		return nil, "", err
	}
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := checkNewKey(ctx, tx, id); err != nil {
			return err
		}
		key, err = tx.SigningKey.Create().
			SetID(id).
			SetSecret(sealed).
			SetSignerType(signingkey.SignerType(status.SignerType)).
			SetSignerTruncate(status.SignerTruncate).
			SetCreatedAt(s.config.Now()).
			Save(ctx)
		if ent.IsConstraintError(err) {
			return usedKey(id)
		}
		if err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionFamilyKeyCreate,
			Target: keyTarget(id),
			After:  signerFacts(imaging.SignerConfig{Type: status.SignerType, Truncate: status.SignerTruncate}),
		})
	})
	if err != nil {
		return nil, "", err
	}
	return key, secret, s.Reload(ctx)
}

func checkNewKey(ctx context.Context, tx *ent.Tx, id string) error {
	if n, err := tx.SigningKey.Query().Count(ctx); err != nil {
		return err
	} else if n >= maxFamilyKeys {
		return fault.New(
			fault.Conflict, "there are %d family keys, revoked ones included, expected at most %d", n, maxFamilyKeys,
		)
	}
	if used, err := tx.SigningKey.Query().Where(signingkey.ID(id)).Exist(ctx); err != nil {
		return err
	} else if used {
		return usedKey(id)
	}
	return nil
}

func usedKey(id string) error {
	return fault.OnField(
		fault.Conflict, "id", "the id %s is or was that of a family key, expected another one",
		fault.Quote(id),
	)
}

func keyTarget(id string) string { return "family-key:" + id }

// RevokeFamilyKey revokes a key. This server rejects the key's URLs as soon as RevokeFamilyKey returns; other servers
// do once they receive the notice. It returns fault.NotFound if there is no such key; revoking a key twice changes
// nothing.
func (s *Signer) RevokeFamilyKey(ctx context.Context, id string) (key *ent.SigningKey, err error) {
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		n, err := tx.SigningKey.Update().
			Where(signingkey.ID(id), signingkey.RevokedAtIsNil()).
			SetRevokedAt(s.config.Now()).
			Save(ctx)
		if err != nil {
			return err
		}
		if key, err = tx.SigningKey.Get(ctx, id); err != nil {
			return database.Missing(err, "the family key", "id")
		}
		if n == 0 {
			return nil
		}
		return s.audit.Record(ctx, tx, audit.Event{Action: audit.ActionFamilyKeyRevoke, Target: keyTarget(id)})
	})
	if err != nil {
		return nil, err
	}
	s.forget(id)
	return key, nil
}

// forget removes a key from memory, so that the revocation takes effect even if the database does not respond.
func (s *Signer) forget(id string) {
	s.loading.Lock()
	defer s.loading.Unlock()
	kept := map[string]*imaging.Signer{}
	for other, signer := range *s.families.Load() {
		if other != id {
			kept[other] = signer
		}
	}
	s.families.Store(&kept)
}
