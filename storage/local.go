package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// workFolder holds files that are being written or removed. It is in the root, so that a rename stays on one file
// system. No key can name it.
const workFolder = ".safelight-work"

// leftoverAge is the age after which no process still uses something in workFolder.
const leftoverAge = 24 * time.Hour

// local stores objects as files below one folder. With os.Root the kernel resolves all names, so neither an unusual
// name nor a symbolic link can lead out of the folder (docs/contributing/decisions/0008).
type local struct {
	root *os.Root
	dir  handle     // the same folder
	mu   sync.Mutex // held from the check that a name is free until the name is taken

	reads atomic.Int64 // number of folder listings since it was opened, for tests
}

// OpenLocal returns the store of the files below dir, which is created if it does not exist. It removes unfinished
// files that a crash has left behind.
func OpenLocal(dir string) (Store, error) { return openLocal(dir, false) }

// openLocal is OpenLocal; with readOnly it creates and removes nothing.
func openLocal(dir string, readOnly bool) (Store, error) {
	if !readOnly {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return nil, fmt.Errorf("creating the storage folder %s: %w", dir, withAdvice(err))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the storage folder %s: %w", dir, withAdvice(err))
	}
	l := &local{root: root, dir: openHandle(dir)}
	if readOnly {
		return l, nil
	}
	if err := l.removeLeftovers(); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("cleaning up the storage folder %s: %w", dir, withAdvice(err))
	}
	return l, nil
}

func (l *local) removeLeftovers() error {
	if err := l.root.MkdirAll(workFolder, 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(l.root.FS(), workFolder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftoverAge {
			if err := l.root.RemoveAll(workFolder + "/" + e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// tempName returns a new name in workFolder.
func (l *local) tempName() string { return workFolder + "/" + rand.Text() }

// fileName returns the file name of k, even if another system has written it in NFD.
func (l *local) fileName(k Key) (string, error) {
	if k == "" {
		return ".", nil
	}
	name := string(k)
	if first, _, _ := strings.Cut(name, "/"); first == workFolder {
		return "", notFound(k)
	}
	if _, err := l.root.Lstat(name); err != nil {
		if other := norm.NFD.String(name); other != name {
			if _, err := l.root.Lstat(other); err == nil {
				return other, nil
			}
		}
	}
	return name, nil
}

// Stat implements Store.
func (l *local) Stat(ctx context.Context, k Key) (Stat, error) {
	if err := ctx.Err(); err != nil {
		return Stat{}, translate(err, k)
	}
	if k != "" && !Key(workFolder).Holds(k) {
		if s, ok := l.dir.stat(k); ok {
			return s, nil
		}
	}
	info, err := l.lookUp(k)
	if err != nil {
		return Stat{}, translate(notDir(err), k)
	}
	s, ok := describe(k, info)
	if !ok {
		return Stat{}, notFound(k)
	}
	return s, nil
}

// lookUp tries k unchanged first, because nearly all file names are in NFC.
func (l *local) lookUp(k Key) (fs.FileInfo, error) {
	if k != "" && !Key(workFolder).Holds(k) {
		if info, err := l.root.Stat(string(k)); err == nil {
			return info, nil
		}
	}
	name, err := l.fileName(k)
	if err != nil {
		return nil, err
	}
	return l.root.Stat(name)
}

// notDir turns the error of a path that leads through a file into fs.ErrNotExist.
func notDir(err error) error {
	if strings.HasSuffix(err.Error(), syscall.ENOTDIR.Error()) {
		return fs.ErrNotExist
	}
	return err
}

// describe describes a file or a folder. It returns false for anything else, such as a pipe or a device.
func describe(k Key, info fs.FileInfo) (Stat, bool) {
	s := Stat{Key: k, Modified: info.ModTime().UTC()}
	if info.IsDir() {
		s.IsFolder = true
		return s, true
	}
	s.Size, s.ETag = info.Size(), etag(info.ModTime(), info.Size(), inode(info))
	return s, info.Mode().IsRegular()
}

func etag(modified time.Time, size int64, inode uint64) string {
	return string(appendETag(make([]byte, 0, 48), modified, size, inode))
}

func appendETag(b []byte, modified time.Time, size int64, inode uint64) []byte {
	b = append(strconv.AppendInt(b, modified.UnixNano(), 16), '-')
	b = append(strconv.AppendInt(b, size, 16), '-')
	return strconv.AppendUint(b, inode, 16)
}

// IsUnchanged reports whether a file certainly still has this ETag and size. It takes one system call. false means
// that the state is unknown, as it always is for stores other than local folders.
func IsUnchanged(s Store, k Key, tag string, size int64) bool {
	l, ok := as[*local](s)
	return ok && l.dir.isUnchanged(k, tag, size)
}

// file is an open file.
type file struct {
	*os.File
	stat Stat
}

// Near implements Near.
func (file) Near() {}

// Stat returns the description of the file when it was opened.
func (f file) Stat() Stat { return f.stat }

// Open implements Store.
func (l *local) Open(ctx context.Context, k Key) (Object, error) {
	s, err := l.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	if s.IsFolder {
		return nil, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", show(k))
	}
	name, err := l.fileName(k)
	if err != nil {
		return nil, err
	}
	// Without O_NONBLOCK, opening a pipe that has replaced the file would block forever.
	f, err := l.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, translate(notDir(err), k)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, translate(err, k)
	}
	s, ok := describe(k, info)
	if !ok || s.IsFolder {
		f.Close()
		return nil, notFound(k)
	}
	return file{File: f, stat: s}, nil
}

// Create implements Store.
func (l *local) Create(ctx context.Context, k Key, r io.Reader, o CreateOptions) (Stat, error) {
	if k == "" {
		return Stat{}, isRoot()
	}
	name, err := l.fileName(k)
	if err != nil {
		return Stat{}, err
	}
	if _, err := l.root.Lstat(name); err == nil && !o.Overwrite {
		return Stat{}, exists(k) // checked before the bytes are written
	}
	temp := l.tempName()
	defer l.root.Remove(temp)
	if err := l.write(ctx, temp, r); err != nil {
		return Stat{}, translate(err, k)
	}
	if err := l.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return Stat{}, translate(parentIsFile(err), k)
	}
	if err := checkFence(ctx); err != nil {
		return Stat{}, err
	}
	if err := l.commit(temp, name, o.Overwrite); err != nil {
		return Stat{}, translate(err, k)
	}
	l.sync(path.Dir(name))
	return l.Stat(context.WithoutCancel(ctx), k)
}

// parentIsFile converts an error "exists" to ENOTDIR, to distinguish a file in place of a parent folder from an
// existing target.
func parentIsFile(err error) error {
	if os.IsExist(err) {
		return syscall.ENOTDIR
	}
	return err
}

func (l *local) write(ctx context.Context, name string, r io.Reader) (err error) {
	f, err := l.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	if _, err := io.Copy(f, contextReader{ctx, r}); err != nil {
		return err
	}
	return f.Sync()
}

// commit renames a complete temporary file to its name.
func (l *local) commit(temp, name string, overwrite bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.root.Lstat(name); err == nil && (!overwrite || info.IsDir()) {
		return fs.ErrExist
	}
	if overwrite {
		return l.root.Rename(temp, name)
	}
	// Unlike a rename, a link fails if the name was taken in the meantime, even by another process.
	err := l.root.Link(temp, name)
	if err != nil && !os.IsExist(err) && !os.IsNotExist(err) {
		return l.root.Rename(temp, name) // for file systems without hard links
	}
	return err
}

// sync makes the entries of a folder durable. It ignores errors: not every file system supports it.
func (l *local) sync(dir string) {
	if f, err := l.root.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// Check implements Store. The open folder stays usable after it was moved, deleted or covered by a mount, but its
// files are then not those that the operator sees at that path. Check returns an error in this case.
func (l *local) Check(ctx context.Context) error {
	opened, err := l.root.Stat(".")
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the storage folder cannot be read")
	}
	current, err := os.Stat(l.root.Name())
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the storage folder is gone")
	}
	if !os.SameFile(opened, current) {
		return fault.New(fault.Unavailable, "the storage folder was replaced by another one: restart the server")
	}
	return ctx.Err()
}

// Close implements Store.
func (l *local) Close() error {
	l.dir.close()
	return l.root.Close()
}
