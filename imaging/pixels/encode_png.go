package pixels

// #include <stdlib.h>
// #include "encode_png.h"
// #include "result.h"
import "C"

import (
	"encoding/binary"
	"hash/crc32"
	"sync/atomic"
	"unsafe"
)

// EncodePNG returns the picture as a PNG whose only metadata is the resolution. level is that of libdeflate, 0 to 12.
// A picture with at most 256 colors gets a palette if that makes the file smaller. It ends once *stop is not 0, but
// does not check that while libdeflate works.
func EncodePNG(p Picture, level int, stop *int32) ([]byte, error) {
	if p.Bands < 1 || p.Bands > 4 || p.Width <= 0 || p.Height <= 0 || len(p.Pixels) != p.Width*p.Height*p.Bands {
		return nil, ErrUnsupported
	}
	kinds := [...]byte{1: 0, 2: 4, 3: 2, 4: 6}
	data, err := deflate(p.Pixels, p.Width*p.Bands, p.Height, p.Bands, false, level, stop)
	if err != nil {
		return nil, err
	}
	file := pngFile(p, 8, kinds[p.Bands], nil, data)
	if colors := palette(p); colors != nil {
		indexes, bits := colors.indexes(p)
		row := len(indexes) / p.Height
		if data, err = deflate(indexes, row, p.Height, 1, true, level, stop); err == nil {
			if small := pngFile(p, bits, 3, colors.chunks(p.Bands == 4), data); len(small) < len(file) {
				return small, nil
			}
		}
	}
	if atomic.LoadInt32(stop) != 0 {
		return nil, ErrStopped
	}
	return file, nil
}

// deflate returns rows of pixels as the data of IDAT. With plain, rows are not filtered.
func deflate(pixels []byte, row, height, pixel int, plain bool, level int, stop *int32) ([]byte, error) {
	noFilter, size := C.int(0), C.size_t(0)
	if plain {
		noFilter = 1
	}
	data := C.sl_png_deflate(
		(*C.uint8_t)(&pixels[0]), C.size_t(row), C.size_t(height), C.int(pixel), noFilter, C.int(level),
		&size, (*C.int32_t)(stop),
	)
	if data == nil {
		return nil, errorOf(C.sl_no_memory, stop)
	}
	defer C.free(unsafe.Pointer(data))
	return C.GoBytes(unsafe.Pointer(data), C.int(size)), nil
}

// pngFile returns the file around the data.
func pngFile(p Picture, bits, kind byte, colors, data []byte) []byte {
	file := make([]byte, 0, len(data)+len(colors)+128)
	file = append(file, pngSignature...)
	header := binary.BigEndian.AppendUint32(nil, uint32(p.Width))
	header = binary.BigEndian.AppendUint32(header, uint32(p.Height))
	file = appendChunk(file, "IHDR", append(header, bits, kind, 0, 0, 0))
	density := binary.BigEndian.AppendUint32(nil, p.PerMeter[0])
	density = binary.BigEndian.AppendUint32(density, p.PerMeter[1])
	file = appendChunk(file, "pHYs", append(density, 1))
	file = append(file, colors...)
	file = appendChunk(file, "IDAT", data)
	return appendChunk(file, "IEND", nil)
}

func appendChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
