package imaging

// Header is what the first bytes of a picture say of it, before a pixel is decoded.
type Header struct {
	Format        Format  // empty for a canvas
	Width, Height int     // pixels of one frame, as stored; 0 when unknown, as for vectors that were not read
	Pages         int     // frames of an animation, pages of a document; 1 for a still
	Bands         int     // 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha or CMYK
	Alpha         bool    // one of the bands is transparency
	Depth         int     // bits of a sample: 8, 16 or 32; 0 is 8
	Samples       float64 // of a JPEG, for each pixel: 1.5 if chroma has half the width and height; 0 when unknown
	Orientation   int     // EXIF 1..8; 0 and 1 leave the picture as it is
	Bytes         int64   // of the file; -1 when unknown
	Whole         bool    // always decoded at full size into memory: a progressive JPEG, an interlaced PNG
	Profile       bool    // it has a color profile that is not sRGB; where a JPEG was only surveyed, any
	EXIF          bool    // it has EXIF data
	GainMap       GainMap // of a JPEG; the zero value: it has none that results keep
	Canvas        bool    // a solid canvas instead of a file: its sides are those of the operations
}

// GainMap is what the header of an HDR gain map says, which is a JPEG behind the picture.
type GainMap struct {
	Width, Height int
	Bands         int   // 1 or 3
	Bytes         int64 // of the map's file
}

// Sides returns width and height once the orientation is applied.
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
