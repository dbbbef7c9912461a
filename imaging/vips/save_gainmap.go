package vips

// #include "image.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/gainmap"
	"github.com/safelight/safelight/imaging/pixels"
)

// mapQuality is that of gain maps. They are smooth, and a level of 255 is a hundredth of a stop in most of them.
const mapQuality = 80

// withGainMap returns the result, a JPEG, with the source's HDR gain map, which shows the same part of the source at the same scale. A map that cannot be read costs
// a warning: the picture is complete without it.
func (j *job) withGainMap(src imaging.Source, data []byte) ([]byte, error) {
	view, ok := gainmap.ViewOf(j.plan)
	if !ok || src.Reader == nil {
		return data, nil
	}
	m, err := gainmap.Find(src.Reader)
	if err != nil {
		return nil, unreadable(err, j.name)
	}
	if m == nil {
		return data, nil
	}
	scaled, err := j.scaledMap(m.File, view)
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

// scaledMap returns the part of the map that view says as a JPEG, with as many of its pixels for one of the result as the source has, up to one for four. It returns nil
// for one with more pixels than the source: no map is finer than its picture.
func (j *job) scaledMap(file []byte, view gainmap.View) ([]byte, error) {
	in := &input{name: j.name, source: memorySource(file), header: imaging.Header{Format: imaging.JPEG, Bytes: int64(len(file))}}
	defer in.close()
	if err := j.readHeader(in, 1); err != nil {
		return nil, err
	}
	h, source := in.header, j.plan.Request.Header
	if h.Width > source.Width || h.Height > source.Height || h.Bands != 1 && h.Bands != 3 {
		return nil, nil
	}
	result := j.plan.Result.Size()
	if view.Swapped {
		result.Width, result.Height = result.Height, result.Width
	}
	width, height := mapSide(h.Width, source.Width, result.Width, view.X), mapSide(h.Height, source.Height, result.Height, view.Y)
	if int64(width)*int64(height) > cost.MapPixels {
		return nil, nil
	}
	shrink := 1
	for shrink < 8 && float64(h.Width)*math.Abs(view.X.Length) >= float64(2*shrink*width) && float64(h.Height)*math.Abs(view.Y.Length) >= float64(2*shrink*height) {
		shrink *= 2
	}
	out, err := j.partOfMap(in, shrink, view, width, height)
	if err != nil {
		return nil, err
	}
	if view.Swapped {
		out = out.transposed()
	}
	return pixels.EncodeJPEG(out.Picture, mapQuality, (*int32)(unsafe.Pointer(j.stop))), nil
}

// mapSide returns the side of a result's map: as many pixels of the map as there are, or as belong to so many of the result, and no more than half of the
// result's: phones write a quarter, and a map as fine as its picture can cost as much as the picture.
func mapSide(side, source, result int, i gainmap.Interval) int {
	share := min(float64(side)/float64(source), 0.5)
	return max(int(math.Round(min(float64(side)*math.Abs(i.Length), float64(result)*share))), 1)
}

// mapPixels is a map in memory.
type mapPixels struct{ pixels.Picture }

// partOfMap decodes the part of the map that view says, and scales it.
func (j *job) partOfMap(in *input, shrink int, view gainmap.View, width, height int) (p mapPixels, err error) {
	whole, err := in.load(imaging.Load{Frames: 1, Shrink: shrink, Scale: 1})
	if err != nil {
		return p, err
	}
	defer whole.close()
	C.sl_watch(whole.v, j.stop)
	left, across, x := around(view.X, whole.width())
	top, down, y := around(view.Y, whole.height())
	part, err := whole.extract(left, top, across, down)
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
	p.Picture = pixels.Picture{Width: width, Height: height, Bands: decoded.Bands}
	p.Pixels = gainmap.Scale(decoded.Pixels, decoded.Width, decoded.Height, decoded.Bands, x, y, width, height)
	return p, nil
}

// replaced returns what f makes of the image, which it closes.
func replaced(i *image, f func(*image) (*image, error)) (*image, error) {
	defer i.close()
	return f(i)
}

// around returns the whole pixels of an axis of that length that an interval of it needs with a margin, and the interval in them.
func around(i gainmap.Interval, side int) (first, length int, s gainmap.Span) {
	const margin = 2
	from, to := i.Start*float64(side), (i.Start+i.Length)*float64(side)
	first = min(max(int(math.Floor(min(from, to)))-margin, 0), side-1)
	last := min(max(int(math.Ceil(max(from, to)))+margin, first+1), side)
	return first, last - first, gainmap.Span{Start: from - float64(first), Length: to - from}
}

// transposed swaps rows and columns.
func (p mapPixels) transposed() mapPixels {
	out := mapPixels{pixels.Picture{Width: p.Height, Height: p.Width, Bands: p.Bands, Pixels: make([]byte, len(p.Pixels))}}
	for y := range p.Height {
		for x := range p.Width {
			copy(out.Pixels[(x*p.Height+y)*p.Bands:][:p.Bands], p.Pixels[(y*p.Width+x)*p.Bands:])
		}
	}
	return out
}
