// Package cache keeps finished pictures in tiers: memory, files, and a place far away. It knows neither
// pictures nor HTTP: entries have keys that name a result and the version of all that it was made of, so
// that an entry is never stale, only unused.
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

// Key names a result: a hash of what was done, to which versions of which sources, by which engine.
type Key [sha256.Size]byte

// KeyOf returns the key of what the parts say, in their order.
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

// Note is something that the client is told beside the result.
type Note struct{ Filter, Field, Message string }

// Entry is a result, or, with a Code, a failure. It is shared: nobody may change it, Body included.
type Entry struct {
	Body          []byte `json:"-"`
	ContentType   string
	Format        string
	Width, Height int // pixels of one frame
	Pages         int
	Notes         []Note

	Code    fault.Code // of a failure; empty for a result
	Field   string
	Message string

	Sources []string  // paths of the pictures that it was made of, the main one first
	Made    time.Time // when the work on it began
	Until   time.Time // when it ends; zero is never
}

// main returns the path of the main picture; empty when there is none.
func (e *Entry) main() string {
	if len(e.Sources) == 0 {
		return ""
	}
	return e.Sources[0]
}

// size is about how many bytes of memory the entry takes.
func (e *Entry) size() int64 {
	n := int64(len(e.Body)) + 512 + int64(len(e.Message)+len(e.ContentType))
	for _, s := range e.Sources {
		n += int64(len(s)) + 16
	}
	for _, w := range e.Notes {
		n += int64(len(w.Filter)+len(w.Field)+len(w.Message)) + 48
	}
	return n
}

func (e *Entry) expired(now time.Time) bool { return !e.Until.IsZero() && !now.Before(e.Until) }

// magic begins every stored entry; another number makes those of an older layout misses.
const magic = "safelight result 1\n"

// errDamaged is the one error of decode.
var errDamaged = errors.New("the entry is damaged")

// stored is the head of a stored entry.
type stored struct {
	Key string
	*Entry
}

// encode returns the bytes of an entry: magic, length of head and body, head, body, SHA-256 of all before.
func encode(k Key, e *Entry) ([]byte, error) {
	head, err := json.Marshal(stored{Key: k.String(), Entry: e})
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(magic)+16+len(head)+len(e.Body)+sha256.Size)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(head)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(e.Body)))
	b = append(b, head...)
	b = append(b, e.Body...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// decode reads what encode wrote, and nothing else: a byte too few, too many or changed is errDamaged, and
// so is the entry of another key.
func decode(k Key, b []byte) (*Entry, error) {
	n := len(b) - sha256.Size
	if n < len(magic)+16 {
		return nil, errDamaged
	}
	if sum := sha256.Sum256(b[:n]); !bytes.Equal(sum[:], b[n:]) {
		return nil, errDamaged
	}
	head, bodyAt, err := decodeHead(b[:n])
	if err != nil || head.Key != k.String() {
		return nil, errDamaged
	}
	head.Body = b[bodyAt:n:n]
	return head.Entry, nil
}

// decodeHead reads the head of an entry from its first bytes, and tells where the body begins.
func decodeHead(b []byte) (head stored, bodyAt int, err error) {
	if len(b) < len(magic)+16 || string(b[:len(magic)]) != magic {
		return head, 0, errDamaged
	}
	length := binary.LittleEndian.Uint64(b[len(magic):])
	start := len(magic) + 16
	if length > uint64(len(b)-start) {
		return head, 0, errDamaged
	}
	bodyAt = start + int(length)
	if json.Unmarshal(b[start:bodyAt], &head) != nil || head.Entry == nil {
		return head, 0, errDamaged
	}
	return head, bodyAt, nil
}
