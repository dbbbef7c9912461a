package vips

// #include "sl_filter.h"
// #include "sl_library.h"
import "C"

import (
	"bytes"
	"encoding/base64"
	"errors"
	gimage "image"
	"unsafe"

	"github.com/bbrks/go-blurhash"
	"go.n16f.net/thumbhash"

	"github.com/safelight/safelight/imaging"
)

// The largest sides of the thumbnails that hashes are made of.
const (
	blurHashSide  = 64
	thumbHashSide = 100
)

// blurHash returns the BlurHash of the first frame with x times y components.
func blurHash(s small, x, y int) (string, error) {
	pixels, err := s.thumbnail(blurHashSide, true)
	if err != nil {
		return "", err
	}
	return blurhash.Encode(x, y, pixels)
}

// thumbHash returns the ThumbHash of the first frame, in base64.
func thumbHash(s small) (string, error) {
	pixels, err := s.thumbnail(thumbHashSide, false)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(thumbhash.EncodeImage(pixels)), nil
}

// thumbnail returns the first frame with at most side pixels a side, over black where opaque is asked.
func (i *image) thumbnail(side int, opaque bool) (*gimage.NRGBA, error) {
	small, err := i.shrunk(side)
	if err != nil {
		return nil, err
	}
	defer small.close()
	if opaque {
		return small.overBlack()
	}
	return small.pixels()
}

// shrunk returns the first frame with at most side pixels a side.
func (i *image) shrunk(side int) (*image, error) {
	width, height := within(i.width(), i.pageHeight(), side)
	return i.firstResized(width, height)
}

// sample is shrunk, computed into memory.
func (i *image) sample(side int) (*image, error) {
	lazy, err := i.shrunk(side)
	if err != nil {
		return nil, err
	}
	defer lazy.close()
	return lazy.copyMemory()
}

// within returns the sides of a picture scaled down to at most side pixels a side.
func within(width, height, side int) (int, int) {
	if longest := max(width, height); longest > side {
		return max(1, width*side/longest), max(1, height*side/longest)
	}
	return width, height
}

// resized returns the first frame at exactly that size, over black.
func (i *image) resized(width, height int) (*gimage.NRGBA, error) {
	small, err := i.firstResized(width, height)
	if err != nil {
		return nil, err
	}
	defer small.close()
	return small.overBlack()
}

// firstResized returns the first frame at exactly that size.
func (i *image) firstResized(width, height int) (*image, error) {
	first, err := i.frame(0)
	if err != nil {
		return nil, err
	}
	defer first.close()
	return first.resize(width, height)
}

// overBlack copies the image, laid over black, out of libvips.
func (i *image) overBlack() (*gimage.NRGBA, error) {
	flat, err := i.flatten(imaging.Colour{A: 255})
	if err != nil {
		return nil, err
	}
	defer flat.close()
	return flat.pixels()
}

// bytes copies the pixels of the image, as 8 bits a sample, out of libvips.
func (i *image) bytes() ([]byte, error) {
	var size C.size_t
	data := C.sl_bytes(i.v, &size)
	if data == nil {
		return nil, vipsError()
	}
	defer C.sl_free(unsafe.Pointer(data))
	if int(size) != i.width()*i.height()*i.bands() {
		return nil, errors.New("libvips wrote pixels of another size")
	}
	return bytes.Clone(unsafe.Slice((*byte)(data), int(size))), nil
}

// pixels copies the image, of 1 to 4 bands, out of libvips.
func (i *image) pixels() (*gimage.NRGBA, error) {
	from, err := i.bytes()
	if err != nil {
		return nil, err
	}
	width, height, bands := i.width(), i.height(), i.bands()
	out := gimage.NewNRGBA(gimage.Rect(0, 0, width, height))
	for n := range width * height {
		p, to := from[n*bands:(n+1)*bands], out.Pix[n*4:n*4+4]
		switch bands {
		case 1, 2:
			to[0], to[1], to[2], to[3] = p[0], p[0], p[0], 255
		default:
			to[0], to[1], to[2], to[3] = p[0], p[1], p[2], 255
		}
		if bands == 2 || bands == 4 {
			to[3] = p[bands-1]
		}
	}
	return out, nil
}
