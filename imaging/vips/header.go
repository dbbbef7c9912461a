package vips

import (
	"fmt"
	"math"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// header is what a source says of itself before any pixel is read.
type header struct {
	width, height int // of one frame, as stored
	pages         int // frames of an animation, pages of a document; 1 for a still
	bands         int
	orientation   int // EXIF 1..8; 1 where there is none or the loader turns the picture
}

// sides returns width and height once the orientation is applied.
func (h header) sides() (width, height int) {
	if h.orientation >= 5 {
		return h.height, h.width
	}
	return h.width, h.height
}

// openHeader reads the source's header. The job's source and format are set.
func (j *job) openHeader() error {
	l, err := j.loader()
	if err != nil {
		return err
	}
	img, err := j.load(j.loadOptions(1, 0, 1))
	if err != nil {
		return j.failed(err)
	}
	defer func() { j.spare = img }()
	j.header = header{width: img.width(), height: img.pageHeight(), pages: 1, bands: img.bands(), orientation: 1}
	if n, ok := img.integer("n-pages"); ok && n > 0 && l.pages {
		j.header.pages = n
	}
	if n, ok := img.integer("orientation"); ok && n >= 1 && n <= 8 && l.oriented {
		j.header.orientation = n
	}
	j.exif = exifOf(img)
	if profile := img.blob("icc-profile-data"); !plainSRGB(profile) {
		j.icc = profile
	}
	return nil
}

// loader returns the row for the job's format, or a fault.UnsupportedType that says why there
// is none.
func (j *job) loader() (loader, error) {
	l, ok := loaders[j.format]
	switch {
	case slices.Contains(j.engine.refused, j.format):
		return l, fault.New(fault.Unavailable, "The file %s changed its format while it was read, try again", j.name)
	case j.format == imaging.PDF && !j.limits.AllowPDF:
		return l, fault.New(fault.UnsupportedType, "The file %s is a PDF, which this server does not read", j.name)
	case !ok && j.format == "":
		return l, fault.New(fault.UnsupportedType, "The file %s is no picture that this server reads", j.name)
	case !ok:
		return l, fault.New(fault.UnsupportedType, "The file %s is of the format %s, which this server does not read", j.name, j.format)
	}
	return l, nil
}

// load runs the format's loader, unless the image that gave the header was loaded just so.
func (j *job) load(options string) (*image, error) {
	spare := j.spare
	j.spare = nil
	if spare != nil && options == j.options {
		return spare, nil
	}
	spare.close()
	j.options = options
	return j.source.load(loaders[j.format].name, options)
}

// loadOptions returns the loader's options for that scale and those pages, from 0.
func (j *job) loadOptions(scale float64, first, pages int) string {
	l := loaders[j.format]
	options := "access=sequential"
	switch {
	case scale == 1:
	case l.shrinks:
		options += fmt.Sprintf(",shrink=%d", int(math.Round(1/scale)))
	default:
		options += fmt.Sprintf(",scale=%.9g", scale)
	}
	if l.pages {
		options += fmt.Sprintf(",page=%d", first)
	}
	if l.frames {
		options += fmt.Sprintf(",n=%d", pages)
	}
	if c, ok := j.lastCall("dpi"); ok && l.vector {
		options += fmt.Sprintf(",dpi=%g", c.Float("n"))
	}
	return options
}

// checkSource refuses what the header says is over the limits, before any pixel is decoded.
// decoded is how many frames the decoder goes through.
func (j *job) checkSource(width, height, decoded int) error {
	if limit := j.limits.MaxFrames; limit > 0 && decoded > limit {
		return fault.New(fault.TooLarge, "The picture %s has %d frames; at most %d are allowed", j.name, decoded, limit)
	}
	pixels := int64(width) * int64(height) * int64(decoded)
	if limit := j.limits.MaxSourcePixels; limit > 0 && pixels > limit {
		return fault.New(fault.TooLarge, "The picture %s has %dx%d pixels in %d frames; at most %d pixels are allowed", j.name, width, height, decoded, limit)
	}
	return nil
}
