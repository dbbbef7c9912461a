package vips

import (
	"bytes"
	"compress/flate"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// endlessPNG is a gray picture of that side whose compressed data go on after the last row, as far as its size
// explains: it inflates to some hundred times its pixels. texts is how many texts stand before them; more than a few
// are left out for the decoder.
func endlessPNG(t *testing.T, side uint32, texts int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	block := func() []byte { // a megabyte of zeros, which ends with a byte
		start := b.Len()
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(b.Bytes()[start:])
	}
	first, more := block(), block()
	pixels := append([]byte{0x78, 0x9c}, first...)
	pixels = append(pixels, bytes.Repeat(more, (int(side*side)-len(pixels))/len(more))...)
	file := bytes.Join(
		[][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(sides32(side, side), 8, 0, 0, 0, 0))},
		nil,
	)
	file = append(file, bytes.Repeat(pngChunk("tEXt", []byte("a\x00b")), texts)...)
	return append(append(file, pngChunk("IDAT", pixels)...), pngChunk("IEND", nil)...)
}

// TestDeadlineEndsInflating checks that a PNG whose data do not end with its pixels ends with the job: libpng 1.6.39
// inflates all of them after the last row. That of Debian 13 ends there, and may have made the picture by then.
func TestDeadlineEndsInflating(t *testing.T) {
	e := open(t)
	yardstick := yardstickOf(t, e)
	for _, texts := range []int{0, 100} {
		data := endlessPNG(t, 3_000, texts)
		limits := imaging.DefaultLimits()
		limits.Timeout = 200 * time.Millisecond
		began := cpuTime(t)
		_, err := e.Process(t.Context(), sourceOf(data), imaging.Operations{Width: 10, Height: 10}, limits)
		if code := fault.CodeOf(err); err != nil && code != fault.Timeout {
			t.Errorf("%d texts: %v", texts, err)
		}
		if took := cpuTime(t) - began; took > hostileCPU*yardstick {
			t.Errorf("%d texts: %v of CPU, an ordinary picture takes %v", texts, took, yardstick)
		}
	}
}
