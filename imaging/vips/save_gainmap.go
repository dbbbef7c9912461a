package vips

// #include "image.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
	"github.com/safelight/safelight/imaging/pixels"
)

// mapQuality is that of gain maps. They are smooth, and a level of 255 is a hundredth of a stop in most of them.
const mapQuality = 80

// withGainMap returns the result, a JPEG, with the source's HDR gain map, which shows the same part of the source at
// the same scale. A map that cannot be read costs a warning: the picture is complete without it.
func (j *job) withGainMap(src imaging.Source, data []byte) ([]byte, error) {
	fit, ok := gainmap.FitOf(j.plan)
	if !ok || src.Reader == nil {
		return data, nil
	}
	reader := src.Reader
	if data := j.input.source.data; data != nil {
		reader = inMemoryFile(data)
	}
	m, err := gainmap.Find(reader)
	if err != nil {
		return nil, unreadable(err, j.name)
	}
	if m == nil {
		return data, nil
	}
	scaled, err := j.scaledMap(m, fit)
	if end := j.ended(); end != nil {
		return nil, end
	}
	if err != nil {
		j.warn("", "image", "the HDR gain map of the file cannot be read: the result has none")
		return data, nil
	}
	if scaled == nil {
		return data, nil
	}
	joined := m.Join(data, scaled)
	if limit := j.plan.Encode[0].MaxBytes; limit > 0 && len(joined) > limit {
		j.warn("max_bytes", "n", "filter max_bytes: the HDR gain map does not fit")
		return data, nil
	}
	return joined, nil
}

// scaledMap returns the part of the map that the fit says as a JPEG. It returns nil for one whose decoder reads
// another header than was planned for.
func (j *job) scaledMap(m *gainmap.Map, fit gainmap.Fit) ([]byte, error) {
	in := &input{
		name:   j.name,
		source: memorySource(m.File),
		header: imaging.Header{Format: imaging.JPEG, Bytes: int64(len(m.File))},
	}
	defer in.close()
	if err := j.readHeader(in, 1); err != nil {
		return nil, err
	}
	h, planned := in.header, j.plan.Request.Header.GainMap
	if m.Header != planned || h.Width != planned.Width || h.Height != planned.Height || h.Bands != planned.Bands ||
		h.Whole {
		return nil, nil
	}
	out, err := j.partOfMap(in, fit)
	if err != nil {
		return nil, err
	}
	if fit.View.Swapped {
		out = out.transposed()
	}
	return pixels.EncodeJPEG(out.Picture, mapQuality, (*int32)(unsafe.Pointer(j.stop)))
}

// mapPixels is a map in memory.
type mapPixels struct{ pixels.Picture }

// partOfMap decodes the part of the map that the fit says, and scales it.
func (j *job) partOfMap(in *input, fit gainmap.Fit) (p mapPixels, err error) {
	whole, err := in.load(imaging.Load{Frames: 1, Shrink: fit.Shrink, Scale: 1})
	if err != nil {
		return p, err
	}
	defer whole.close()
	C.sl_watch(whole.v, j.stop)
	part, err := whole.extract(fit.Left, fit.Top, fit.Across, fit.Down)
	if err != nil {
		return p, err
	}
	defer part.close()
	if part, err = replaced(part, (*image).copyMemory); err != nil {
		return p, err
	}
	decoded, ok := part.picture()
	if !ok || part.format() != C.SL_FORMAT_UCHAR {
		return p, errUndecoded
	}
	p.Picture = pixels.Picture{Width: fit.Width, Height: fit.Height, Bands: decoded.Bands}
	p.Pixels = gainmap.Scale(
		decoded.Pixels, decoded.Width, decoded.Height, decoded.Bands, fit.X, fit.Y, fit.Width, fit.Height,
	)
	return p, nil
}

// replaced returns what f makes of the image, which it closes.
func replaced(i *image, f func(*image) (*image, error)) (*image, error) {
	defer i.close()
	return f(i)
}

// transposed swaps rows and columns.
func (p mapPixels) transposed() mapPixels {
	out := mapPixels{
		pixels.Picture{Width: p.Height, Height: p.Width, Bands: p.Bands, Pixels: make([]byte, len(p.Pixels))},
	}
	for y := range p.Height {
		for x := range p.Width {
			copy(out.Pixels[(x*p.Height+y)*p.Bands:][:p.Bands], p.Pixels[(y*p.Width+x)*p.Bands:])
		}
	}
	return out
}
