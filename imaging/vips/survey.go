package vips

// #include "image.h"
import "C"

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Survey reads what the header of src says of it, and no pixel: less than a millisecond. Vectors have no sizes,
// for theirs needs all of the file. It leaves the reader anywhere. The errors are those of Info.
func (e *Engine) Survey(ctx context.Context, src imaging.Source, limits imaging.Limits) (imaging.Header, error) {
	header := imaging.Header{Bytes: src.Size, Pages: 1}
	if src.Canvas != nil {
		return header, fault.New(fault.Invalid, "A canvas has no header")
	}
	err := e.run(ctx, nameOf(src), limits, func(j *job) (err error) {
		if j.format, err = sniffReader(src); err != nil {
			return err
		}
		l, err := j.loader()
		if err != nil {
			return err
		}
		header.Format = j.format
		if l.vector {
			return nil
		}
		j.source = readerSource(src.Reader)
		img, err := j.load(j.loadOptions(1, 0, 1))
		if err != nil {
			return j.failed(err)
		}
		defer img.close()
		header.Width, header.Height, header.Bands = img.width(), img.pageHeight(), img.bands()
		header.Alpha, header.Depth = img.hasAlpha(), img.depth()
		if n, ok := img.integer("n-pages"); ok && n > 0 && l.pages {
			header.Pages = n
		}
		if n, ok := img.integer("orientation"); ok && n >= 1 && n <= 8 && l.oriented {
			header.Orientation = n
		}
		header.Whole = img.flagged("jpeg-multiscan") || img.flagged("interlaced")
		return nil
	})
	return header, err
}

// flagged says whether the header's field of that name is there and not 0.
func (i *image) flagged(name string) bool {
	n, ok := i.integer(name)
	return ok && n != 0
}

// depth returns the bits of a sample.
func (i *image) depth() int { return int(C.sl_sample_size(i.v)) * 8 }
