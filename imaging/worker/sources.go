//go:build linux

package worker

import (
	"cmp"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// sources is what a request's pictures are sent as: open files as they are, all else as memory files.
type sources struct {
	conns []syscall.RawConn // of all files, in the order of their numbers
	files []*os.File        // those that are ours to close
}

// own adds a file, which close closes, and returns its number.
func (b *sources) own(f *os.File) (number int) {
	b.files = append(b.files, f)
	return b.lend(f)
}

// lend adds a file that somebody else closes, and returns its number.
func (b *sources) lend(f *os.File) (number int) {
	raw, _ := f.SyscallConn() // fails only for nil
	b.conns = append(b.conns, raw)
	return len(b.conns)
}

// bundle fills the request's parts from the source and its layers.
func bundle(r *request, src imaging.Source) (*sources, error) {
	b := &sources{}
	var err error
	if r.Source, err = b.add(src, r.Limits.MaxSourceBytes); err != nil {
		b.close()
		return nil, err
	}
	for layer, one := range src.Layers {
		p, err := b.add(one, r.Limits.MaxSourceBytes)
		if err != nil {
			b.close()
			return nil, err
		}
		p.Layer = []byte(layer)
		r.Layers = append(r.Layers, p)
	}
	if len(b.conns) > maxFiles {
		b.close()
		return nil, fault.New(
			fault.Invalid, "the picture has %d layers, expected at most %d", len(r.Layers), maxFiles-1,
		)
	}
	return b, nil
}

func (b *sources) add(src imaging.Source, limit int64) (part, error) {
	p := part{Name: src.Name, Version: src.Version, Size: src.Size, Canvas: src.Canvas}
	if src.Reader == nil {
		return p, nil
	}
	if w := src.Pixels; w != nil {
		if f, ok := w.Held.(*os.File); ok { // else this process has them
			p.Pixels = &wirePixels{*w, b.lend(f)}
		}
	}
	if limit > 0 && src.Size > limit { // as the engine says it
		return p, fault.New(
			fault.TooLarge, "The file %s has %d bytes; at most %d are allowed", src.Name, src.Size, limit,
		)
	}
	if raw := regular(src.Reader); raw != nil {
		b.conns = append(b.conns, raw)
		p.File = len(b.conns)
		return p, nil
	}
	f, err := inMemoryFile(src, limit)
	if err != nil {
		if fault.CodeOf(err) == fault.Internal {
			err = fault.Wrap(err, fault.Unavailable, "The file %s cannot be read", src.Name)
		}
		return p, err
	}
	p.File, p.Memory = b.own(f), true
	return p, nil
}

// regular returns the open file that a reader is, nil for other readers.
func regular(r io.Reader) syscall.RawConn {
	conn, ok := r.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil
	}
	isRegular := false
	err = raw.Control(func(fd uintptr) {
		var st unix.Stat_t
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		isRegular = err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY && unix.Fstat(int(fd), &st) == nil &&
			st.Mode&unix.S_IFMT == unix.S_IFREG
	})
	if err != nil || !isRegular {
		return nil
	}
	return raw
}

func inMemoryFile(src imaging.Source, limit int64) (*os.File, error) {
	if data, _ := imaging.BytesOf(src.Reader); len(data) > 0 {
		return memoryFile(data)
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return memoryOf(src.Reader, limit)
}

// send sends the request with all descriptors, of which fds are known. It collects them one within the other, because
// each is safe only within its Control.
func (b *sources) send(w *wire, r *request, fds ...int) (err error) {
	if len(fds) == len(b.conns) {
		return w.send(r, nil, fds)
	}
	failed := b.conns[len(fds)].Control(func(fd uintptr) { err = b.send(w, r, append(fds, int(fd))...) })
	return cmp.Or(failed, err)
}

func (b *sources) close() { closeAll(b.files) }
