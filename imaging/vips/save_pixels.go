package vips

// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/pixels"
)

// pngLevel is zlib's level by default.
const pngLevel = 6

// deflateLevels are libdeflate's levels for those of zlib, whose files are as small and take a quarter of the time; 9
// takes as long, and its files are smaller.
var deflateLevels = [...]int{0, 1, 3, 5, 6, 7, 7, 8, 8, 10}

// savePixels encodes a PNG or JPEG of 8 bits a sample without libvips' saver. It returns nil for one that carries
// metadata, whose palette is asked for, or that is too large to be held in memory for it, and for other formats:
// libvips does these.
func (j *job) savePixels(i *image, e imaging.Encode) ([]byte, error) {
	bands, space := i.bands(), i.interpretation()
	size := int64(i.width()) * int64(i.height()) * int64(bands)
	if e.Format != imaging.PNG && e.Format != imaging.JPEG || e.Palette || e.Bits > 0 || bands > 4 || size > cost.WholeResult ||
		i.format() != C.SL_FORMAT_UCHAR || space != C.SL_INTERPRETATION_sRGB && space != C.SL_INTERPRETATION_B_W ||
		i.carries() {
		return nil, nil
	}
	if e.Format == imaging.JPEG && bands != 1 && bands != 3 ||
		e.Format == imaging.PNG && size > cost.WholePNGResult(e.Compression) {
		return nil, nil
	}
	whole, err := i.copyMemory()
	if err != nil {
		return nil, err
	}
	defer whole.close()
	if err := j.ended(); err != nil {
		return nil, err
	}
	p, ok := whole.picture()
	if !ok {
		return nil, nil
	}
	if e.Format == imaging.JPEG {
		data := pixels.EncodeJPEG(p, e.Format.Traits().QualityScale.At(e.Quality), (*int32)(unsafe.Pointer(j.stop)))
		if data == nil {
			return nil, j.ended()
		}
		return data, nil
	}
	level := e.Compression
	if level < 0 {
		level = pngLevel
	}
	data := pixels.EncodePNG(p, deflateLevels[level], (*int32)(unsafe.Pointer(j.stop)))
	if data == nil {
		return nil, j.ended()
	}
	return data, nil
}
