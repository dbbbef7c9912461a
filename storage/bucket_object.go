package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// object is an open object of a bucket. It sends no request before the first read, so a response that needs only the
// Stat, such as a 304, costs no download.
type object struct {
	ctx    context.Context
	o      objects
	stat   Stat
	r      io.ReadCloser // reads from offset; nil: no request yet
	offset int64
}

// Stat returns the description of the object when it was opened.
func (o *object) Stat() Stat { return o.stat }

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	if o.offset >= o.stat.Size {
		return 0, io.EOF
	}
	if o.r == nil {
		r, err := o.fetch(o.offset, -1)
		if err != nil {
			return 0, err
		}
		o.r = r
	}
	n, err := o.r.Read(p)
	o.offset += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = translateObject(err, o.stat.Key)
	}
	return n, err
}

// fetch requests length bytes from offset on, or up to the end for -1, of the version that was opened. It compares the
// version again, because some stores ignore the condition.
func (o *object) fetch(offset, length int64) (io.ReadCloser, error) {
	r, info, err := o.o.get(o.ctx, string(o.stat.Key), offset, length, o.stat.ETag)
	if errors.Is(err, errChanged) {
		return nil, changed(o.stat.Key)
	}
	if err != nil {
		return nil, translateObject(err, o.stat.Key)
	}
	if info.size != o.stat.Size || info.etag != "" && info.etag != o.stat.ETag {
		r.Close()
		return nil, changed(o.stat.Key)
	}
	return r, nil
}

func (o *object) part(offset, length int64) (io.ReadCloser, error) { return o.fetch(offset, length) }

// Seek implements io.Seeker.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.offset
	case io.SeekEnd:
		offset += o.stat.Size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seeking in %s: the offset %d is before its start", show(o.stat.Key), offset)
	}
	if offset != o.offset {
		if err := o.Close(); err != nil {
			return 0, err
		}
	}
	o.offset = offset
	return offset, nil
}

// Close frees the object.
func (o *object) Close() error {
	if o.r == nil {
		return nil
	}
	err := o.r.Close()
	o.r = nil
	return err
}
