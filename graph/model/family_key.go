package model

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/imaging"
)

// FamilyKey is a key that signs families.
type FamilyKey struct {
	ID             string // opaque
	Name           string
	SignerType     imaging.SignerType
	SignerTruncate int32
	CreatedAt      time.Time
	RevokedAt      *time.Time // nil: active
}

// familyKeyID is the prefix of ids, before their encoding.
const familyKeyID = "FamilyKey:"

// NewFamilyKey returns a key of the database in the form of the API; nil for nil.
func NewFamilyKey(k *ent.SigningKey) *FamilyKey {
	if k == nil {
		return nil
	}
	return &FamilyKey{
		ID:             base64.RawURLEncoding.EncodeToString([]byte(familyKeyID + k.ID)),
		Name:           k.ID,
		SignerType:     imaging.SignerType(k.SignerType),
		SignerTruncate: int32(k.SignerTruncate),
		CreatedAt:      k.CreatedAt,
		RevokedAt:      k.RevokedAt,
	}
}

// ParseFamilyKeyID returns the name of the family key with that id; ok is false for ids of anything else.
func ParseFamilyKeyID(id string) (name string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	name, ok = strings.CutPrefix(string(text), familyKeyID)
	return name, ok && err == nil
}

// IsNode marks what node returns.
func (*FamilyKey) IsNode() {}
