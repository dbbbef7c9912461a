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
func memoryFile(parts ...[]byte) (*os.File, error) {
	return sealed(func(f *os.File) error {
		for _, p := range parts {
			if _, err := f.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// memoryOf is memoryFile over a reader of at most limit bytes; 0 is no limit.
func memoryOf(r io.Reader, limit int64) (*os.File, error) {
	if limit > 0 {
		r = io.LimitReader(r, limit+1) // the engine refuses what has one more
	}
	return sealed(func(f *os.File) error {
		_, err := io.Copy(f, r)
		return err
	})
}

// sealed returns a file in memory that write has filled.
func sealed(write func(*os.File) error) (*os.File, error) {
	f, err := newMemory()
	if err != nil {
		return nil, err
	}
	if err = write(f); err == nil {
		err = seal(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func newMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("picture", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("making a memory file: %w", err)
	}
	return os.NewFile(uintptr(fd), "picture"), nil
}

func seal(f *os.File) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("sealing a memory file: %w", err)
	}
	return nil
}

// isSealed reports whether the content of the file is immutable.
func isSealed(f *os.File) bool {
	have, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	return err == nil && have&seals == seals
}

// sizeOf returns how many bytes a file has.
func sizeOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// mapped returns the content of a file, which is not empty, as memory that free unmaps. Linux before 6.7 refuses to
// share a mapping of a sealed file, even a read-only one; a private one costs the same.
func mapped(f *os.File) (data []byte, free func(), err error) {
	size, err := sizeOf(f)
	if err == nil {
		data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("mapping a file of %d bytes: %w", size, err)
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}

// readMemory returns what a memory file holds, which is not more than limit bytes; 0 is no limit.
func readMemory(f *os.File, limit int64) ([]byte, error) {
	size, err := sizeOf(f)
	if err != nil {
		return nil, err
	}
	if limit > 0 && size > limit {
		return nil, fault.New(fault.TooLarge, "the result has %d bytes, expected at most %d", size, limit)
	}
	data := make([]byte, size)
	_, err = f.ReadAt(data, 0)
	return data, err
}
