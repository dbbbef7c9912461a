package shares

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"

	"github.com/safelight/safelight/gallery"
)

// Visitors get ids and cursors that tell them nothing. The number of a row says how many files the library has had, and
// two of them how many others added in between. A cursor holds what a list is sorted by: the capture time, the rating
// or the size, which visitors do not see otherwise, and which they could find for every picture with cursors of their
// own.

// ID returns the id of a picture for visitors of this link: the number of its row, encrypted with a key of the link, so
// that it stays the same from visit to visit.
func (v *Visitor) ID(f *gallery.File) string {
	block := v.idCiphers()[0]
	var id [aes.BlockSize]byte
	binary.BigEndian.PutUint64(id[aes.BlockSize-8:], uint64(f.EntryID()))
	block.Encrypt(id[:], id[:])
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// entryOf returns the row of an id that ID returned for this link.
func (v *Visitor) entryOf(id string) (entry int, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(data) != aes.BlockSize {
		return 0, false
	}
	var plain [aes.BlockSize]byte
	for _, block := range v.idCiphers() {
		block.Decrypt(plain[:], data)
		number := binary.BigEndian.Uint64(plain[aes.BlockSize-8:])
		if binary.BigEndian.Uint64(plain[:]) == 0 && number < 1<<62 {
			return int(number), true
		}
	}
	return 0, false
}

// idCiphers returns what encrypts ids: the first one is the current one.
func (v *Visitor) idCiphers() []cipher.Block {
	var list []cipher.Block
	for _, key := range v.shares.keys.Derive("pictures of the link " + v.Share.ID.String()) {
		block, err := aes.NewCipher([]byte(key))
		if err != nil {
			panic(err) // derived keys have 32 bytes
		}
		list = append(list, block)
	}
	return list
}

func (v *Visitor) cursorPurpose() string { return "cursors of the link " + v.Share.ID.String() }

// Cursor returns the cursor of a page as visitors get it; empty for an empty one.
func (v *Visitor) Cursor(next string) (string, error) {
	if next == "" {
		return "", nil
	}
	sealed, err := v.shares.keys.SealShared(v.cursorPurpose(), next)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString([]byte(sealed)), nil
}

// After returns the cursor of which Cursor made this one; empty for an empty one. fault.Invalid for any other.
func (v *Visitor) After(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", errCursor()
	}
	after, err := v.shares.keys.UnsealShared(v.cursorPurpose(), string(sealed))
	if err != nil {
		return "", errCursor()
	}
	return after, nil
}
