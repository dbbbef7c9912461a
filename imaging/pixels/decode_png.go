package pixels

// #cgo CFLAGS: -O2
// #cgo pkg-config: libdeflate
// #include <stdlib.h>
// #include "decode_png.h"
// static void *sl_allocate(size_t size) { return malloc(size); } // C.malloc ends the process where there is not enough
import "C"

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/safelight/safelight/imaging/container"
)

// Decode decodes the pixels into the start of buffer, which has Buffer bytes, row by row without gaps. It ends soon
// after *stop is not 0. After ErrDamaged, the buffer contains no valid pixels.
func (p PNG) Decode(buffer []byte, stop *int32) error { return p.decode(buffer, stop, 0) }

func (p PNG) decode(buffer []byte, stop *int32, plain int) error {
	if int64(len(buffer)) != p.Buffer() {
		return ErrUnsupported
	}
	if atomic.LoadInt32(stop) != 0 {
		return ErrStopped
	}
	data, free, err := p.joined()
	if err != nil {
		return err
	}
	code := C.sl_png_inflate(
		unsafe.Pointer(&data[0]), C.size_t(len(data)), unsafe.Pointer(&buffer[0]), C.size_t(len(buffer)),
	)
	free()
	if atomic.LoadInt32(stop) != 0 {
		return ErrStopped
	}
	if code == C.sl_ok {
		code = C.sl_png_unfilter(
			(*C.uint8_t)(&buffer[0]), C.size_t(p.Row()), C.size_t(p.Height), C.int(p.Bands), C.int(plain),
		)
	}
	return errorOf(code, stop)
}

// joined returns the concatenated data of all IDAT chunks, of which there is at least one. The data are valid until
// free is called.
func (p PNG) joined() (data []byte, free func(), err error) {
	if len(p.deflated) == 1 && len(p.deflated[0]) > 0 {
		return p.deflated[0], func() {}, nil
	}
	size := 0
	for _, one := range p.deflated {
		size += len(one)
	}
	if size == 0 {
		return nil, nil, ErrDamaged
	}
	block := C.sl_allocate(C.size_t(size))
	if block == nil {
		return nil, nil, ErrMemory
	}
	data = unsafe.Slice((*byte)(block), size)[:0]
	for _, one := range p.deflated {
		data = append(data, one...)
	}
	return data, func() { C.free(block) }, nil
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngBands maps the supported color types to their number of bands: gray and RGB, with and without alpha.
var pngBands = map[byte]int{0: 1, 2: 3, 4: 2, 6: 4}

// PNG is a PNG file that this package can decode: 8 bits per sample, no palette, no transparent color, not interlaced,
// and with an intact structure. Metadata is ignored.
type PNG struct {
	Width, Height, Bands int
	deflated             [][]byte // data of the IDAT chunks
}

// ParsePNG reads the structure of a file. ok is false if the file is not a PNG of this kind; other decoders may still
// read it.
func ParsePNG(file []byte) (p PNG, ok bool) {
	if !bytes.HasPrefix(file, []byte(pngSignature)) {
		return p, false
	}
	first, ended := true, false
	for c, err := range container.PNG(container.Of(file)) {
		if err != nil {
			return p, false
		}
		data := file[c.Start : c.Start+c.Size]
		sum := binary.BigEndian.Uint32(file[c.Start+c.Size:])
		if crc32.ChecksumIEEE(file[c.At+4:c.Start+c.Size]) != sum || first != (c.Kind == "IHDR") {
			return p, false
		}
		if c.Kind != "IDAT" {
			ended = len(p.deflated) > 0
		}
		switch {
		case first:
			if !p.header(data) {
				return p, false
			}
		case c.Kind == "IDAT":
			if ended {
				return p, false
			}
			p.deflated = append(p.deflated, data)
		case c.Kind == "IEND":
			return p, len(p.deflated) > 0
		// In these files, a palette is only a suggestion for displays with few colors.
		case c.Kind == "tRNS", c.Kind[0]&0x20 == 0 && c.Kind != "PLTE":
			return p, false
		}
		first = false
	}
	return p, false
}

// header reads the size and the kind of samples.
func (p *PNG) header(data []byte) bool {
	if len(data) != 13 || data[8] != 8 || data[10] != 0 || data[11] != 0 || data[12] != 0 {
		return false
	}
	width, height := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	bands, ok := pngBands[data[9]]
	if !ok || width == 0 || height == 0 || width > math.MaxInt32/8 || height > math.MaxInt32/8 {
		return false
	}
	p.Width, p.Height, p.Bands = int(width), int(height), bands
	return true
}

// Row returns the bytes of a row of pixels.
func (p PNG) Row() int { return p.Width * p.Bands }

// Buffer returns the number of bytes that Decode needs: the pixels, and one byte per row.
func (p PNG) Buffer() int64 { return int64(p.Row()+1) * int64(p.Height) }
