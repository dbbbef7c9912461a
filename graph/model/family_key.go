package model

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/imaging"
)

// FamilyKey is a key that signs families of URLs.
type FamilyKey struct {
	ID             string // opaque
	Name           string
	SignerType     imaging.SignerType
	SignerTruncate int32
	CreatedAt      time.Time
	RevokedAt      *time.Time // nil: active
}

// familyKeyID is the prefix of ids before they are encoded.
const familyKeyID = "FamilyKey:"

// NewFamilyKey converts a key from the database to the format of the API. It returns nil for nil.
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

// ParseFamilyKeyID returns the name of the family key with an id. ok is false for other ids.
func ParseFamilyKeyID(id string) (name string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	name, ok = strings.CutPrefix(string(text), familyKeyID)
	return name, ok && err == nil
}

// IsNode implements the interface Node of the API.
func (*FamilyKey) IsNode() {}
