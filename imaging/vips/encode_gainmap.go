package vips

// #include "sl_image.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
	"github.com/safelight/safelight/imaging/pixels"
)

// mapQuality is the quality of gain maps. Maps are smooth, and in most of them one of the 255 levels is a hundredth of
// a stop.
const mapQuality = 80

// withGainMap returns the result, a JPEG, with the source's HDR gain map, which shows the same part of the source at
// the same scale. A map that cannot be read results in a warning, because the picture is complete without it.
func (j *job) withGainMap(src imaging.Source, data []byte) ([]byte, error) {
	fit, ok := gainmap.FitOf(j.plan)
	if !ok || src.Reader == nil {
		return data, nil
	}
	reader := src.Reader
	if data := j.input.source.data; data != nil {
		reader = imaging.NewMemoryFile(data)
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

// scaledMap returns the part of the map that fit selects as a JPEG. It returns nil if the decoder finds another header
// than was planned.
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
	defer out.close()
	p, ok := out.picture()
	if !ok {
		return nil, errUndecoded
	}
	return pixels.EncodeJPEG(p, mapQuality, (*int32)(unsafe.Pointer(j.stop)))
}

// partOfMap decodes the part of the map that fit selects, and scales, mirrors and turns it in memory.
func (j *job) partOfMap(in *input, fit gainmap.Fit) (*image, error) {
	damaged := atomic.Bool{}
	load := imaging.Load{Frames: 1, Shrink: fit.Shrink, Scale: 1}
	load.Width, load.Height = max(in.header.Width/fit.Shrink, 1), max(in.header.Height/fit.Shrink, 1)
	whole, err := in.loadJPEG(load, &damaged, j.stop)
	if err != nil {
		return nil, err
	}
	defer whole.close()
	C.sl_watch(whole.v, j.stop)
	left, width := fit.X.Forward()
	top, height := fit.Y.Forward()
	steps := []func(*image) (*image, error){
		func(i *image) (*image, error) { return i.extract(fit.Left, fit.Top, fit.Across, fit.Down) },
		func(i *image) (*image, error) { return i.colourspace(C.SL_INTERPRETATION_sRGB) }, // the scaler needs color
		(*image).copyMemory,
		func(i *image) (*image, error) {
			part := pixels.Part{Left: left, Top: top, Width: width, Height: height}
			return i.scaled(part, fit.Width, fit.Height, j.stop)
		},
	}
	if fit.X.Length < 0 {
		steps = append(steps, func(i *image) (*image, error) { return i.flip(false) })
	}
	if fit.Y.Length < 0 {
		steps = append(steps, func(i *image) (*image, error) { return i.flip(true) })
	}
	if fit.View.Swapped { // rows become columns
		steps = append(
			steps,
			func(i *image) (*image, error) { return i.rotate(90) },
			func(i *image) (*image, error) { return i.flip(false) },
		)
	}
	bands := whole.bands()
	steps = append(steps, func(i *image) (*image, error) { return i.firstBands(bands) }, (*image).copyMemory)
	out, err := whole.through(steps)
	if err == nil && damaged.Load() {
		out.close()
		return nil, errUndecoded
	}
	return out, err
}
