package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/safelight/safelight/fault"
)

// SpoolMemory is the max size of a Spool in memory, in bytes. Larger ones are in a file.
const SpoolMemory = 64 << 10

// Spool keeps bytes on this machine that came over a network once and are read several times: up to 64 KiB in memory,
// more in a temporary file, which is unlinked at once and so ends with the process. The zero value is empty. It must be
// closed.
type Spool struct {
	memory bytes.Buffer
	write  *os.File // nil: in memory
	read   *os.File // the same file; decoders in other processes take only what is open for reading alone
	failed error    // of the disk
}

// Write implements io.Writer. fault.Unavailable if the disk has no room, as Failed tells then.
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

// Failed reports whether bytes could not be written: whoever has them elsewhere does without the spool.
func (s *Spool) Failed() bool { return s.failed != nil }

// open moves what is in memory to a file.
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

// Object returns what was written as an object that st describes, after which nothing can be written. It is valid until
// one of the two is closed.
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

// inMemory is an object of a few bytes.
type inMemory struct {
	*bytes.Reader
	data []byte
	stat Stat
}

// Near implements Near.
func (inMemory) Near() {}

// Bytes returns all of the object, for engines.
func (m inMemory) Bytes() []byte { return m.data }

// Stat returns the description.
func (m inMemory) Stat() Stat { return m.stat }

// Close does nothing.
func (inMemory) Close() error { return nil }

// OpenNear is OpenVersion for a file that is read more than once: all of a file that is not on this machine is read at
// once, into a Spool. If there is no room for it, the storage is asked each time.
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
		err = fault.Wrap(io.ErrUnexpectedEOF, fault.Unavailable, "the storage sent less than the whole of %s", show(st.Key))
	}
	if err != nil {
		spool.Close()
		return nil, err
	}
	return spool.Object(st), nil
}
