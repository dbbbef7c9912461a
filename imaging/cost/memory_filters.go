package cost

import "github.com/safelight/safelight/imaging"

// filters adds the filters. Consecutive tone filters count as one step.
func (f *footprint) filters(steps []imaging.Step) {
	toned := false
	for n, s := range steps {
		if s.Skip {
			continue
		}
		if toned && s.Call.IsTone() {
			continue
		}
		toned = s.Call.IsTone()
		if toned && n+1 < len(steps) && steps[n+1].Call.IsTone() {
			f.wait()
			continue
		}
		f.filter(s)
	}
}

// filter adds one filter.
func (f *footprint) filter(s imaging.Step) {
	switch name := s.Call.Name; name {
	case "image", "watermark", "text", "label":
		f.layer(s)
	case "blur":
		f.blur(s)
	case "sharpen":
		f.mixed = true
		if f.shape.Alpha { // color and alpha are read separately
			f.hold()
			name = "sharpen.alpha"
		}
		f.change(s.After, name, f.tile(around(min(1+2*s.Call.Float("sigma"), 10))))
	case "pixelate", "round_corner":
		f.hold()
		f.change(s.After, name, f.pixels())
	case "rotate":
		f.turn(s.Call.Int("degrees"))
	case "crop", "trim":
		f.hold()
		f.cut(s.Rect)
	case "proportion":
		f.resize(s.After.Size(), false)
	case "fill", "padding", "background_color":
		f.mount(s)
	default:
		f.wait()
	}
}

// around returns how many pixels on each side a Gaussian blur with the given sigma reads.
func around(sigma float64) float64 { return 1.8 * sigma }

// blur adds a Gaussian blur. A wide blur counts at its reduced size.
func (f *footprint) blur(s imaging.Step) {
	f.mixed = true
	sigma := s.Call.Float("sigma")
	if BlurShrink(sigma, s.Before.Size()) > 1 {
		f.change(s.After, "", 0)
		return
	}
	f.change(s.After, "blur", f.tile(around(sigma)))
}

// mount adds placing the picture on a canvas.
func (f *footprint) mount(s imaging.Step) {
	c := s.Call.Arg("color").Colour
	if c.Word == "auto" {
		f.hold()
	}
	if c.Word == "blur" { // the canvas is the picture itself, stretched and blurred
		f.lazy = true
		f.compute()
		f.change(s.After, "backdrop", f.tile(0))
		return
	}
	f.change(s.After, "", 0)
}

// aroundBytes are the bytes per pixel of a layer with a box, an outline or a shadow: the mask, the result, and a
// shade.
const aroundBytes = 1 + 4 + 4

// layer adds a layer: its own picture, which is made while that of its parent is kept, and blending frame by frame.
func (f *footprint) layer(s imaging.Step) {
	f.hold()
	l := *s.Layer
	over := mega(l.Width, l.Height, 1) * 4e6
	if l.Plan == nil {
		if l.Text != nil {
			f.now.add("bytes", l.Text.PixelsAround()*aroundBytes)
		}
	} else {
		child := *l.Plan
		if whole, err := child.Assumed(); err == nil {
			child = whole
		}
		f.mixed = f.mixed || child.Scaled != imaging.Size{Width: child.Load.Width, Height: child.Load.Height}
		own := footprintOf(child, f.kept+f.pixels()-float64(fileBytes(child)))
		f.ended = append(f.ended, own.ended...)
		over *= float64(max(child.Load.Frames, 1))
	}
	f.now.add("bytes", over+l.PixelsAround()*aroundBytes)
	f.wait()
	f.become(s.After)
	f.compute()
}

// openJPEGTile is the side of the tiles of the JPEG 2000 encoder, in pixels.
const openJPEGTile = 512

// encode adds the encoder and the memory that it keeps.
func (f *footprint) encode(p imaging.Plan, e imaging.Encode) {
	t := e.Format.Traits()
	if e.Flatten {
		f.wait()
		after := f.shape
		after.Alpha = false
		f.become(after)
	}
	if p.Colour.Space != "" {
		f.step(p.Colour.Space, 1)
	}
	if p.Colour.Space == "cmyk" {
		f.bands = 4
	}
	again := e.MaxBytes > 0 || e.AutoQuality || len(p.Encode) > 1 // the pixels are read more than once
	if again || t.Buffered || e.Format == imaging.JXL || t.Bleeds && !e.Lossless && f.shape.Alpha {
		f.compute()
	}
	if e.By == imaging.ByPixels && !e.KeepMetadata && f.encodeWhole(e) {
		return
	}
	name := f.encoder(p, e)
	frame := f.pixels() / float64(max(f.shape.Frames, 1))
	f.now.add("encoder."+name, 1)
	f.now.add("write."+name, frame)
	f.now.add("sink", f.rows(sinkRows))
	if e.Format == imaging.JP2 {
		f.now.add(
			"tile.jp2",
			mega(min(f.shape.Width, openJPEGTile), min(f.shape.Height, openJPEGTile), 1)*1e6*float64(f.bands),
		)
	}
	if e.AutoQuality { // a sample that is compared
		f.now.add("sample", min(frame, 640*640*3))
	}
	f.end()
}

// fullChroma is the lowest quality at which JPEGs are written without chroma subsampling.
const fullChroma = 90

// encodeWhole adds encoding without libvips; false for a WebP, for which libvips needs the same memory.
func (f *footprint) encodeWhole(e imaging.Encode) bool {
	switch e.Format {
	case imaging.PNG:
		f.copied()
		f.now.add(levelOf(e), 1)
		f.now.add("bytes", 2*f.pixels()) // filtered rows, and room in case nothing can be compressed
	case imaging.JPEG:
		f.copied()
		// libjpeg keeps all coefficients until it knows the tables, with 2 bytes each. With halved chroma, these are 3
		// bytes per pixel.
		samples := f.pixels()
		if full := e.Format.Traits().QualityScale.At(e.Quality) >= fullChroma; full || e.AutoQuality || f.bands == 1 {
			samples *= 2
		}
		f.now.add("coefficients.jpeg", samples)
		if e.AutoQuality {
			f.now.add("sample", min(f.pixels(), 640*640*3))
		}
	default:
		return false
	}
	f.end()
	return true
}

// copied computes the pixels into memory if steps wait, while the input pixels also stay in memory.
func (f *footprint) copied() {
	if base := f.base; f.lazy {
		f.compute()
		f.now.add("bytes", base)
	}
}

// levelOf returns the name of the memory of libdeflate's compressor, which does not compress at level 0.
func levelOf(e imaging.Encode) string {
	switch e.Compression {
	case 0:
		return ""
	case 9:
		return "deflate.best.png"
	}
	return "deflate.png"
}

// encoder returns the name of the encoder's rates.
func (f *footprint) encoder(p imaging.Plan, e imaging.Encode) string {
	format := string(e.Format)
	switch {
	case e.Lossless:
		return "lossless." + format
	case e.Format == imaging.JPEG && p.Colour.Space == "cmyk": // no subsampling of any band
		return "cmyk." + format
	case e.Format == imaging.GIF && p.Request.Header.Format == imaging.GIF && !f.mixed: // few colors
		return "same." + format
	case e.Format == imaging.WebP && f.shape.Alpha: // alpha is encoded losslessly
		return "alpha." + format
	}
	return format
}
