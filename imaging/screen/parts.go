package screen

import (
	"errors"
	"io"
	"sort"
)

// Part is a range of a file, in bytes; End is not part of it.
type Part struct{ Start, End int64 }

// NewReader returns a reader over the parts of r, one after the other. The parts are in rising order and do not
// overlap. It may seek r to any position.
func NewReader(r io.ReadSeeker, parts []Part) io.ReadSeeker {
	p := &partsReader{r: r, parts: parts, ends: make([]int64, len(parts)), at: -1}
	for n, one := range parts {
		p.size += one.End - one.Start
		p.ends[n] = p.size
	}
	return p
}

type partsReader struct {
	r     io.ReadSeeker
	parts []Part
	ends  []int64 // end offset of each part in the result
	size  int64
	place int64
	at    int64 // of r; -1: unknown
}

// Read implements io.Reader.
func (p *partsReader) Read(b []byte) (int, error) {
	if p.place >= p.size {
		return 0, io.EOF
	}
	n := sort.Search(len(p.ends), func(n int) bool { return p.ends[n] > p.place })
	left := p.ends[n] - p.place
	if from := p.parts[n].End - left; p.at != from {
		if _, err := p.r.Seek(from, io.SeekStart); err != nil {
			return 0, err
		}
		p.at = from
	}
	got, err := p.r.Read(b[:min(int64(len(b)), left)])
	p.place += int64(got)
	p.at += int64(got)
	if errors.Is(err, io.EOF) { // of r, whose end may also be the end of a part
		err = nil
		if got == 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return got, err
}

// Seek implements io.Seeker.
func (p *partsReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += p.place
	case io.SeekEnd:
		offset += p.size
	}
	if offset < 0 {
		return 0, errors.New("seeking before the start of a file")
	}
	p.place = offset
	return offset, nil
}

// add appends a range, or extends the last part if the range follows it.
func add(parts []Part, start, end int64) []Part {
	if n := len(parts) - 1; n >= 0 && parts[n].End == start {
		parts[n].End = end
		return parts
	}
	return append(parts, Part{start, end})
}
