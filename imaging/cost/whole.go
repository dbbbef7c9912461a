package cost

import "github.com/safelight/safelight/imaging"

// Bytes of pixels up to which stills are decoded, and results encoded, without libvips (docs/decisions/0060, 0061).
const (
	WholePNG               = 64 << 20
	WholeJPEG, WholeResult = 16 << 20, 16 << 20
	WholeWebP              = 8 << 20
)

// ScalesPlanes reports whether the engine scales the planes of a source with that header while it loads it, so that it
// decodes the source for each result: a WebP still without alpha (docs/decisions/0061).
func ScalesPlanes(h imaging.Header) bool {
	return h.Format == imaging.WebP && max(h.Pages, 1) == 1 && !h.Alpha
}

// ScalesFirst reports whether nothing is done to the picture as loaded before it is scaled, but for converting colors
// of its profile.
func ScalesFirst(p imaging.Plan) bool {
	_, kept := p.Call("preview")
	return p.Turn == (imaging.Turn{}) && p.Straighten.Angle == 0 && p.Trim == nil && p.Crop.Empty() && !p.Request.Limits.Linear &&
		!p.Request.Options.Describe &&
		p.Load.Box == 1 &&
		!kept
}

// ScalesRows reports whether the engine scales a JPEG of that plan while it decodes it (docs/decisions/0064).
func ScalesRows(p imaging.Plan) bool {
	h, l, to := p.Request.Header, p.Load, p.Scaled
	return ScalesFirst(p) && h.Format == imaging.JPEG && !h.Whole && !h.Profile && h.Bands == 3 &&
		to.Width <= l.Width &&
		to.Height <= l.Height &&
		to != (imaging.Size{Width: l.Width, Height: l.Height})
}

// SharedRows returns the most bytes of coefficients that decoding a JPEG of that header at several scales keeps: four
// rows of MCUs (docs/decisions/0059). Sampling factors decide how many; an MCU has at most ten blocks, of 64
// coefficients of 16 bits (T.81, B.2.3), and is at least eight pixels wide.
func SharedRows(h imaging.Header) int64 {
	if h.Format != imaging.JPEG || h.Whole {
		return 0
	}
	return 4 * 10 * 128 * ((int64(h.Width) + 7) / 8)
}

// WholePNGResult returns up to how many bytes of pixels a PNG is encoded at once, at that level of zlib's; -1 is the
// usual one. It cannot be stopped meanwhile: noise takes half a second.
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
