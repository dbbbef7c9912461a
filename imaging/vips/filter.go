package vips

import "github.com/safelight/safelight/imaging"

// allFilters returns the functions of filters by name. imaging's table of filters is the other half: a row whose Step
// is set has a function here or is a tone filter, which toneStages has; a row without one says something about loading
// or saving. A filter finds an 8-bit sRGB image of 3 or 4 bands, of one or more stacked frames, and leaves one.
func allFilters() map[string]filter {
	return map[string]filter{
		// look at the pixels around a pixel
		"blur":     filterBlur,
		"pixelate": filterPixelate,
		"sharpen":  filterSharpen,
		// change the size, or the outline
		"crop":         filterCut,
		"fill":         filterFill,
		"padding":      filterPadding,
		"proportion":   filterProportion,
		"rotate":       filterRotate,
		"round_corner": filterRoundCorner,
		"trim":         filterCut,
		// draw below or over the picture
		"background_color": filterBackgroundColour,
		"image":            filterLayer,
		"label":            filterText,
		"text":             filterText,
		"watermark":        filterLayer,
	}
}

func filterBackgroundColour(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("color").Colour)
	if err != nil || colour.A == 0 {
		return err
	}
	return j.flatten(colour)
}
