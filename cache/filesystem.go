package cache

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// filesystem are the file operations of the files tier; tests inject failures.
type filesystem interface {
	ReadFile(name string) ([]byte, error)
	ReadStart(name string, n int) ([]byte, error)
	WriteFile(name string, data []byte) error
	Rename(from, to string) error
	Remove(name string) error
	MkdirAll(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Touch(name string, at time.Time) error
	Free(name string) (bytes int64, ok bool)
}

type system struct{}

func (system) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// ReadStart returns at most n bytes from the start.
func (system) ReadStart(name string, n int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	n, err = io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:n], err
}

// WriteFile writes a new file without syncing it: the checksum of an entry detects a file that a crash left
// incomplete.
func (system) WriteFile(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }

// Free returns the free space of the file system that holds name; ok is false if the system does not report it.
func (system) Free(name string) (bytes int64, ok bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(name, &disk); err != nil || disk.Blocks == 0 {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

func (system) Rename(from, to string) error               { return os.Rename(from, to) }
func (system) Remove(name string) error                   { return os.Remove(name) }
func (system) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o700) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Touch(name string, at time.Time) error      { return os.Chtimes(name, at, at) }
