package storage

import "io"

// rangeOpener is an Object that can request a range of its bytes.
type rangeOpener interface {
	part(offset, length int64) (io.ReadCloser, error)
}

// Part returns a reader of length bytes of o from offset on. Its Read returns io.ErrUnexpectedEOF if there are fewer
// bytes. The caller must close it before it reads anything else from o, which stays open. A store on a network sends
// only this range.
func Part(o Object, offset, length int64) (io.ReadCloser, error) {
	if length == 0 { // object stores cannot request an empty range
		return &exactReader{close: func() error { return nil }}, nil
	}
	if p, ok := o.(rangeOpener); ok {
		r, err := p.part(offset, length)
		if err != nil {
			return nil, err
		}
		return &exactReader{r: r, left: length, close: r.Close}, nil
	}
	if _, err := o.Seek(offset, io.SeekStart); err != nil {
		return nil, translate(err, o.Stat().Key)
	}
	return &exactReader{r: o, left: length, close: func() error { return nil }}, nil
}

// exactReader reads exactly left bytes.
type exactReader struct {
	r     io.Reader
	left  int64
	close func() error
}

// Read implements io.Reader.
func (e *exactReader) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.left)])
	if e.left -= int64(n); e.left == 0 {
		return n, io.EOF
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close frees the part.
func (e *exactReader) Close() error { return e.close() }
