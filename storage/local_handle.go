package storage

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// handle is a file descriptor of the root folder, for system calls that os.Root does not offer; -1 if there is none.
type handle int

func openHandle(dir string) handle {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return handle(fd)
}

func (h handle) close() {
	if h >= 0 {
		_ = unix.Close(int(h)) // nothing was written through it
	}
}

// stat describes a regular file with one openat2, while os.Root would open each folder of the path. The kernel keeps
// the resolution below the root. ok is false for anything else and on kernels without openat2; the caller then uses
// os.Root.
func (h handle) stat(k Key) (s Stat, ok bool) {
	if h < 0 {
		return s, false
	}
	fd, err := unix.Openat2(int(h), string(k), &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return s, false
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written through it
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return s, false
	}
	modified := time.Unix(st.Mtim.Unix())
	return Stat{Key: k, Size: st.Size, Modified: modified.UTC(), ETag: etag(modified, st.Size, st.Ino)}, true
}

// checkWrite returns why this process may not add names to the folder; nil if it may, or if that is not known.
func (h handle) checkWrite() error {
	access := func(mode uint32) error { return unix.Faccessat2(int(h), ".", mode, unix.AT_EACCESS) }
	if h < 0 || access(unix.F_OK) != nil { // before Linux 5.8, or if a sandbox forbids it
		return nil
	}
	return access(unix.W_OK | unix.X_OK)
}

// isUnchanged compares a file with an earlier result of stat, in one system call. Even if a folder of its path has
// since become a link out of the root, true means that it is the same file.
func (h handle) isUnchanged(k Key, tag string, size int64) bool {
	var st unix.Stat_t
	if h < 0 || unix.Fstatat(int(h), string(k), &st, 0) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG ||
		st.Size != size {
		return false
	}
	var buffer [48]byte
	return string(appendETag(buffer[:0], time.Unix(st.Mtim.Unix()), st.Size, st.Ino)) == tag
}

// inode distinguishes two files with the same name, time and size.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
