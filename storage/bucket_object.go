package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/safelight/safelight/fault"
)

// object is an open object of a bucket. Nothing is fetched before the first read: what a Stat answers,
// as a 304 or a HEAD, costs no more than that.
type object struct {
	ctx    context.Context
	b      *blob.Bucket
	stat   Stat
	r      *blob.Reader // nil: not fetched from offset yet
	offset int64
}

// Stat returns what the object was when it was opened.
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
		err = translateCloud(err, o.stat.Key)
	}
	return n, err
}

// fetch opens length bytes from offset on, to the end for -1, if the object is still the one that was opened.
func (o *object) fetch(offset, length int64) (*blob.Reader, error) {
	r, err := o.b.NewRangeReader(o.ctx, string(o.stat.Key), offset, length, &blob.ReaderOptions{BeforeRead: o.sameVersion})
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return nil, o.changed()
	}
	if err != nil {
		return nil, translateCloud(err, o.stat.Key)
	}
	if r.Size() != o.stat.Size || !r.ModTime().Equal(o.stat.Modified) {
		r.Close()
		return nil, o.changed()
	}
	return r, nil
}

func (o *object) changed() error {
	return fault.OnField(fault.Unavailable, "path", "%s changed while it was read, try again", show(o.stat.Key))
}

// sameVersion makes S3 itself refuse another version: its times are whole seconds.
func (o *object) sameVersion(as func(any) bool) error {
	var in *s3.GetObjectInput
	if as(&in) && o.stat.ETag != "" {
		in.IfMatch = aws.String(`"` + o.stat.ETag + `"`)
	}
	return nil
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
		return 0, fmt.Errorf("seeking in %s: the place %d is before its start", show(o.stat.Key), offset)
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
