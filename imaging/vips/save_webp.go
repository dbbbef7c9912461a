package vips

import "encoding/binary"

// bareWebP returns a still WebP file with nothing but its pixels. libvips 8.14's saver writes 186
// bytes of EXIF even with strip set. A file that it cannot follow is returned as it is.
// WebP Container Specification, https://developers.google.com/speed/webp/docs/riff_container.
func bareWebP(file []byte) []byte {
	if len(file) < 12 || string(file[:4]) != "RIFF" || string(file[8:12]) != "WEBP" {
		return file
	}
	const alpha = 0x10 // among the flags of VP8X; a file that needs none of them needs no VP8X
	out := []byte("RIFF\x00\x00\x00\x00WEBP")
	for rest := file[12:]; len(rest) > 0; {
		if len(rest) < 8 {
			return file
		}
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		end := 8 + size + size&1
		if end > int64(len(rest)) {
			return file
		}
		chunk := rest[:end]
		rest = rest[end:]
		switch string(chunk[:4]) {
		case "VP8 ", "VP8L", "ALPH":
			out = append(out, chunk...)
		case "VP8X":
			if size > 0 && chunk[8]&alpha != 0 {
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
