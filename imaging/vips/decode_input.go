package vips

// #include "sl_image.h"
import "C"

import (
	"io"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// input is a source that was opened: its bytes, and its header.
type input struct {
	name    string // for messages
	source  *source
	spare   *image // image that provided the header, until it is loaded
	options string // options with which spare was loaded; empty if it has no pixels
	header  imaging.Header
	icc     []byte    // the source's profile; nil if it has none or plain sRGB
	rows    *jpegRows // rows of the picture that was loaded last; may be nil
}

// close frees everything; it may be called on nil. Images must be closed before the bytes that they read.
func (in *input) close() {
	if in == nil {
		return
	}
	in.spare.close()
	in.rows.close()
	in.source.close()
	in.spare, in.rows, in.source = nil, nil, nil
}

// openWhole reads the source into memory and parses its header. page is the argument of page(), from 1.
func (j *job) openWhole(src imaging.Source, page int) (*input, error) {
	s, err := j.engine.wholeSource(src, j.limits.MaxSourceBytes)
	if err != nil {
		return nil, err
	}
	in := &input{
		name:   nameOf(src),
		source: s,
		header: imaging.Header{Format: sniff(s.data), Bytes: int64(len(s.data))},
	}
	if in.header.Format == imaging.JPEG {
		h, _ := surveyJPEG(imaging.Source{Reader: imaging.NewMemoryFile(s.data)})
		in.takeSurveyed(h)
	}
	err = j.check(in)
	if err == nil && in.header.Format == imaging.SVG {
		err = checkSVG(in.name, s.data)
	}
	if err == nil {
		err = j.readHeader(in, page)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// openHeader reads only as much of the source as the header needs; for an SVG or PDF, that is everything.
func (j *job) openHeader(src imaging.Source, page int) (*input, error) {
	format, err := sniffReader(src)
	if err != nil {
		return nil, err
	}
	if limit := j.limits.MaxSourceBytes; limit > 0 && src.Size > limit {
		return nil, fault.New(
			fault.TooLarge, "The file %s has %d bytes; at most %d are allowed", nameOf(src), src.Size, limit,
		)
	}
	in := &input{name: nameOf(src), header: imaging.Header{Format: format, Bytes: src.Size}}
	if err := j.check(in); err != nil {
		return nil, err
	}
	if format.Traits().Vector { // the check needs the whole file
		return j.openWhole(src, page)
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(err, in.name)
	}
	in.source = readerSource(src.Reader)
	if err := j.readHeader(in, page); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// check rejects unsupported formats with a fault.UnsupportedType that gives the reason.
func (j *job) check(in *input) error {
	f := in.header.Format
	switch {
	case slices.Contains(j.engine.refused, f):
		return fault.New(fault.Unavailable, "The file %s changed its format while it was read, try again", in.name)
	case f == imaging.PDF && !j.limits.AllowPDF:
		return fault.New(fault.UnsupportedType, "The file %s is a PDF, which this server does not read", in.name)
	case f == "":
		return fault.New(fault.UnsupportedType, "The file %s is not a picture that this server reads", in.name)
	case f.Traits().Loader == "":
		return fault.New(
			fault.UnsupportedType, "The file %s is of the format %s, which this server does not read",
			in.name, f,
		)
	}
	return nil
}

// readHeader fills the header from the source. The pages of a document can have different sizes; the size of the given
// page is read.
func (j *job) readHeader(in *input, page int) error {
	if in.header.Format == imaging.BMP {
		return in.readBMPHeader()
	}
	t := in.header.Format.Traits()
	if err := j.screen(in); err != nil {
		return err
	}
	img, err := in.decodeByLibvips(imaging.Load{Frames: 1, Shrink: 1, Scale: 1, DPI: j.dpi})
	if err != nil {
		return j.failed(err)
	}
	defer func() { in.spare = img }()
	in.header.Pages = 1
	if n, ok := img.integer("n-pages"); ok && n > 0 && t.Pages {
		in.header.Pages = n
	}
	if first := min(page, in.header.Pages) - 1; first > 0 && t.Pages && !t.Frames {
		img.close()
		if img, err = in.decodeByLibvips(imaging.Load{
			Page: first, Frames: 1, Shrink: 1, Scale: 1, DPI: j.dpi}); err != nil {
			return j.failed(err)
		}
	}
	in.header.Orientation = 1
	if n, ok := img.integer("orientation"); ok && n >= 1 && n <= 8 && t.Oriented {
		in.header.Orientation = n
	}
	in.header.Width, in.header.Height, in.header.Bands = img.width(), img.pageHeight(), img.bands()
	in.header.Alpha, in.header.Depth = img.hasAlpha(), img.depth()
	profile := img.blob("icc-profile-data")
	if in.header.Profile = !plainSRGB(profile); in.header.Profile {
		in.icc = profile
	}
	in.header.EXIF = len(img.blob("exif-data")) > 0
	in.header.Whole = img.flagged("jpeg-multiscan") || img.flagged("interlaced")
	return nil
}

// decodeByLibvips runs the format's loader, unless the image that provided the header was loaded with the same
// options.
func (in *input) decodeByLibvips(l imaging.Load) (*image, error) {
	if in.header.Format == imaging.BMP {
		return in.loadBMP()
	}
	options := loadOptions(in.header.Format, l)
	spare := in.spare
	in.spare = nil
	if spare != nil && options == in.options {
		return spare, nil
	}
	spare.close()
	in.options = options
	return in.source.load(loaderName(in.header.Format), options)
}

// depth returns the number of bits per sample.
func (i *image) depth() int { return int(C.sl_sample_size(i.v)) * 8 }

// flagged reports whether the header has a field with that name that is not 0.
func (i *image) flagged(name string) bool {
	n, ok := i.integer(name)
	return ok && n != 0
}
