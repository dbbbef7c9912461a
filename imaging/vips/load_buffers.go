package vips

import (
	"math/bits"
	"sync"
)

// Sizes of the buffers that are kept between jobs, as powers of two.
const (
	minBuffer = 16 // 64 KiB
	maxBuffer = 24 // 16 MiB
)

// buffers keeps what sources are read into from one job to the next: a fresh one has to be cleared and
// paged in, and waits for the garbage collector afterwards.
type buffers [maxBuffer - minBuffer + 1]sync.Pool

// class is the exponent of the smallest power of two that holds size bytes.
func class(size int64) int { return max(bits.Len64(uint64(max(size, 1)-1)), minBuffer) }

// get returns an empty slice with room for that many bytes at least.
func (b *buffers) get(size int64) []byte {
	n := class(size)
	if n > maxBuffer {
		return make([]byte, 0, size)
	}
	if p, ok := b[n-minBuffer].Get().(*[]byte); ok {
		return (*p)[:0]
	}
	return make([]byte, 0, 1<<n)
}

// put takes back what get returned, and nothing else. Nobody may look at it afterwards.
func (b *buffers) put(data []byte) {
	n := class(int64(cap(data)))
	if n > maxBuffer || cap(data) != 1<<n {
		return
	}
	data = data[:0]
	b[n-minBuffer].Put(&data)
}
