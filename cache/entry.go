// Package cache stores rendered pictures in tiers: memory, files, and a remote object store. It depends on neither
// image formats nor HTTP. A key includes the versions of all sources, so entries never become stale, only unused.
//
// cache.go looks up and stores entries; memory.go, files.go and objectstore.go are the tiers; entry.go defines the
// stored format; purge.go removes entries; breaker.go skips a failing tier. Other packages use lru and singleflight
// too.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
	"unsafe"

	"github.com/safelight/safelight/fault"
)

// Key identifies a result: a hash of the operations, the versions of the sources, and the engine.
type Key [sha256.Size]byte

// KeyOf returns the key of parts; their order matters.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write(unsafe.Slice(unsafe.StringData(p), len(p)))
	}
	var k Key
	h.Sum(k[:0])
	return k
}

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Warning is a message that the client gets along with the result.
type Warning struct{ Filter, Field, Message string }

// Entry is a result or, if Code is set, a failure. Entries are shared and must not be changed, including Body.
type Entry struct {
	Body          []byte `json:"-"`
	ContentType   string
	Format        string
	Width, Height int // pixels of one frame
	Pages         int
	Warnings      []Warning `json:"Notes"`

	Code    fault.Code // code of a failure; empty for a result
	Field   string
	Message string

	Sources []string  // paths of the source pictures, the main one first, and labels; purges select by them
	Started time.Time `json:"Made"`  // when rendering started
	Expires time.Time `json:"Until"` // zero: never
}

// main returns the path of the main source; empty if there is none.
func (e *Entry) main() string {
	if len(e.Sources) == 0 {
		return ""
	}
	return e.Sources[0]
}

// size estimates the memory of the entry, in bytes.
func (e *Entry) size() int64 {
	n := int64(len(e.Body)) + 512 + int64(len(e.Message)+len(e.ContentType))
	for _, s := range e.Sources {
		n += int64(len(s)) + 16
	}
	for _, w := range e.Warnings {
		n += int64(len(w.Filter)+len(w.Field)+len(w.Message)) + 48
	}
	return n
}

func (e *Entry) expired(now time.Time) bool { return !e.Expires.IsZero() && !now.Before(e.Expires) }

// magic starts every stored entry. A new number turns entries of an older format into misses.
const magic = "safelight result 1\n"

// errDamaged is the only error of decode.
var errDamaged = errors.New("the entry is damaged")

// stored is the JSON header of a stored entry.
type stored struct {
	Key string
	*Entry
}

// encode returns the stored form of an entry: magic, length of header and body, header, body, SHA-256 of everything
// before it.
func encode(k Key, e *Entry) ([]byte, error) {
	header, err := json.Marshal(stored{Key: k.String(), Entry: e})
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(magic)+16+len(header)+len(e.Body)+sha256.Size)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(header)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(e.Body)))
	b = append(b, header...)
	b = append(b, e.Body...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// decode parses the result of encode. It returns errDamaged for a missing, extra or changed byte, and for the entry of
// another key.
func decode(k Key, b []byte) (*Entry, error) {
	n := len(b) - sha256.Size
	if n < 0 {
		return nil, errDamaged
	}
	if sum := sha256.Sum256(b[:n]); !bytes.Equal(sum[:], b[n:]) {
		return nil, errDamaged
	}
	header, bodyAt, err := decodeHeader(b[:n])
	if err != nil || header.Key != k.String() {
		return nil, errDamaged
	}
	header.Body = b[bodyAt:n:n]
	return header.Entry, nil
}

// headerLength returns how many bytes decodeHeader needs; 0 if b does not start with an entry.
func headerLength(b []byte) int {
	if len(b) < len(magic)+16 || string(b[:len(magic)]) != magic {
		return 0
	}
	length := binary.LittleEndian.Uint64(b[len(magic):])
	return len(magic) + 16 + int(min(length, 1<<30))
}

// decodeHeader reads the header from the first bytes of an entry, and returns the offset of the body.
func decodeHeader(b []byte) (header stored, bodyAt int, err error) {
	if len(b) < len(magic)+16 || string(b[:len(magic)]) != magic {
		return header, 0, errDamaged
	}
	length := binary.LittleEndian.Uint64(b[len(magic):])
	start := len(magic) + 16
	if length > uint64(len(b)-start) {
		return header, 0, errDamaged
	}
	bodyAt = start + int(length)
	if json.Unmarshal(b[start:bodyAt], &header) != nil || header.Entry == nil {
		return header, 0, errDamaged
	}
	return header, bodyAt, nil
}
