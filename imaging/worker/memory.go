//go:build linux

package worker

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
)

// seals make a memory file one that nobody can change or cut.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL

// file is a descriptor that is read and written without the runtime's poller.
type file struct{ fd int }

func (f file) close() { _ = unix.Close(f.fd) }

// Write implements io.Writer.
func (f file) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		err = again(func() (err error) {
			m, err = unix.Write(f.fd, p[n:])
			return err
		})
		n += max(m, 0)
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f file) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		var m int
		err = again(func() (err error) {
			m, err = unix.Pread(f.fd, p[n:], offset+int64(n))
			return err
		})
		if err != nil {
			return n, err
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// size returns how many bytes there are.
func (f file) size() (int64, error) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd, &st)
	return st.Size, err
}

// memoryFile returns a sealed file in memory that holds the parts.
func memoryFile(parts ...[]byte) (f file, err error) {
	if f, err = newMemory(); err != nil {
		return f, err
	}
	for _, p := range parts {
		if _, err = f.Write(p); err != nil {
			f.close()
			return f, err
		}
	}
	return f, f.seal()
}

// memoryOf is memoryFile over a reader of at most limit bytes; 0 is no limit.
func memoryOf(r io.Reader, limit int64) (f file, err error) {
	if f, err = newMemory(); err != nil {
		return f, err
	}
	if limit > 0 {
		r = io.LimitReader(r, limit+1) // the engine refuses what has one more
	}
	if _, err = io.Copy(f, r); err != nil {
		f.close()
		return f, err
	}
	return f, f.seal()
}

func newMemory() (file, error) {
	fd, err := unix.MemfdCreate("picture", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return file{}, fmt.Errorf("making a memory file: %w", err)
	}
	return file{fd}, nil
}

// seal closes the file when it cannot be sealed.
func (f file) seal() error {
	if _, err := unix.FcntlInt(uintptr(f.fd), unix.F_ADD_SEALS, seals); err != nil {
		f.close()
		return fmt.Errorf("sealing a memory file: %w", err)
	}
	return nil
}

// isSealed reports whether the content of the file is immutable.
func (f file) isSealed() bool {
	have, err := unix.FcntlInt(uintptr(f.fd), unix.F_GET_SEALS, 0)
	return err == nil && have&seals == seals
}

// readMemory returns what a memory file holds, which is not more than limit bytes; 0 is no limit.
func readMemory(f file, limit int64) ([]byte, error) {
	size, err := f.size()
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
