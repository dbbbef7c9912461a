package vips

import (
	"encoding/binary"
	"slices"

	"github.com/safelight/safelight/imaging/container"
)

// canvased adds the VP8X chunk that libvips' saver writes to a lossless file with alpha. It returns any other file
// unchanged.
func canvased(file []byte, width, height int) []byte {
	// The bytes of the header of the file; those up to the first chunk's data; and the bit that says alpha, in VP8X and
	// in the last byte of VP8L's header.
	const header, body, alpha = 12, 20, 0x10
	if string(file[header:header+4]) != "VP8L" || file[body+4]&alpha == 0 {
		return file
	}
	chunk := append([]byte("VP8X"), 10, 0, 0, 0, alpha, 0, 0, 0)
	for _, side := range []int{width - 1, height - 1} {
		chunk = append(chunk, byte(side), byte(side>>8), byte(side>>16))
	}
	file = slices.Insert(file, header, chunk...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// bareWebP returns a still WebP file with only its pixels. libvips 8.14's saver writes 186 bytes of EXIF even with
// strip set. It returns a file that it cannot parse unchanged. WebP Container Specification,
// https://developers.google.com/speed/webp/docs/riff_container.
func bareWebP(file []byte) []byte {
	if len(file) < 12 || string(file[:4]) != "RIFF" || string(file[8:12]) != "WEBP" {
		return file
	}
	const alpha = 0x10 // flag of VP8X; a file without flags needs no VP8X
	out := []byte("RIFF\x00\x00\x00\x00WEBP")
	for c, err := range container.WebP(container.Of(file)) {
		if err != nil {
			return file
		}
		chunk := file[c.At:c.End]
		switch c.Kind {
		case "VP8 ", "VP8L", "ALPH":
			out = append(out, chunk...)
		case "VP8X":
			if c.Size > 0 && chunk[8]&alpha != 0 {
				out = append(out, chunk...)
				out[len(out)-len(chunk)+8] = alpha
			}
		case "ANIM", "ANMF":
			return file
		}
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}
