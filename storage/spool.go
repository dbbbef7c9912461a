package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/safelight/safelight/fault"
)

// SpoolMemory is the max size of a Spool in memory, in bytes. A larger Spool is in a file.
const SpoolMemory = 64 << 10

// Spool buffers bytes that came over a network and will be read several times: up to 64 KiB in memory, more in a
// temporary file, which is unlinked immediately, so that it does not outlive the process. The zero value is empty. The
// caller must close it.
type Spool struct {
	memory bytes.Buffer
	write  *os.File // nil: in memory
	read   *os.File // the same file, opened read-only, because decoders in other processes require that
	failed error    // the first disk error
}

// Write implements io.Writer. It returns fault.Unavailable if the disk has no room.
func (s *Spool) Write(p []byte) (n int, err error) {
	if s.write == nil && s.memory.Len()+len(p) <= SpoolMemory {
		return s.memory.Write(p)
	}
	if s.write == nil {
		err = s.open()
	}
	if err == nil {
		n, err = s.write.Write(p)
	}
	if err != nil {
		s.failed = fault.Wrap(err, fault.Unavailable, "the folder for temporary files has no room, try again later")
	}
	return n, s.failed
}

// Failed reports whether a write has failed. A caller that can read the bytes elsewhere then continues without the
// spool.
func (s *Spool) Failed() bool { return s.failed != nil }

// open moves the bytes in memory to a file.
func (s *Spool) open() (err error) {
	if s.write, err = os.CreateTemp("", "safelight-*"); err != nil {
		return err
	}
	defer os.Remove(s.write.Name())
	if s.read, err = os.Open(s.write.Name()); err != nil {
		return err
	}
	_, err = s.memory.WriteTo(s.write)
	s.memory = bytes.Buffer{}
	return err
}

// Object returns the written bytes as an object that st describes; no more bytes can be written afterwards. It is
// valid until it or the spool is closed.
func (s *Spool) Object(st Stat) Object {
	if s.write != nil {
		s.write.Close()
		return file{File: s.read, stat: st}
	}
	data := s.memory.Bytes()
	return inMemory{Reader: bytes.NewReader(data), data: data, stat: st}
}

// Close frees the bytes.
func (s *Spool) Close() error {
	var err error
	for _, f := range []*os.File{s.read, s.write} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// inMemory is an object whose bytes are in memory.
type inMemory struct {
	*bytes.Reader
	data []byte
	stat Stat
}

// Near implements Near.
func (inMemory) Near() {}

// Bytes returns the whole object, for engines.
func (m inMemory) Bytes() []byte { return m.data }

// Stat returns the description.
func (m inMemory) Stat() Stat { return m.stat }

// Close does nothing.
func (inMemory) Close() error { return nil }

// OpenNear is OpenVersion for a file that will be read more than once. It downloads a file that is not on this machine
// to a Spool. If the disk has no room for it, each read goes to the storage.
func OpenNear(ctx context.Context, s Store, st Stat) (Object, error) {
	o, err := OpenVersion(ctx, s, st)
	if err != nil {
		return nil, err
	}
	if _, near := o.(Near); near {
		return o, nil
	}
	spool := &Spool{}
	n, err := io.Copy(spool, o)
	if spool.Failed() {
		spool.Close()
		_, err = o.Seek(0, io.SeekStart)
		return o, err
	}
	defer o.Close()
	if err == nil && n != st.Size {
		err = fault.Wrap(
			io.ErrUnexpectedEOF, fault.Unavailable, "the storage sent fewer bytes of %s than expected",
			show(st.Key),
		)
	}
	if err != nil {
		spool.Close()
		return nil, err
	}
	return spool.Object(st), nil
}
