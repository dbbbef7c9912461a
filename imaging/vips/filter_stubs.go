package vips

import (
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The filters that are still to be written; each goes from here to a file of its subject.

func unwritten(c imaging.Call) error {
	return fault.New(fault.Invalid, "The filter %s is not written yet", c.Name)
}

func filterBackgroundColour(_ *job, c imaging.Call) error { return unwritten(c) }
func filterBlur(_ *job, c imaging.Call) error             { return unwritten(c) }
func filterBrightness(_ *job, c imaging.Call) error       { return unwritten(c) }
func filterContrast(_ *job, c imaging.Call) error         { return unwritten(c) }
func filterCrop(_ *job, c imaging.Call) error             { return unwritten(c) }
func filterGrayscale(_ *job, c imaging.Call) error        { return unwritten(c) }
func filterHue(_ *job, c imaging.Call) error              { return unwritten(c) }
func filterInvert(_ *job, c imaging.Call) error           { return unwritten(c) }
func filterModulate(_ *job, c imaging.Call) error         { return unwritten(c) }
func filterPadding(_ *job, c imaging.Call) error          { return unwritten(c) }
func filterPixelate(_ *job, c imaging.Call) error         { return unwritten(c) }
func filterProportion(_ *job, c imaging.Call) error       { return unwritten(c) }
func filterRGB(_ *job, c imaging.Call) error              { return unwritten(c) }
func filterRotate(_ *job, c imaging.Call) error           { return unwritten(c) }
func filterRoundCorner(_ *job, c imaging.Call) error      { return unwritten(c) }
func filterSaturation(_ *job, c imaging.Call) error       { return unwritten(c) }
func filterSharpen(_ *job, c imaging.Call) error          { return unwritten(c) }
func filterTrim(_ *job, c imaging.Call) error             { return unwritten(c) }

// averageColour returns the mean of the first frame in sRGB; transparent pixels count as lying
// over black.
func averageColour(_ *image) (imaging.RGB, error) {
	return imaging.RGB{}, fault.New(fault.Invalid, "The average colour is not written yet")
}

// blurHash returns the BlurHash of the first frame with x times y components.
func blurHash(_ *image, x, y int) (string, error) {
	return "", fault.New(fault.Invalid, "blurhash is not written yet")
}

// thumbHash returns the ThumbHash of the first frame, in base64.
func thumbHash(_ *image) (string, error) {
	return "", fault.New(fault.Invalid, "thumbhash is not written yet")
}
