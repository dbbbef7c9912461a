// Package pixels decodes, scales and encodes stills: all JPEGs in gray, RGB and CMYK, and of other formats what is in
// memory and takes much less than libvips does. All else is left to libvips, which also reads all metadata. It knows
// nothing of libvips; imaging/vips makes images of its pixels.
//
// The files are named by stage:
//   - decode_*: JPEG by libjpeg with a Huffman decoder of our own, PNG by libdeflate, WebP by libwebp. A JPEG can be
//     decoded at several scales at once (decode_jpeg), and a JPEG or lossy WebP scaled while it is decoded
//     (decode_jpeg_reduce, decode_webp_reduce).
//   - reduce*: scaling down, in blocks of eight rows: weights, vertical pass (reducev), transposition, horizontal pass
//     (reduceh).
//   - encode_*: JPEG by libjpeg, PNG by libdeflate, WebP by libwebp.
package pixels

// #include "result.h"
import "C"

import (
	"errors"
	"sync/atomic"
)

// Errors of functions that did not do all of their work. Their output may be partly written.
var (
	// ErrUnsupported means that a function does not support the file or the size: the file is of another kind or has
	// another size, or the decoder finds no picture in it. libvips then decodes PNG and WebP; a JPEG cannot be
	// decoded.
	ErrUnsupported = errors.New("this is not decoded, scaled or encoded here")
	ErrDamaged     = errors.New("the file is damaged")
	ErrStopped     = errors.New("the work was stopped")
	ErrMemory      = errors.New("there is not enough memory")
)

// errorOf returns the error for the result of a function in C that checks stop.
func errorOf(result C.int, stop *int32) error {
	switch {
	case result == C.sl_ok:
		return nil
	case result == C.sl_damaged:
		return ErrDamaged
	case atomic.LoadInt32(stop) != 0:
		return ErrStopped
	case result == C.sl_no_memory:
		return ErrMemory
	}
	return ErrUnsupported
}

// Picture holds pixels with 8 bits per sample, row by row without gaps: gray or RGB, with or without alpha.
type Picture struct {
	Pixels               []byte
	Width, Height, Bands int
	PerMeter             [2]uint32 // horizontal and vertical resolution in pixels per meter
}
