package vips

// #include "sl_decode.h"
import "C"

import (
	"io"
	"math/bits"
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// source provides the bytes of a picture to libvips. They are all in memory, or come from a Go reader piece by piece.
// It must outlive every image that reads from it.
type source struct {
	v      *C.VipsSource
	data   []byte        // nil if read piece by piece
	reader io.ReadSeeker // reader for reading piece by piece; nil if data is set
	isCut  bool          // data lacks parts of the file
	pool   *buffers      // pool to which data is returned; nil: somebody else owns data
	pinner runtime.Pinner
	handle cgo.Handle
}

// memorySource returns a source over data, which must not change until close.
func memorySource(data []byte) *source {
	s := &source{data: data}
	s.pinner.Pin(&data[0])
	s.v = C.sl_source_memory(unsafe.Pointer(&data[0]), C.size_t(len(data)))
	return s
}

// pooledSource is memorySource whose data is returned to the pool at close.
func pooledSource(data []byte, pool *buffers) *source {
	s := memorySource(data)
	s.pool = pool
	return s
}

// readerSource returns a source that reads from r only what libvips requests.
func readerSource(r io.ReadSeeker) *source {
	s := &source{handle: cgo.NewHandle(r), reader: r}
	s.v = C.sl_source_reader(C.uintptr_t(s.handle))
	return s
}

// stoppable makes reading the source, which is in memory, end with an error once *stop is not 0.
func (s *source) stoppable(stop *C.int) {
	C.sl_source_unref(s.v)
	s.v = C.sl_source_stoppable(unsafe.Pointer(&s.data[0]), C.size_t(len(s.data)), stop)
}

// close frees everything; it may be called on nil.
func (s *source) close() {
	if s == nil || s.v == nil {
		return
	}
	C.sl_source_unref(s.v)
	s.v = nil
	s.pinner.Unpin()
	if s.handle != 0 {
		s.handle.Delete()
	}
	if s.pool != nil {
		s.pool.put(s.data)
	}
}

// head returns the first bytes, as many as are needed to detect the format, or all if there are fewer. It leaves a
// reader at its start.
func (s *source) head() ([]byte, error) {
	if s.data != nil {
		return s.data[:min(imaging.SniffLength, len(s.data))], nil
	}
	return imaging.ReadHead(s.reader)
}

// load runs one of libvips' loaders over the source; options are "name=value,name=value".
func (s *source) load(loader, options string) (*image, error) {
	name, text := C.CString(loader), C.CString(options)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	var out *C.VipsImage
	return made(&out, C.sl_load(name, s.v, text, &out))
}

// wholeSource returns a source over all of src. It does not copy bytes that are already in memory. The errors are
// those of readAll.
func (e *Engine) wholeSource(src imaging.Source, limit int64) (*source, error) {
	if data, _ := imaging.BytesOf(src.Reader); len(data) > 0 && (limit <= 0 || int64(len(data)) <= limit) {
		return memorySource(data), nil
	}
	data, err := readAll(src, limit, e.buffers.get)
	if err != nil {
		return nil, err
	}
	return pooledSource(data, &e.buffers), nil
}

// readAll reads the whole of src into a buffer that buffer allocates for the expected size. It returns fault.TooLarge
// for more than limit bytes (0: no limit), and fault.CorruptImage for an empty file.
func readAll(src imaging.Source, limit int64, buffer func(size int64) []byte) ([]byte, error) {
	if limit > 0 && src.Size > limit {
		return nil, fault.New(
			fault.TooLarge, "The file %s has %d bytes; at most %d are allowed", src.Name, src.Size, limit,
		)
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(err, src.Name)
	}
	reader := io.Reader(src.Reader)
	if limit > 0 {
		reader = io.LimitReader(reader, limit+1)
	}
	data := buffer(max(src.Size, 0) + 512)
	for {
		n, err := reader.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unreadable(err, src.Name)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	switch {
	case len(data) == 0:
		return nil, fault.New(fault.CorruptImage, "The file %s is empty", src.Name)
	case limit > 0 && int64(len(data)) > limit:
		return nil, fault.New(fault.TooLarge, "The file %s has more than %d bytes", src.Name, limit)
	}
	return data, nil
}

// sniff detects a file's format from its first bytes, regardless of its name; empty if unknown. bimg could do this,
// too, but it asks libvips, which passes unknown formats to ImageMagick. Untrusted bytes must not get there.
func sniff(data []byte) imaging.Format {
	return imaging.SniffFormat(data[:min(len(data), imaging.SniffLength)])
}

// sniffReader is sniff over a reader, which it leaves at its start.
func sniffReader(src imaging.Source) (imaging.Format, error) {
	head, err := imaging.ReadHead(src.Reader)
	if err != nil {
		return "", unreadable(err, src.Name)
	}
	if len(head) == 0 {
		return "", fault.New(fault.CorruptImage, "The file %s is empty", src.Name)
	}
	return sniff(head), nil
}

// unreadable returns a fault unchanged. Any other error means that the storage does not respond.
func unreadable(err error, name string) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The file %s cannot be read", name)
}

// slSourceRead fills the buffer from the reader of a handle. It returns the number of bytes, 0 at the end, or -1 after
// an error.
//
//export slSourceRead
func slSourceRead(handle C.uintptr_t, buffer unsafe.Pointer, length C.int64_t) C.int64_t {
	reader := cgo.Handle(handle).Value().(io.ReadSeeker)
	n, err := io.ReadFull(reader, unsafe.Slice((*byte)(buffer), int(length)))
	if n == 0 && err != nil && err != io.EOF {
		return -1
	}
	return C.int64_t(n)
}

// slSourceSeek moves the reader of a handle. It returns the new offset from the start, or -1 after an error.
//
//export slSourceSeek
func slSourceSeek(handle C.uintptr_t, offset C.int64_t, whence C.int) C.int64_t {
	reader := cgo.Handle(handle).Value().(io.ReadSeeker)
	place, err := reader.Seek(int64(offset), int(whence))
	if err != nil {
		return -1
	}
	return C.int64_t(place)
}

// Sizes of the buffers that are kept between jobs, as powers of two.
const (
	minBuffer = 16 // 64 KiB
	maxBuffer = 24 // 16 MiB
)

// buffers keeps the buffers into which sources are read from one job to the next. A new buffer would have to be
// cleared and paged in, and would later wait for the garbage collector.
type buffers [maxBuffer - minBuffer + 1]sync.Pool

// class returns the exponent of the smallest power of two that is at least size.
func class(size int64) int { return max(bits.Len64(uint64(max(size, 1)-1)), minBuffer) }

// get returns an empty slice with a capacity of at least size bytes.
func (b *buffers) get(size int64) []byte {
	n := class(size)
	if n > maxBuffer {
		return make([]byte, 0, size)
	}
	if p, ok := b[n-minBuffer].Get().(*[]byte); ok {
		return (*p)[:0]
	}
	return make([]byte, 0, 1<<n)
}

// put returns a buffer from get to the pool. The buffer must not be used afterwards.
func (b *buffers) put(data []byte) {
	n := class(int64(cap(data)))
	if n > maxBuffer || cap(data) != 1<<n {
		return
	}
	data = data[:0]
	b[n-minBuffer].Put(&data)
}
