package cache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"path/filepath"
)

// The log in the folder of the files tier has a record of the size and the sources of each entry that was written. A start
// reads it instead of the head of each file. It is never needed: what it lacks is read from the files.
const (
	logName  = "index.log"
	logSlack = 1000 // records without an entry, or entries without a record, that do not matter
)

// logged is what the log says of an entry.
type logged struct {
	size    int64
	sources []string
}

// logContent is the content of the log.
type logContent struct {
	entries map[Key]logged
	records int
	damaged bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord appends a record: a CRC-32C and the length of the rest, the key, the size, and the sources, each with its
// length.
func appendRecord(b []byte, k Key, size int64, sources []string) []byte {
	start := len(b)
	b = append(b, make([]byte, 8)...)
	b = append(b, k[:]...)
	b = binary.AppendUvarint(b, uint64(size))
	for _, s := range sources {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	rest := b[start+8:]
	binary.LittleEndian.PutUint32(b[start:], crc32.Checksum(rest, castagnoli))
	binary.LittleEndian.PutUint32(b[start+4:], uint32(len(rest)))
	return b
}

// readLog reads the log up to the first damaged record, which a crash or a full disk leaves.
func (f *files) readLog() logContent {
	b, err := f.fs.ReadFile(filepath.Join(f.folder, logName))
	c := logContent{entries: map[Key]logged{}, damaged: err != nil && !errors.Is(err, fs.ErrNotExist)}
	shared := map[string][]string{} // pictures have many results
	for len(b) > 0 {
		if len(b) < 8 {
			c.damaged = true
			return c
		}
		sum, length := binary.LittleEndian.Uint32(b), uint64(binary.LittleEndian.Uint32(b[4:]))
		if b = b[8:]; length > uint64(len(b)) || crc32.Checksum(b[:length], castagnoli) != sum || !c.add(b[:length], shared) {
			c.damaged = true
			return c
		}
		b = b[length:]
	}
	return c
}

// add parses a record without its CRC and length; false if it is malformed.
func (c *logContent) add(b []byte, shared map[string][]string) bool {
	var k Key
	if len(b) < len(k) {
		return false
	}
	copy(k[:], b)
	size, n := binary.Uvarint(b[len(k):])
	if n <= 0 {
		return false
	}
	b = b[len(k)+n:]
	sources, ok := shared[string(b)]
	if !ok {
		for rest := b; len(rest) > 0; {
			length, n := binary.Uvarint(rest)
			if n <= 0 || length > uint64(len(rest)-n) {
				return false
			}
			sources = append(sources, string(rest[n:n+int(length)]))
			rest = rest[n+int(length):]
		}
		shared[string(b)] = sources
	}
	c.records++
	c.entries[k] = logged{int64(size), sources}
	return true
}

// logEntry adds an entry to the log, which it rewrites when most of its records are of evicted entries. A failure costs time
// at the next start.
func (f *files) logEntry(k Key, size int64, sources []string) {
	f.logging.Lock()
	defer f.logging.Unlock()
	_ = f.fs.Append(filepath.Join(f.folder, logName), appendRecord(nil, k, size, sources))
	f.records++
	select {
	case <-f.scanned:
	default:
		return // the index lacks entries of earlier runs
	}
	if n, _ := f.index.sum(); f.records > 2*n+logSlack {
		f.rewriteLog()
	}
}

// rewriteLog replaces the log by one of the entries that exist. The caller holds logging.
func (f *files) rewriteLog() {
	var b []byte
	f.records = 0
	for _, e := range f.index.list() {
		b = appendRecord(b, e.key, e.size, e.sources)
		f.records++
	}
	_ = f.write(filepath.Join(f.folder, logName), b)
}
