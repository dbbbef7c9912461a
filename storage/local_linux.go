package storage

import (
	"time"

	"golang.org/x/sys/unix"
)

// handle is the root folder for the calls that os.Root has no way to: -1 when there is none.
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

// stat looks at a regular file without going through every folder of its path one by one; the kernel keeps the
// walk below the root. ok is false for all else, and where the kernel cannot: ask os.Root then.
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

// checkWrite returns why the kernel lets nobody of this process add names to the folder; nil where it cannot tell.
func (h handle) checkWrite() error {
	access := func(mode uint32) error { return unix.Faccessat2(int(h), ".", mode, unix.AT_EACCESS) }
	if h < 0 || access(unix.F_OK) != nil { // before Linux 5.8, or forbidden by a sandbox
		return nil
	}
	return access(unix.W_OK | unix.X_OK)
}

// isUnchanged looks at a file that stat has described before, in one call. A folder of its path may have become a link out of the root since:
// the file is the same nevertheless, and the answer says nothing about another one.
func (h handle) isUnchanged(k Key, tag string, size int64) bool {
	var st unix.Stat_t
	if h < 0 || unix.Fstatat(int(h), string(k), &st, 0) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size != size {
		return false
	}
	var buffer [48]byte
	return string(appendETag(buffer[:0], time.Unix(st.Mtim.Unix()), st.Size, st.Ino)) == tag
}
