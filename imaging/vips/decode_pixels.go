package vips

// #include "sl_library.h"
// #include "sl_decode_pixels.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// jpegRows decodes the rows of a JPEG when libvips requests them.
type jpegRows struct {
	*pixels.JPEGRows
	stride  int
	damaged *atomic.Bool // set at the last row of a damaged picture
	err     error        // the first error, which libvips would not report
	handle  cgo.Handle
}

// close frees everything; it may be called on nil.
func (r *jpegRows) close() {
	if r != nil {
		r.handle.Delete()
		r.Close()
	}
}

// slReadRow decodes the row y of the picture of that handle, which is the next one: 0, or -1 for an error.
//
//export slReadRow
func slReadRow(handle C.uintptr_t, y C.int, row unsafe.Pointer) C.int {
	r := cgo.Handle(handle).Value().(*jpegRows)
	if int(y) != r.Decoded() {
		return -1
	}
	if err := noted(r.Read(unsafe.Slice((*byte)(row), r.stride)), r.damaged); err != nil {
		if r.err == nil {
			r.err = err
		}
		return -1
	}
	return 0
}

// loadJPEG decodes a JPEG that is in memory without libvips' loader and its threads. Damaged files are decoded, too,
// and reported in damaged afterwards. Only the rows of a large picture are decoded on demand.
func (in *input) loadJPEG(l imaging.Load, damaged *atomic.Bool, stop *C.int) (*image, error) {
	file, bands, end := in.source.data, in.header.Bands, (*int32)(unsafe.Pointer(stop))
	if !l.IsRows(in.header) {
		return in.spare.remade(l.Width, l.Height, func(out []byte) error {
			scale := pixels.Scale{Shrink: l.Shrink, Width: l.Width, Height: l.Height, Pixels: out}
			return noted(pixels.DecodeJPEG(file, bands, []pixels.Scale{scale}, end), damaged)
		})
	}
	rows, err := pixels.OpenJPEG(file, bands, l.Shrink, l.Width, l.Height, end)
	if err != nil {
		return nil, err
	}
	in.rows.close()
	in.rows = &jpegRows{JPEGRows: rows, stride: l.Width * bands, damaged: damaged}
	in.rows.handle = cgo.NewHandle(in.rows)
	var out *C.VipsImage
	return made(&out, C.sl_rows_image(in.spare.v, C.int(l.Width), C.int(l.Height), C.uintptr_t(in.rows.handle), &out))
}

// noted returns the error of decoding a JPEG, but only records damage, because that still gives a picture.
func noted(err error, damaged *atomic.Bool) error {
	if errors.Is(err, pixels.ErrDamaged) {
		damaged.Store(true)
		return nil
	}
	return err
}

// loadScaledJPEG is loadJPEG, but scales the rows while they are decoded.
func (j *job) loadScaledJPEG(l imaging.Load) (*image, error) {
	part, to := partOf(j.plan.Part, j.plan.Request.Limits.Linear), j.plan.Scaled
	return j.ofSpare(to, func(rgb []byte) error {
		return noted(pixels.ReduceJPEG(
			j.input.source.data, l.Shrink, l.Width, l.Height, part, to.Width, to.Height, rgb,
			(*int32)(unsafe.Pointer(j.stop)),
		), j.damaged)
	})
}

// ofSpare returns an image of the given size whose pixels are written by fill, with the header of the file. spare
// cannot be used afterwards.
func (j *job) ofSpare(size imaging.Size, fill func(pixels []byte) error) (*image, error) {
	in := j.input
	out, err := in.spare.remade(size.Width, size.Height, fill)
	if err == nil {
		in.spare.close()
		in.spare = nil
	}
	return out, err
}

// loadPNG decodes a PNG that is in memory without libvips' loader.
func (j *job) loadPNG() (*image, error) {
	in := j.input
	p, ok := in.parsePNG()
	if !ok {
		return nil, pixels.ErrUnsupported
	}
	buffer := C.sl_pixels_new(C.size_t(p.Buffer()))
	if buffer == nil {
		C.sl_clear_error()
		return nil, pixels.ErrMemory
	}
	if err := p.Decode(unsafe.Slice((*byte)(buffer), p.Buffer()), (*int32)(unsafe.Pointer(j.stop))); err != nil {
		C.sl_pixels_free(buffer)
		return nil, err
	}
	header := in.spare
	in.spare = nil
	var out *C.VipsImage
	return made(&out, C.sl_load_pixels(header.v, buffer, C.int(p.Width), C.int(p.Height), &out))
}

// parsePNG reads the structure of the file, which is in memory; ok is false if package pixels does not decode it.
func (in *input) parsePNG() (p pixels.PNG, ok bool) {
	p, ok = pixels.ParsePNG(in.source.data)
	h := in.header
	return p, ok && p.Width == h.Width && p.Height == h.Height && p.Bands == h.Bands
}

// loadWebP decodes a WebP still that is in memory without libvips' loader.
func (j *job) loadWebP(l imaging.Load) (*image, error) {
	in, h, to := j.input, j.input.header, l.Size()
	if l.Box > 1 { // Width and Height are those after Box
		to = imaging.Size{Width: h.Width, Height: h.Height}
	}
	if err := in.keepHeader(); err != nil {
		return nil, err
	}
	return j.ofSpare(to, func(out []byte) error {
		return pixels.DecodeWebP(
			in.source.data, h.Width, h.Height, h.Bands, to.Width, to.Height, out, (*int32)(unsafe.Pointer(j.stop)),
		)
	})
}

// loadScaledWebP decodes a lossy WebP still directly at its target size. A lossless one results in
// pixels.ErrUnsupported.
func (j *job) loadScaledWebP() (*image, error) {
	in, h, to := j.input, j.input.header, j.plan.Scaled
	if err := in.keepHeader(); err != nil {
		return nil, err
	}
	return j.ofSpare(to, func(rgb []byte) error {
		return pixels.ReduceWebP(
			in.source.data, h.Width, h.Height, to.Width, to.Height, rgb, (*int32)(unsafe.Pointer(j.stop)),
		)
	})
}

// keepHeader replaces spare with an image that has only its header. Otherwise libvips would keep a canvas of the
// file's size in memory in addition to the pixels.
func (in *input) keepHeader() error {
	var out *C.VipsImage
	header, err := made(&out, C.sl_header(in.spare.v, &out))
	if err != nil {
		return err
	}
	in.spare.close()
	in.spare, in.options = header, ""
	return nil
}
