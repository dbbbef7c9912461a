package hostile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"sync"
)

func be16(values ...int) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func be32(values ...int) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func le16(values ...int) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func le32(values ...int) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// zeros is n zero bytes, compressed by zlib.
func zeros(n int) []byte { return deflated(n, 0) }

// huge is more bytes than any limit lets through.
const huge = 400 << 20

// deflatedOnes holds what deflated has made: compressing is slow.
var deflatedOnes sync.Map

type deflatedKey struct {
	n     int
	value byte
}

// deflated is one byte n times, compressed by zlib. Nobody may change the result.
func deflated(n int, value byte) []byte {
	if known, ok := deflatedOnes.Load(deflatedKey{n, value}); ok {
		return known.([]byte)
	}
	b := deflate(n, value)
	deflatedOnes.Store(deflatedKey{n, value}, b)
	return b
}

func deflate(n int, value byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	block := bytes.Repeat([]byte{value}, 1<<20)
	for ; n > 0; n -= len(block) {
		_, _ = z.Write(block[:min(n, len(block))]) // a buffer takes everything
	}
	z.Close()
	return b.Bytes()
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // a buffer takes everything
	z.Close()
	return b.Bytes()
}

// compressed is data, compressed by zlib.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data) // a buffer takes everything
	z.Close()
	return b.Bytes()
}
