package vips

// filters maps the names of the filter table to what they do to the pixels. A name that is in
// imaging.FilterTable but not here says something about loading or saving, and is planned there.
// A filter finds an 8-bit sRGB image of 3 or 4 bands, of one or more stacked frames, and leaves
// one.
func filters() map[string]filter {
	return map[string]filter{
		"background_color": filterBackgroundColour,
		"blur":             filterBlur,
		"brightness":       filterBrightness,
		"contrast":         filterContrast,
		"crop":             filterCut,
		"fill":             filterFill,
		"grayscale":        filterGrayscale,
		"hue":              filterHue,
		"image":            filterLayer,
		"invert":           filterInvert,
		"label":            filterText,
		"modulate":         filterModulate,
		"padding":          filterPadding,
		"pixelate":         filterPixelate,
		"proportion":       filterProportion,
		"rgb":              filterRGB,
		"rotate":           filterRotate,
		"round_corner":     filterRoundCorner,
		"saturation":       filterSaturation,
		"sharpen":          filterSharpen,
		"text":             filterText,
		"trim":             filterCut,
		"watermark":        filterLayer,
	}
}
