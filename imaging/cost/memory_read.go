package cost

import "github.com/safelight/safelight/imaging"

// read adds the decoder and the memory that it keeps.
func (f *footprint) read(p imaging.Plan) {
	h, l := p.Request.Header, p.Load
	shape := imaging.Shape{Width: l.Width, Height: l.Height, Frames: l.Frames, Alpha: h.Alpha}
	if h.Canvas {
		f.become(shape)
		f.lazy = true
		return
	}
	if l.Box > 1 { // the picture is decoded as a whole
		l.Width, l.Height, l.Box = h.Width, h.Height, 1
		p.Load = l
		f.read(p)
		f.wait()
		f.become(shape)
		return
	}
	f.shape, f.bands = shape, max(h.Bands, 1)*max(h.Depth, 8)/8
	if p.Route.Decode == imaging.ByLibvips {
		f.readByLibvips(h, l)
		f.become(shape)
		return
	}
	switch h.Format {
	case imaging.WebP:
		f.readWebP(h)
		if p.Route.Scale == imaging.ScaleDecoding {
			f.readPlanes(shape, 1.5*mega(h.Width, h.Height, 1)*1e6, p.Scaled)
			return
		}
		f.now.add("bytes", f.pixels())
	case imaging.JPEG:
		f.now.add("bytes", coefficients(h))
		if p.Route.Scale == imaging.ScaleDecoding {
			f.readRows(shape, p.Scaled)
			return
		}
		if l.IsRows(h) {
			if !p.Crop.Empty() { // the decoder stays allocated if its last rows are never read
				f.kept += coefficients(h)
			}
			f.step("cache.jpeg", f.rows(cacheRows))
			f.cmyk(h)
			f.become(shape)
			return
		}
		f.now.add("bytes", f.pixels())
		if h.Whole { // the coefficients are freed
			f.end()
			f.begin()
			f.now.add("bytes", f.pixels())
		}
	case imaging.PNG:
		f.readPNG(f.pixels()+float64(h.Height), fileBytes(p)) // each row has a filter byte
	}
	f.whole = h.Bands >= 3
	f.base = f.pixels()
	f.become(shape)
	f.cmyk(h)
}

// coefficients returns the bytes of all coefficients of a JPEG with several scans, at 16 bits each.
func coefficients(h imaging.Header) float64 {
	if !h.Whole {
		return 0
	}
	samples := h.Samples
	if samples == 0 {
		samples = float64(max(h.Bands, 1))
	}
	return mega(h.Width, h.Height, 1) * 1e6 * 2 * samples
}

// cmyk adds the conversion tables between color spaces.
func (f *footprint) cmyk(h imaging.Header) {
	if h.Format == imaging.JPEG && h.Bands == 4 {
		f.step("cmyk", 1)
	}
}

// readWebP adds a still. While the header is read, its canvas has the full size; then it is decoded into memory.
func (f *footprint) readWebP(h imaging.Header) {
	source := mega(h.Width, h.Height, 1) * 1e6
	canvas := untouched
	if h.Alpha { // it is cleared
		canvas = "bytes"
	}
	f.now.add(canvas, source*4)
	f.end()
	f.begin()
	f.wait()
}

// readPlanes adds the planes of a lossy WebP, which have the given number of bytes and are then scaled.
func (f *footprint) readPlanes(decoded imaging.Shape, bytes float64, to imaging.Size) {
	f.become(decoded)
	f.now.add("bytes", bytes)
	f.mixed, f.whole = true, true
	decoded.Width, decoded.Height = to.Width, to.Height
	f.remake(decoded)
}

// readRows adds a JPEG that is scaled while it is decoded: the input rows for eight rows of the result.
func (f *footprint) readRows(decoded imaging.Shape, to imaging.Size) {
	f.become(decoded)
	rows := 13.5*float64(decoded.Height)/float64(to.Height) + 4
	f.now.add("bytes", f.rows(int(rows))+f.reduction(to.Height))
	f.mixed = true
	decoded.Width, decoded.Height = to.Width, to.Height
	f.remake(decoded)
}

// readPNG adds a PNG whose rows have the given number of bytes. Its compressed pixels are concatenated first.
func (f *footprint) readPNG(rows float64, file int64) {
	f.now.add("bytes", rows+float64(file))
	f.end()
	f.begin()
	f.now.add("bytes", rows)
}

// readByLibvips adds libvips' loader, which decodes rows as steps need them.
func (f *footprint) readByLibvips(h imaging.Header, l imaging.Load) {
	format, source := string(h.Format), mega(h.Width, h.Height, 1)*1e6
	f.step("open."+format, 1)
	f.now.add("frame."+format, f.pixels()/float64(max(l.Frames, 1)))
	f.now.add("frames."+format, f.pixels())
	f.now.add("cache."+format, f.rows(cacheRows))
	switch {
	case h.Format == imaging.JPEG:
		f.now.add("bytes", coefficients(h))
	case h.Whole:
		f.now.add("bytes", source*float64(f.bands))
	}
}

// SharedRows returns the max number of bytes of coefficients that decoding a JPEG at several scales keeps: four rows
// of MCUs (docs/contributing/decisions/0014). The number of MCUs per row depends on the sampling factors. An MCU has
// at most ten blocks, of 64 coefficients of 16 bits (T.81, B.2.3), and is at least eight pixels wide.
func SharedRows(h imaging.Header) int64 {
	if !h.DecodesScales() {
		return 0
	}
	return 4 * 10 * 128 * ((int64(h.Width) + 7) / 8)
}
