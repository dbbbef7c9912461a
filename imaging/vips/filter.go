package vips

import "github.com/safelight/safelight/imaging"

// allFilters returns the functions of filters by name. imaging's table of filters is the other half: a row whose Step
// is set has a function here, or is a tone filter in toneStages. A row without a Step is about loading or saving. The
// input and the output of a filter are 8-bit sRGB images with 3 or 4 bands and one or more stacked frames.
func allFilters() map[string]filter {
	return map[string]filter{
		// These depend on the surrounding pixels.
		"blur":     filterBlur,
		"pixelate": filterPixelate,
		"sharpen":  filterSharpen,
		// These change the size or the outline.
		"crop":         filterCut,
		"fill":         filterFill,
		"padding":      filterPadding,
		"proportion":   filterProportion,
		"rotate":       filterRotate,
		"round_corner": filterRoundCorner,
		"trim":         filterCut,
		// These draw below or over the picture.
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
