package vips

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// pngLevel is zlib's default level.
const pngLevel = 6

// deflateLevels maps zlib's levels to libdeflate's levels that give equally small files in a quarter of the time.
// Level 9 takes as long as zlib, but gives smaller files.
var deflateLevels = [...]int{0, 1, 3, 5, 6, 7, 7, 8, 8, 10}

// encodePixels encodes a result without libvips' saver, if e assigns it to imaging/pixels and it carries no metadata;
// else it returns nil.
func (j *job) encodePixels(i *image, e imaging.Encode) ([]byte, error) {
	if e.By != imaging.ByPixels || i.carries() {
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
	stop := (*int32)(unsafe.Pointer(j.stop))
	quality := e.Format.Traits().QualityScale.At(e.Quality)
	var data []byte
	switch e.Format {
	case imaging.JPEG:
		data, err = pixels.EncodeJPEG(p, quality, stop)
	case imaging.PNG:
		data, err = pixels.EncodePNG(p, deflateLevel(e.Compression), stop)
	case imaging.WebP:
		as := pixels.WebPEncoder{Quality: quality, Effort: e.Effort, Lossless: e.Lossless,
			Threads: j.limits.Threads > 1}
		if data, err = pixels.EncodeWebP(p, as, stop); err == nil {
			data = canvased(data, p.Width, p.Height)
		}
	}
	if err = elseLibvips(err); err != nil {
		return nil, j.failed(err)
	}
	return data, nil
}

// deflateLevel returns libdeflate's level for a level of zlib; -1 is the default.
func deflateLevel(level int) int {
	if level < 0 {
		level = pngLevel
	}
	return deflateLevels[level]
}
