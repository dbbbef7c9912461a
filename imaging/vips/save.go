package vips

// #include "image.h"
// #include "load.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// leastQuality is how low max_bytes() may go.
const leastQuality = 10

// save encodes the job's image as its target.
func (j *job) save() ([]byte, error) {
	if err := j.checkTarget(); err != nil {
		return nil, err
	}
	quality, err := j.chosenQuality()
	if err != nil {
		return nil, err
	}
	limit := 0
	if c, ok := j.lastCall("max_bytes"); ok {
		limit = c.Int("n")
	}
	// AVIF's encoder asks for rows more than once, and a second attempt reads all again.
	if limit > 0 || j.target == imaging.AVIF || j.target == imaging.HEIF || j.target == imaging.WebP {
		if err := j.settlePixels(); err != nil {
			return nil, err
		}
	}
	data, err := j.encode(quality)
	if err != nil || limit == 0 || len(data) <= limit {
		return data, err
	}
	if savers[j.target].quality == 0 || j.lossless() {
		j.warn("max_bytes", "n", "filter max_bytes: "+string(j.target)+" has no quality to lower")
		return data, nil
	}
	return j.fit(data, quality, limit)
}

// fit searches the highest quality below that of data with which the file has at most limit
// bytes; when none has, the lowest is returned with a warning.
func (j *job) fit(data []byte, quality, limit int) ([]byte, error) {
	best, fits := data, false
	low, high := leastQuality, quality-1
	for low <= high {
		if err := j.ended(); err != nil {
			return nil, err
		}
		middle := (low + high) / 2
		one, err := j.encode(middle)
		if err != nil {
			return nil, err
		}
		if len(one) <= limit {
			best, fits = one, true
			low = middle + 1
		} else {
			high = middle - 1
			if !fits {
				best = one
			}
		}
	}
	if !fits {
		j.warn("max_bytes", "n", "filter max_bytes: the file does not fit even with the lowest quality")
	}
	return best, nil
}

// encode runs the target's saver once.
func (j *job) encode(quality int) ([]byte, error) {
	data, err := j.encodeImage(j.image, j.saveOptions(quality))
	return data, j.failed(err)
}

// encodeImage encodes an image as the target. libvips 8.14's WebP saver leaks its input and its encoder
// when it fails or is stopped: it gets pixels that are there already, and is left to finish.
func (j *job) encodeImage(img *image, options string) ([]byte, error) {
	start := time.Now()
	defer func() { j.encoding += time.Since(start) }()
	if j.target == imaging.WebP {
		var out *C.VipsImage
		code := C.sl_unwatch(img.v, &out)
		quiet, err := made(out, code)
		if err != nil {
			return nil, err
		}
		defer quiet.close()
		img = quiet
	}
	data, err := img.saveUntil(j.stop, savers[j.target], options)
	if err == nil && j.target == imaging.WebP && !img.carries() {
		data = bareWebP(data)
	}
	return data, err
}

// save returns the image as the bytes of a file.
func (i *image) save(s saver, options string) ([]byte, error) { return i.saveUntil(nil, s, options) }

// saveUntil is save that ends with an error soon after stop is not 0, where the saver can; nil: never.
func (i *image) saveUntil(stop *C.int, s saver, options string) ([]byte, error) {
	watched := s.watched != "" && stop != nil
	name := s.name
	if watched {
		name = s.watched
	}
	saver, text := C.CString(name), C.CString(options)
	defer C.free(unsafe.Pointer(saver))
	defer C.free(unsafe.Pointer(text))
	var bare C.int
	if s.bare && !i.carries() {
		bare = 1
	}
	var blob *C.VipsBlob
	var code C.int
	if watched {
		code = C.sl_save_watched(i.v, saver, text, bare, stop, &blob)
	} else {
		code = C.sl_save(i.v, saver, text, bare, &blob)
	}
	if code != 0 {
		return nil, vipsError()
	}
	defer C.sl_blob_unref(blob)
	var size C.size_t
	data := C.sl_blob_data(blob, &size)
	return C.GoBytes(data, C.int(size)), nil
}
