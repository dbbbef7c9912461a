package cost

import "github.com/safelight/safelight/imaging"

// Bytes of pixels up to which stills are decoded, and results encoded, without libvips (docs/decisions/0060, 0061).
const (
	WholePNG               = 64 << 20
	WholeJPEG, WholeResult = 16 << 20, 16 << 20
	WholeWebP              = 8 << 20
)

// ScalesPlanes reports whether the engine scales the planes of a source with that header while it loads it, so that it decodes the source for
// each result: a WebP still without alpha (docs/decisions/0061).
func ScalesPlanes(h imaging.Header) bool {
	return h.Format == imaging.WebP && max(h.Pages, 1) == 1 && !h.Alpha
}

// WholePNGResult returns up to how many bytes of pixels a PNG is encoded at once, at that level of zlib's; -1 is the usual one. It cannot be
// stopped meanwhile: noise takes half a second.
func WholePNGResult(compression int) int64 {
	switch {
	case compression == 9:
		return WholeResult / 8
	case compression >= 7:
		return WholeResult / 4
	case compression < 0 || compression >= 5:
		return WholeResult / 2
	}
	return WholeResult
}
