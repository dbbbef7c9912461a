//go:build linux

package worker

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
)

// seals make a memory file one that nobody can change or cut.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL

// memoryFile returns a sealed file in memory that holds the parts.
func memoryFile(parts ...[]byte) (f *os.File, err error) {
	if f, err = newMemory(); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if _, err = f.Write(p); err != nil {
			f.Close()
			return nil, err
		}
	}
	return sealed(f)
}

// memoryOf is memoryFile over a reader of at most limit bytes; 0 is no limit.
func memoryOf(r io.Reader, limit int64) (f *os.File, size int64, err error) {
	if f, err = newMemory(); err != nil {
		return nil, 0, err
	}
	if limit > 0 {
		r = io.LimitReader(r, limit+1) // the engine refuses what has one more
	}
	if size, err = io.Copy(f, r); err != nil {
		f.Close()
		return nil, 0, err
	}
	f, err = sealed(f)
	return f, size, err
}

func newMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("picture", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("making a memory file: %w", err)
	}
	return os.NewFile(uintptr(fd), "picture"), nil
}

func sealed(f *os.File) (*os.File, error) {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, fmt.Errorf("sealing a memory file: %w", err)
	}
	return f, nil
}

// readMemory returns what a memory file holds, which is not more than limit bytes; 0 is no limit.
func readMemory(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if limit > 0 && info.Size() > limit {
		return nil, fault.New(fault.TooLarge, "the result has %d bytes, expected at most %d", info.Size(), limit)
	}
	data := make([]byte, info.Size())
	_, err = f.ReadAt(data, 0)
	return data, err
}

// mapped is a sealed memory file as the source of an engine, which reads it where it is.
type mapped struct {
	*reader
	data []byte
}

// Bytes returns all of it, which cannot be changed.
func (m mapped) Bytes() []byte { return m.data }

func (m mapped) close() {
	if m.data != nil {
		_ = unix.Munmap(m.data)
	}
}
