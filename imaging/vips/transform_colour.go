package vips

// #include "sl_image.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// stepColour makes the job's image 8-bit sRGB with or without alpha. One with a wide RGB profile
// keeps both its numbers and the profile when nothing that is asked for needs sRGB.
func stepColour(j *job) error {
	if err := j.eightBits(); err != nil {
		return err
	}
	switch {
	case j.image.interpretation() == C.SL_INTERPRETATION_CMYK:
		if err := j.apply(func(i *image) (*image, error) { return i.transform("srgb", "cmyk") }); err != nil {
			return err
		}
	case j.icc == nil:
	case j.image.bands() >= 3 && j.keepsProfile():
		return j.toRGB()
	default:
		// A broken profile is no reason to refuse the picture.
		if out, err := j.image.transform("srgb", "srgb"); err == nil {
			j.replace(out)
		}
	}
	j.icc = nil
	return j.toRGB()
}

// eightBits rounds 16-bit samples.
func (j *job) eightBits() error {
	space := C.int(C.SL_INTERPRETATION_sRGB)
	switch j.image.interpretation() {
	case C.SL_INTERPRETATION_RGB16:
	case C.SL_INTERPRETATION_GREY16:
		space = C.SL_INTERPRETATION_B_W
	default:
		return nil
	}
	return j.apply(func(i *image) (*image, error) { return i.colourspace(space) })
}

// toRGB makes what is left of other spaces sRGB: greys, Lab, floats.
func (j *job) toRGB() error {
	srgb := C.int(C.SL_INTERPRETATION_sRGB)
	if j.image.interpretation() != srgb || j.image.bands() < 3 {
		if err := j.apply(func(i *image) (*image, error) { return i.colourspace(srgb) }); err != nil {
			return err
		}
	}
	if j.image.bands() > 4 {
		if err := j.apply(func(i *image) (*image, error) { return i.firstBands(3) }); err != nil {
			return err
		}
	}
	if j.image.format() == C.SL_FORMAT_UCHAR {
		return nil
	}
	return j.apply((*image).castUchar)
}

// keepsProfile says whether the result may be in the source's own RGB space.
func (j *job) keepsProfile() bool {
	c := j.plan.Colour
	return c.KeepProfile && (c.Target != imaging.PNG && c.Target != "" || pngTakes(j.icc))
}

// transform converts the image to a profile of libvips', from its own or else from fallback.
func (i *image) transform(profile, fallback string) (*image, error) {
	to, from := C.CString(profile), C.CString(fallback)
	defer C.free(unsafe.Pointer(to))
	defer C.free(unsafe.Pointer(from))
	var out *C.VipsImage
	return made(&out, C.sl_icc_transform(i.v, &out, to, from))
}

// colourspace converts the image without a profile.
func (i *image) colourspace(space C.int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_colourspace(i.v, &out, space))
}

// castUchar returns the image with 8 bits a band, values outside clipped.
func (i *image) castUchar() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_cast_uchar(i.v, &out))
}

// firstBands returns the image's first n bands.
func (i *image) firstBands(n int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_first_bands(i.v, &out, C.int(n)))
}

// stepColourspace converts the result to the space that to_colorspace() names and leaves the profile
// in it.
func stepColourspace(j *job) error {
	space := j.plan.Colour.Space
	if space == "" {
		return nil
	}
	if space == "cmyk" {
		if err := j.flatten(white); err != nil {
			return err
		}
	}
	return j.apply(func(i *image) (*image, error) { return i.transform(space, "srgb") })
}
