package vips

// #include "sl_image.h"
// #include "sl_decode.h"
// #include "sl_encode.h"
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// minQuality is the lowest quality that max_bytes() may choose.
const minQuality = 10

// saveAs encodes the job's image according to e.
func (j *job) saveAs(e imaging.Encode) (data []byte, err error) {
	if e.AutoQuality {
		if e.Quality, err = j.autoQuality(e); err != nil {
			return nil, err
		}
	}
	if e.Format.Traits().Bleeds && !e.Lossless && j.image.hasAlpha() {
		if err := j.spreadColours(); err != nil {
			return nil, err
		}
	}
	// A second attempt reads all pixels again.
	if e.MaxBytes > 0 || e.Format.Traits().Buffered {
		if err := j.settlePixels(); err != nil {
			return nil, err
		}
	}
	data, err = j.encode(e)
	if err != nil || e.MaxBytes == 0 || len(data) <= e.MaxBytes {
		return data, err
	}
	if e.Quality == 0 || e.Lossless {
		j.warn("max_bytes", "n", "filter max_bytes: "+string(e.Format)+" has no quality to lower")
		return data, nil
	}
	return j.fit(data, e)
}

// fit searches for the highest quality, below that of data, at which the file has at most e.MaxBytes bytes. If there
// is none, it returns the file of the lowest quality, with a warning.
func (j *job) fit(data []byte, e imaging.Encode) ([]byte, error) {
	best, fits := data, false
	low, high := minQuality, e.Quality-1
	for low <= high {
		if err := j.ended(); err != nil {
			return nil, err
		}
		middle := (low + high) / 2
		e.Quality = middle
		one, err := j.encode(e)
		if err != nil {
			return nil, err
		}
		if len(one) <= e.MaxBytes {
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

// encode runs the saver once.
func (j *job) encode(e imaging.Encode) ([]byte, error) {
	data, err := j.encodeImage(j.image, e)
	return data, j.failed(err)
}

// encodeImage encodes an image. libvips 8.14's WebP saver leaks its input and its encoder if it fails or is stopped.
// So it gets pixels that are already in memory, and is not stopped.
func (j *job) encodeImage(img *image, e imaging.Encode) ([]byte, error) {
	start := time.Now()
	defer func() { j.encoding += time.Since(start) }()
	if e.Gray {
		gray, err := img.oneBand()
		if err != nil {
			return nil, err
		}
		defer gray.close()
		img = gray
	}
	j.plan.Route.Encode = e.By
	if data, err := j.encodePixels(img, e); data != nil || err != nil {
		return data, err
	}
	j.plan.Route.Encode = imaging.ByLibvips
	if e.Format == imaging.WebP {
		quiet, err := img.unwatched()
		if err != nil {
			return nil, err
		}
		defer quiet.close()
		img = quiet
	}
	data, err := img.saveUntil(j.stop, e.Format, saveOptions(e))
	if err == nil && e.Format == imaging.WebP && !img.carries() {
		data = bareWebP(data)
	}
	return data, err
}

// saveUntil returns the image as the bytes of a file. If the saver supports it, it ends with an error soon after *stop
// is not 0; nil: never.
func (i *image) saveUntil(stop *C.int, f imaging.Format, options string) ([]byte, error) {
	t := f.Traits()
	watched := t.Watched && stop != nil
	name := t.Saver + "_buffer"
	if watched {
		name = t.Saver + "_target"
	}
	saver, text := C.CString(name), C.CString(options)
	defer C.free(unsafe.Pointer(saver))
	defer C.free(unsafe.Pointer(text))
	var bare C.int
	if t.Bare && !i.carries() {
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

// saveOptions returns libvips' options for an Encode.
func saveOptions(e imaging.Encode) string {
	t := e.Format.Traits()
	options := []string{}
	add := func(when bool, format string, a ...any) {
		if when {
			options = append(options, fmt.Sprintf(format, a...))
		}
	}
	add(t.Options != "" && !e.Palette, "%s", t.Options) // filters increase the number of colors
	add(t.Quality > 0, "Q=%d", t.QualityScale.At(e.Quality))
	add(e.Effort >= 0, "effort=%d", e.Effort)
	add(e.Lossless, "lossless=true")
	add(e.Compression >= 0, "compression=%d", e.Compression)
	add(e.Palette, "palette=true")
	add(e.Bits > 0, "bitdepth=%d", e.Bits)
	return strings.Join(options, ",")
}

// plainEncode returns the default way to write the format.
func plainEncode(f imaging.Format) imaging.Encode {
	t := f.Traits()
	e := imaging.Encode{Format: f, Quality: imaging.DefaultQuality, Effort: -1, Compression: -1}
	if t.Effort > 0 {
		e.Effort = t.Effort
	}
	return e
}

// spreadColours extends the colors of the visible pixels into those that are fully transparent. A lossy encoder blurs
// colors across edges, and hidden pixels would otherwise contribute black.
func (j *job) spreadColours() error {
	if err := j.settlePixels(); err != nil {
		return err
	}
	return j.apply(func(i *image) (*image, error) {
		var out *C.VipsImage
		return made(&out, C.sl_spread(i.v, &out))
	})
}

// oneBand returns an image without color as one band plus its alpha.
func (i *image) oneBand() (*image, error) {
	if i.bands() < 3 {
		return i.ref(), nil
	}
	var out *C.VipsImage
	return made(&out, C.sl_one_band(i.v, &out))
}
