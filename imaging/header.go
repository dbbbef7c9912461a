package imaging

// Header is the information in the first bytes of a picture, before pixels are decoded.
type Header struct {
	Format        Format  // empty for a canvas
	Width, Height int     // size of one frame in pixels, as stored; 0: unknown, as for vectors that were not read
	Pages         int     // number of frames of an animation or pages of a document; 1 for a still
	Bands         int     // 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha or CMYK
	Alpha         bool    // one of the bands is transparency
	Depth         int     // bits per sample: 8, 16 or 32; 0 means 8
	Samples       float64 // samples per pixel of a JPEG: 1.5 if chroma has half the width and height; 0: unknown
	Orientation   int     // EXIF orientation 1..8; 0 and 1 leave the picture unchanged
	Bytes         int64   // size of the file; -1: unknown
	Whole         bool    // always decoded into memory at full size, as a progressive JPEG or an interlaced PNG
	Profile       bool    // has a color profile other than sRGB; in a JPEG that was only surveyed, any profile
	EXIF          bool    // it has EXIF data
	GainMap       GainMap // gain map of a JPEG; zero: it has none that results keep
	Canvas        bool    // a solid canvas instead of a file; its sides are those of the operations
}

// GainMap is the header of an HDR gain map, which is a JPEG after the picture.
type GainMap struct {
	Width, Height int
	Bands         int   // 1 or 3
	Bytes         int64 // of the map's file
}

// Sides returns the size after the orientation is applied.
func (h Header) Sides() Size {
	if h.Turned() {
		return Size{h.Height, h.Width}
	}
	return Size{h.Width, h.Height}
}

// Turned reports whether the orientation swaps the sides.
func (h Header) Turned() bool { return h.Orientation >= 5 && h.Orientation <= 8 }

// CanvasHeader returns the header of a solid canvas. An `auto` or `none` colour has transparency.
func CanvasHeader(c Colour) Header {
	return Header{Canvas: true, Pages: 1, Bands: 3, Orientation: 1, Alpha: c.Word != "" || c.A != 255}
}
