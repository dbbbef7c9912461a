package vips

/*
#cgo pkg-config: vips
#cgo LDFLAGS: -lm
#include "sl_image.h"
#include "sl_library.h"
*/
import "C"

import (
	"errors"
	"strings"
	"unsafe"
)

// image owns one reference to a libvips image. Frames of an animation are stacked from top to bottom. Whoever makes an
// image must close it or pass it to job.replace. Images made from it stay valid. The methods that make an image never
// change their receiver.
type image struct {
	v *C.VipsImage
}

// own wraps v, whose reference passes to the image.
func own(v *C.VipsImage) *image { return &image{v: v} }

// made wraps the image that an sl_ function has written to out, if it returned 0; else it returns libvips' error.
func made(out **C.VipsImage, code C.int) (*image, error) {
	if code != 0 {
		return nil, vipsError()
	}
	return own(*out), nil
}

// vipsError returns the text of libvips' error buffer, and clears the buffer. All threads share the buffer, so the
// text is only for logs and must not decide anything.
func vipsError() error {
	buffer := C.sl_error()
	defer C.sl_free(unsafe.Pointer(buffer))
	text := strings.TrimSpace(C.GoString(buffer))
	if text == "" {
		text = "no message"
	}
	return errors.New("libvips: " + text)
}

// close releases the reference. It may be called twice and on nil.
func (i *image) close() {
	if i != nil && i.v != nil {
		C.sl_unref(i.v)
		i.v = nil
	}
}

// ref returns a second image for the same pixels, to be closed on its own.
func (i *image) ref() *image { return own(C.sl_ref(i.v)) }

func (i *image) width() int  { return int(C.sl_width(i.v)) }
func (i *image) height() int { return int(C.sl_height(i.v)) } // of all frames together
func (i *image) bands() int  { return int(C.sl_bands(i.v)) }

// hasAlpha reports whether the last band is transparency.
func (i *image) hasAlpha() bool { return C.sl_has_alpha(i.v) != 0 }

// interpretation returns how libvips interprets the bands.
func (i *image) interpretation() C.int { return C.sl_interpretation(i.v) }

// format returns the numeric format of the bands.
func (i *image) format() C.int { return C.sl_format(i.v) }

// pageHeight returns the height of one frame, the whole height for a still.
func (i *image) pageHeight() int { return int(C.sl_page_height(i.v)) }

// pages returns the number of frames that are stacked in the image, 1 for a still.
func (i *image) pages() int { return i.height() / i.pageHeight() }

// integer returns the integer field of the header with the given name.
func (i *image) integer(name string) (int, bool) {
	var value C.int
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	if C.sl_get_int(i.v, key, &value) != 0 {
		C.sl_clear_error()
		return 0, false
	}
	return int(value), true
}

// withFrames returns the image with the frame height in its header; a height of 0 or of the whole image makes it a
// still.
func (i *image) withFrames(pageHeight int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_set_frames(i.v, &out, C.int(pageHeight)))
}

// withThreads returns the image with the number of threads that compute it in its header.
func (i *image) withThreads(n int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_set_threads(i.v, &out, C.int(n)))
}

// stoppable returns the image, whose pixels cannot be read once *stop is not 0.
func (i *image) stoppable(stop *C.int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_stoppable(i.v, &out, stop))
}

// reporting returns the image, which sets *failed to 1 when a part of it cannot be computed.
func (i *image) reporting(failed *C.int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_report_failure(i.v, &out, failed))
}

// copyMemory computes all pixels now into memory. This is necessary before a sequential image is read a second time or
// out of order.
func (i *image) copyMemory() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_copy_memory(i.v, &out))
}

// extract returns the given area of the stacked frames.
func (i *image) extract(left, top, width, height int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_extract(i.v, &out, C.int(left), C.int(top), C.int(width), C.int(height)))
}

// frame returns one frame, from 0, as a still.
func (i *image) frame(n int) (*image, error) {
	height := i.pageHeight()
	area, err := i.extract(0, n*height, i.width(), height)
	if err != nil {
		return nil, err
	}
	defer area.close()
	return area.withFrames(0)
}

// integers returns a copy of the header's list with the given name; nil if there is none.
func (i *image) integers(name string) []int {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	var n C.int
	values := C.sl_get_ints(i.v, key, &n)
	if values == nil {
		return nil
	}
	list := make([]int, n)
	for k, v := range unsafe.Slice(values, int(n)) {
		list[k] = int(v)
	}
	return list
}

// withIntegers returns the image with the given list in its header.
func (i *image) withIntegers(name string, list []int) (*image, error) {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	values := make([]C.int, len(list))
	for k, v := range list {
		values[k] = C.int(v)
	}
	return i.withHeader(func(v *C.VipsImage) { C.sl_set_ints(v, key, &values[0], C.int(len(values))) })
}

// withHeader returns the image with a header of its own, which change may change.
func (i *image) withHeader(change func(*C.VipsImage)) (*image, error) {
	var out *C.VipsImage
	copied, err := made(&out, C.sl_alias(i.v, &out))
	if err == nil {
		change(copied.v)
	}
	return copied, err
}

// blob returns a copy of the header's bytes with the given name; nil if there are none.
func (i *image) blob(name string) []byte {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	var size C.size_t
	data := C.sl_get_blob(i.v, key, &size)
	if data == nil {
		return nil
	}
	return C.GoBytes(data, C.int(size))
}

// text returns the header's text with the given name; empty if there is none.
func (i *image) text(name string) string {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	text := C.sl_get_text(i.v, key)
	if text == nil {
		return ""
	}
	defer C.sl_free(unsafe.Pointer(text))
	return C.GoString(text)
}

// fields returns the names of all fields of the header.
func (i *image) fields() []string {
	list := C.sl_fields(i.v)
	defer C.sl_free_list(list)
	return goStrings(list)
}

// goStrings copies a list of C strings that ends with NULL.
func goStrings(list **C.char) []string {
	var names []string
	for p := list; *p != nil; p = (**C.char)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		names = append(names, C.GoString(*p))
	}
	return names
}

// stack puts frames of one size below each other, with a header that says how high one is. A
// single frame stays as it is, a still.
func stack(frames []*image) (*image, error) {
	if len(frames) == 1 {
		return frames[0].ref(), nil
	}
	list := make([]*C.VipsImage, len(frames))
	for n, frame := range frames {
		list[n] = frame.v
	}
	var out *C.VipsImage
	joined, err := made(&out, C.sl_join_down(&list[0], &out, C.int(len(list))))
	if err != nil {
		return nil, err
	}
	defer joined.close()
	return joined.withFrames(frames[0].height())
}
