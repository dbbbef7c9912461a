package cache

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// filesystem are the file operations of the files tier; tests inject failures.
type filesystem interface {
	ReadFile(name string) ([]byte, error)
	ReadHead(name string, n int) ([]byte, error)
	WriteFile(name string, data []byte) error
	Rename(from, to string) error
	Remove(name string) error
	MkdirAll(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Touch(name string, at time.Time) error
}

type system struct{}

func (system) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// ReadHead returns at most n bytes from the start.
func (system) ReadHead(name string, n int) ([]byte, error) {
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

// WriteFile writes a new file without syncing it: the checksum of an entry detects what a crash left incomplete.
func (system) WriteFile(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }

func (system) Rename(from, to string) error               { return os.Rename(from, to) }
func (system) Remove(name string) error                   { return os.Remove(name) }
func (system) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o700) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Touch(name string, at time.Time) error      { return os.Chtimes(name, at, at) }
