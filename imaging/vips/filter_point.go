package vips

// #include "filter.h"
import "C"

import "github.com/safelight/safelight/imaging"

// pointFilters look at one pixel at a time.
func pointFilters() map[string]filter {
	return map[string]filter{
		"background_color": filterBackgroundColour,
		"brightness":       filterBrightness,
		"contrast":         filterContrast,
		"grayscale":        filterGrayscale,
		"hue":              filterHue,
		"invert":           filterInvert,
		"modulate":         filterModulate,
		"rgb":              filterRGB,
		"saturation":       filterSaturation,
	}
}

// curve gives the new value of a band, 0 red to 2 blue, for an old one of 0..255. Results are
// rounded and clamped.
type curve func(band int, v float64) float64

// mapped replaces every colour by its place on the curve; alpha stays. Frames need no care.
func (j *job) mapped(f curve) error {
	bands := j.image.bands()
	table := make([]C.uchar, 256*bands)
	for v := range 256 {
		for b := range bands {
			out := float64(v)
			if b < 3 {
				out = min(max(f(b, out)+0.5, 0), 255)
			}
			table[v*bands+b] = C.uchar(out)
		}
	}
	return j.apply(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_map(i.v, &out, &table[0])
		return made(out, code)
	})
}

func filterBrightness(j *job, s imaging.Step) error {
	add := 2.55 * s.Call.Float("amount")
	return j.mapped(func(_ int, v float64) float64 { return v + add })
}

func filterContrast(j *job, s imaging.Step) error {
	amount := min(max(2.55*s.Call.Float("amount"), -255), 255)
	factor := 259 * (amount + 255) / (255 * (259 - amount))
	return j.mapped(func(_ int, v float64) float64 { return factor*(v-128) + 128 })
}

func filterRGB(j *job, s imaging.Step) error {
	add := [3]float64{2.55 * s.Call.Float("r"), 2.55 * s.Call.Float("g"), 2.55 * s.Call.Float("b")}
	return j.mapped(func(b int, v float64) float64 { return v + add[b] })
}

func filterInvert(j *job, _ imaging.Step) error {
	return j.mapped(func(_ int, v float64) float64 { return 255 - v })
}

func filterGrayscale(j *job, _ imaging.Step) error {
	return j.apply(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_grey(i.v, &out)
		return made(out, code)
	})
}

// lch scales lightness and chroma in LCh, and turns the hue by degrees.
func (j *job) lch(lightness, chroma, hue float64) error {
	if lightness == 1 && chroma == 1 && hue == 0 {
		return nil
	}
	return j.apply(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_lch(i.v, &out, C.double(lightness), C.double(chroma), C.double(hue))
		return made(out, code)
	})
}

func filterHue(j *job, s imaging.Step) error { return j.lch(1, 1, s.Call.Float("degrees")) }

func filterSaturation(j *job, s imaging.Step) error { return j.lch(1, 1+s.Call.Float("amount")/100, 0) }

func filterModulate(j *job, s imaging.Step) error {
	return j.lch(1+s.Call.Float("brightness")/100, 1+s.Call.Float("saturation")/100, s.Call.Float("hue"))
}

func filterBackgroundColour(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("colour").Colour)
	if err != nil || colour.A == 0 {
		return err
	}
	return j.flatten(colour)
}
