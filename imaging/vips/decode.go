package vips

// #include "sl_decode_pixels.h"
import "C"

import (
	"fmt"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// loaderName returns libvips' operation that reads the format. Formats that are not in the table never reach libvips,
// which by itself would also try Matlab, OpenSlide, FITS and ImageMagick.
func loaderName(f imaging.Format) string { return f.Traits().Loader + "_source" }

// loadOptions returns the loader's options.
func loadOptions(f imaging.Format, l imaging.Load) string {
	t := f.Traits()
	options := "access=sequential"
	if l.Shrink > 1 {
		options += fmt.Sprintf(",shrink=%d", l.Shrink)
	}
	if l.Scale != 1 {
		options += fmt.Sprintf(",scale=%.9g", l.Scale)
	}
	if t.Pages {
		options += fmt.Sprintf(",page=%d", l.Page)
	}
	if t.Frames {
		options += fmt.Sprintf(",n=%d", l.Frames)
	}
	if l.DPI > 0 && t.Vector {
		options += fmt.Sprintf(",dpi=%g", l.DPI)
	}
	return options
}

// load loads the job's image from its input according to the plan.
func (j *job) load() error {
	if j.plan.Request.Header.Canvas {
		return j.loadCanvas()
	}
	l := j.plan.Load
	img, err := j.decodeToSize(l)
	isScaled := img != nil
	if !isScaled && err == nil {
		img, err = j.decodedBefore(l)
	}
	if img == nil && err == nil {
		img, err = j.decode(l)
	}
	if err != nil {
		return j.failed(err)
	}
	j.replace(img)
	got := imaging.Size{Width: img.width(), Height: img.pageHeight()}
	if !isScaled && got != (imaging.Size{Width: l.Width, Height: l.Height}) { // a vector may get another size
		if err := j.replan(j.plan.WithLoaded(got)); err != nil {
			return err
		}
	}
	if n := j.limits.Threads; n > 1 {
		if err := j.apply(func(i *image) (*image, error) { return i.withThreads(n) }); err != nil {
			return err
		}
	}
	// A line cache of libvips is black where its input failed, and only one of several threads gets the error.
	if j.limits.Threads > 1 && C.sl_pixels(j.image.v) == nil {
		if err := j.apply(func(i *image) (*image, error) { return i.reporting(j.broken) }); err != nil {
			return err
		}
	}
	return j.keepFrames(l.Page, l.Frames)
}

// decodeToSize scales a still while it is decoded, if that is its route and it was not decoded for other jobs.
// Otherwise it returns nil and corrects the route.
func (j *job) decodeToSize(l imaging.Load) (img *image, err error) {
	r := &j.plan.Route
	if r.Scale != imaging.ScaleDecoding {
		return nil, nil
	}
	if in := j.input; j.shared == nil && in.spare != nil && in.source.data != nil {
		if in.header.Format == imaging.JPEG {
			return j.loadScaledJPEG(l)
		}
		if img, err = j.loadScaledWebP(); elseLibvips(err) != nil {
			return nil, err
		}
	}
	if img == nil {
		r.Scale = imaging.ScaleDown
	}
	return img, nil
}

// decode returns the input as l says, by the library that the route names. Most files are decoded only when pixels are
// requested.
func (j *job) decode(l imaging.Load) (*image, error) {
	img, err := j.decodeByPixels(l)
	if img == nil && err == nil {
		img, err = j.input.decodeByLibvips(l)
	}
	if err != nil || l.Box <= 1 {
		return img, err
	}
	defer img.close()
	return img.boxed(l.Box)
}

// decodeByPixels decodes a still by imaging/pixels, if that is its route. It returns nil for pictures that libvips
// must decode, including those that imaging/pixels turns out not to support.
func (j *job) decodeByPixels(l imaging.Load) (img *image, err error) {
	r, in := &j.plan.Route, j.input
	if r.Decode != imaging.ByPixels {
		return nil, nil
	}
	if in.spare != nil && in.source.data != nil {
		switch in.header.Format {
		case imaging.JPEG:
			return j.input.loadJPEG(l, j.damaged, j.stop)
		case imaging.PNG:
			img, err = j.loadPNG()
		case imaging.WebP:
			img, err = j.loadWebP(l)
		}
	}
	if img == nil {
		*r = r.ByLibvips()
	}
	return img, elseLibvips(err)
}

// keepFrames writes the number of loaded frames to the header, where libvips leaves the file's total.
func (j *job) keepFrames(first, n int) error {
	height := j.image.pageHeight()
	if n == 1 {
		height = 0
	}
	delays := j.image.integers("delay")
	if err := j.apply(func(i *image) (*image, error) { return i.withFrames(height) }); err != nil {
		return err
	}
	if n > 1 && len(delays) >= first+n {
		return j.apply(func(i *image) (*image, error) { return i.withIntegers("delay", delays[first:first+n]) })
	}
	return nil
}

// loadCanvas makes the job's image a solid colour.
func (j *job) loadCanvas() error {
	colour := *j.canvas
	if colour.Word != "" && colour.Word != "none" {
		return fault.New(fault.Invalid, "A canvas cannot have the color %s", colour.Word)
	}
	if colour.Word == "none" {
		colour = imaging.Colour{}
	}
	img, err := solid(j.plan.Load.Width, j.plan.Load.Height, colour)
	if err != nil {
		return j.failed(err)
	}
	j.replace(img)
	return nil
}
