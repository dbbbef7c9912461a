package storage

import (
	"context"
	"fmt"
	"time"
)

// Watched is a store that detects without a listing whether any program has added or removed names in a folder.
type Watched interface {
	// FolderVersion returns a text that changes when a name directly in the folder is added or removed. For a short
	// time after a change it is empty, because a second change within that time could not be detected. The error is
	// fault.NotFound if the folder does not exist.
	FolderVersion(ctx context.Context, key Key) (string, error)
}

// Clocks of file systems are coarse, so two changes within a tick have the same time.
const (
	fineTick   = 50 * time.Millisecond
	coarseTick = 2 * time.Second // tick of file systems without fractions of a second
)

// FolderVersion implements Watched with the modification time of the folder.
func (l *local) FolderVersion(ctx context.Context, k Key) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", translate(err, k)
	}
	name, err := l.fileName(k)
	if err != nil {
		return "", err
	}
	info, err := l.root.Stat(name)
	if err != nil {
		return "", translate(notDir(err), k)
	}
	if !info.IsDir() {
		return "", notFound(k)
	}
	tick := fineTick
	if info.ModTime().Nanosecond() == 0 {
		tick = coarseTick
	}
	if time.Since(info.ModTime()) < tick {
		return "", nil
	}
	return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), inode(info)), nil
}
