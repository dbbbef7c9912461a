package hostile

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"sync"
)

func be16(values ...int) []byte { return appended(binary.BigEndian.AppendUint16, values) }
func be32(values ...int) []byte { return appended(binary.BigEndian.AppendUint32, values) }
func le16(values ...int) []byte { return appended(binary.LittleEndian.AppendUint16, values) }
func le32(values ...int) []byte { return appended(binary.LittleEndian.AppendUint32, values) }

func appended[T uint16 | uint32](one func([]byte, T) []byte, values []int) (b []byte) {
	for _, v := range values {
		b = one(b, T(v))
	}
	return b
}

// zeros returns n zero bytes compressed by zlib.
func zeros(n int) []byte { return deflated(n, 0) }

// huge is more bytes than any limit allows.
const huge = 400 << 20

// deflatedOnes caches results of deflated, because compressing is slow.
var deflatedOnes sync.Map

type deflatedKey struct {
	n     int
	value byte
}

// deflated returns n copies of one byte, compressed by zlib. The result must not be changed.
func deflated(n int, value byte) []byte {
	if known, ok := deflatedOnes.Load(deflatedKey{n, value}); ok {
		return known.([]byte)
	}
	b := deflate(n, value)
	deflatedOnes.Store(deflatedKey{n, value}, b)
	return b
}

// deflate computes the result of deflated. All megabytes after the first are compressed to the same bytes, so it
// compresses two and repeats the second. Compressing 400 MB would take minutes under AddressSanitizer.
func deflate(n int, value byte) []byte {
	b := bytes.NewBuffer([]byte{0x78, 0x9c})
	z, err := flate.NewWriter(b, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	block, rest := bytes.Repeat([]byte{value}, 1<<20), n
	var again []byte
	for ; rest > len(block); rest -= len(block) {
		if n-rest >= 2*len(block) {
			b.Write(again)
			continue
		}
		start := b.Len()
		_, _ = z.Write(block) // writing to a buffer cannot fail
		z.Flush()
		again = bytes.Clone(b.Bytes()[start:])
	}
	_, _ = z.Write(block[:rest])
	z.Close()
	const base = 65521 // modulus of Adler-32, here for a single value
	sum, count := int64(n)%base*int64(value), int64(n)%(2*base)
	low, high := (1+sum)%base, (count+count*(count+1)/2%base*int64(value))%base
	return binary.BigEndian.AppendUint32(b.Bytes(), uint32(high<<16|low))
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // writing to a buffer cannot fail
	z.Close()
	return b.Bytes()
}

// compressed returns data compressed by zlib.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data) // writing to a buffer cannot fail
	z.Close()
	return b.Bytes()
}
