package shares

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"

	"github.com/safelight/safelight/gallery"
)

// Visitors get ids and cursors that reveal nothing. The id of a row would reveal how many files the library
// has had, and two ids how many files others added in between. An unencrypted cursor contains the sort key of
// a list: the capture time, the rating or the size, which visitors may not see, and which they could find out
// for every picture with forged cursors.

// ID returns the id of a picture for visitors of this link. It is the id of the picture's row, encrypted with
// a key of the link, so that it stays the same across visits.
func (v *Visitor) ID(f *gallery.File) string {
	block := v.idCiphers()[0]
	var id [aes.BlockSize]byte
	binary.BigEndian.PutUint64(id[aes.BlockSize-8:], uint64(f.EntryID()))
	block.Encrypt(id[:], id[:])
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// entryOf decrypts an id that ID returned for this link.
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

// idCiphers returns the ciphers of ids. The first one is the current one.
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

// Cursor encrypts the cursor of a page for visitors. An empty cursor stays empty.
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

// After decrypts a cursor of Cursor. An empty cursor stays empty. It returns fault.Invalid for any other
// text.
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
