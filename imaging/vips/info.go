package vips

import (
	"context"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Info describes the result of the operations without encoding it. Only the header is read, bit
// by bit, unless a trim or a metadata filter needs pixels; sha256 reads the file without decoding it.
func (e *Engine) Info(ctx context.Context, src imaging.Source, req imaging.InfoRequest, limits imaging.Limits) (*imaging.Info, error) {
	var info *imaging.Info
	err := e.run(ctx, nameOf(src), limits, func(j *job) error {
		j.ops, j.meta = req.Operations, true
		if err := j.readCalls(); err != nil {
			return err
		}
		j.dry = !j.ops.Trim && !j.has("trim") && !j.looks()
		var err error
		if j.dry && src.Canvas == nil {
			err = e.openLazily(j, src)
		} else {
			err = e.open(j, src)
		}
		if err != nil {
			return err
		}
		embedded := j.embedded() // before a step drops it from the header
		if err := j.runSteps(); err != nil {
			return err
		}
		if info, err = j.describe(embedded); err != nil {
			return err
		}
		if j.has("sha256") && src.Canvas == nil {
			info.SHA256, err = j.digest(src.Reader)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// openLazily makes the job's image from a source of which only what is needed is read.
func (e *Engine) openLazily(j *job, src imaging.Source) (err error) {
	if j.format, err = sniffReader(src); err != nil {
		return err
	}
	if limit := j.limits.MaxSourceBytes; limit > 0 && src.Size > limit {
		return fault.New(fault.TooLarge, "The file %s has %d bytes; at most %d are allowed", j.name, src.Size, limit)
	}
	if j.format == imaging.SVG || j.format == imaging.PDF { // the check needs all of it
		return e.open(j, src)
	}
	if _, err := j.loader(); err != nil {
		return err
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return unreadable(err, j.name)
	}
	j.source = readerSource(src.Reader)
	if err := j.openHeader(); err != nil {
		return err
	}
	if err := j.chooseTarget(e.writable); err != nil {
		return err
	}
	return stepLoad(j)
}

// describe completes info with what is known of the finished image.
func (j *job) describe(info *imaging.Info) (*imaging.Info, error) {
	info.Format, info.ContentType = j.target, j.target.ContentType()
	info.Width, info.Height, info.Bands = j.image.width(), j.image.pageHeight(), j.image.bands()
	info.Orientation, info.Pages, info.Exif = j.header.orientation, j.frames, j.exif
	info.Warnings = j.warnings
	if j.image.hasAlpha() && !j.target.HasAlpha() {
		info.Bands-- // the encoder lays it over white
	}
	if info.Exif == nil || j.has("strip_exif", "strip_metadata") {
		info.Exif = map[string]any{}
	}
	return info, j.look(info)
}
