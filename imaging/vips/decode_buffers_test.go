package vips

import "testing"

func TestBuffersHaveRoom(t *testing.T) {
	var b buffers
	for _, size := range []int64{-1, 0, 1, 1 << 16, 1<<16 + 1, 5 << 20, 1 << 24, 1<<24 + 1} {
		for range 3 {
			data := b.get(size)
			if len(data) != 0 || int64(cap(data)) < size {
				t.Errorf("get(%d): %d of %d bytes, expected none used and room for all", size, len(data), cap(data))
			}
			b.put(append(data, 1))
		}
	}
	b.put(make([]byte, 70_000)) // not from get: one of an odd size must not come back as a whole class
	if got := cap(b.get(100_000)); got < 100_000 {
		t.Errorf("room for %d bytes, expected 100000", got)
	}
}
