package vips

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Survey reads what the header of src says of it, and no pixel: less than a millisecond. Vectors have no sizes,
// for theirs needs all of the file. It leaves the reader anywhere. The errors are those of Info.
func (e *Engine) Survey(ctx context.Context, src imaging.Source, limits imaging.Limits) (imaging.Facts, error) {
	facts := imaging.Facts{Bytes: src.Size, Pages: 1}
	if src.Canvas != nil {
		return facts, fault.New(fault.Invalid, "A canvas has no header")
	}
	err := e.run(ctx, nameOf(src), limits, func(j *job) (err error) {
		if j.format, err = sniffReader(src); err != nil {
			return err
		}
		l, err := j.loader()
		if err != nil {
			return err
		}
		facts.Format = j.format
		if l.vector {
			return nil
		}
		j.source = readerSource(src.Reader)
		img, err := j.load(j.loadOptions(1, 0, 1))
		if err != nil {
			return j.failed(err)
		}
		defer img.close()
		facts.Width, facts.Height, facts.Bands = img.width(), img.pageHeight(), img.bands()
		if n, ok := img.integer("n-pages"); ok && n > 0 && l.pages {
			facts.Pages = n
		}
		if n, ok := img.integer("orientation"); ok && l.oriented {
			facts.Turned = n >= 5 && n <= 8
		}
		facts.Whole = img.flagged("jpeg-multiscan") || img.flagged("interlaced")
		return nil
	})
	return facts, err
}

// flagged says whether the header's field of that name is there and not 0.
func (i *image) flagged(name string) bool {
	n, ok := i.integer(name)
	return ok && n != 0
}
