package imaging

import (
	"bytes"
	"io"
)

// MemoryFile is a file in memory as the Reader of a Source. Engines use the bytes where they are.
type MemoryFile struct {
	*bytes.Reader
	data []byte
}

// NewMemoryFile returns a file of data, which must not be changed while it is in use.
func NewMemoryFile(data []byte) MemoryFile { return MemoryFile{bytes.NewReader(data), data} }

// Bytes returns all of the file, which must not be changed.
func (m MemoryFile) Bytes() []byte { return m.data }

// BytesOf returns all that a reader with Bytes() []byte has, which must not be changed; ok is false for other readers.
func BytesOf(r io.Reader) (data []byte, ok bool) {
	m, ok := r.(interface{ Bytes() []byte })
	if !ok {
		return nil, false
	}
	return m.Bytes(), true
}
