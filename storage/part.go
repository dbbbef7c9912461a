package storage

import "io"

// rangeOpener is an Object that asks for a part alone.
type rangeOpener interface {
	part(offset, length int64) (io.ReadCloser, error)
}

// Part returns a reader of length bytes of o from offset on; fewer than that are an error of its Read,
// io.ErrUnexpectedEOF. Nothing else of o may be read until it is closed, which leaves o open. A store
// over a network is asked for that part alone.
func Part(o Object, offset, length int64) (io.ReadCloser, error) {
	if length == 0 { // object stores have no range of nothing
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

// exactReader reads so many bytes and no more.
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
