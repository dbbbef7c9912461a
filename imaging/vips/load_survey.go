package vips

import (
	"context"
	"io"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Survey reads the header of src and no pixel: less than a millisecond. The header of a vector has no size, for
// that takes all of the file. It leaves the reader anywhere. The errors are those of Info.
func (e *Engine) Survey(ctx context.Context, src imaging.Source, limits imaging.Limits) (imaging.Header, error) {
	if src.Canvas != nil {
		return imaging.Header{}, fault.New(fault.Invalid, "A canvas has no header")
	}
	if ctx.Err() == nil {
		if h, ok := e.Parse(src); ok && !slices.Contains(e.refused, h.Format) {
			return h, nil
		}
	}
	return e.surveyWithLibvips(ctx, src, limits)
}

// Parse is the function Parse. It reads refused formats, too, because it hands them to no decoder.
func (e *Engine) Parse(src imaging.Source) (h imaging.Header, ok bool) { return Parse(src) }

// Parse is Survey for the files whose header Go alone reads: the usual JPEGs, PNGs and WebP stills. ok is false for all
// others.
func Parse(src imaging.Source) (h imaging.Header, ok bool) {
	format, err := sniffReader(src)
	if err != nil {
		return h, false
	}
	switch format {
	case imaging.JPEG:
		return surveyJPEG(src)
	case imaging.PNG:
		return surveyPNG(src)
	case imaging.WebP:
		return surveyWebP(src)
	}
	return h, false
}

func (e *Engine) surveyWithLibvips(
	ctx context.Context,
	src imaging.Source,
	limits imaging.Limits,
) (header imaging.Header, err error) {
	err = e.run(ctx, nameOf(src), limits, func(j *job) error {
		format, err := sniffReader(src)
		if err != nil {
			return err
		}
		in := &input{
			name:     nameOf(src),
			header:   imaging.Header{Format: format, Bytes: src.Size, Pages: 1, Orientation: 1},
			tolerant: true,
		}
		defer func() { header = in.header }()
		if err := j.check(in); err != nil {
			return err
		}
		if format.Traits().Vector { // drawn on transparency
			in.header.Bands, in.header.Alpha = 4, true
			return nil
		}
		in.source = readerSource(src.Reader)
		defer in.close()
		if format == imaging.JPEG { // before libvips reads, which does not expect others to move its reader
			h, _ := surveyJPEG(src)
			in.header.GainMap = h.GainMap
			if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
				return unreadable(err, in.name)
			}
		}
		return j.readHeader(in, 1)
	})
	return header, err
}
