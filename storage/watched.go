package storage

import (
	"context"
	"fmt"
	"time"
)

// Watched is a store that can tell, without listing a folder, whether names in it were added or removed by any program.
type Watched interface {
	// FolderVersion returns a text that changes when a name directly in the folder is added or removed. It is empty for
	// a moment after a change, while another change would be indistinguishable from it. fault.NotFound if the folder
	// does not exist.
	FolderVersion(ctx context.Context, key Key) (string, error)
}

// Clocks of file systems are coarse: two changes within a tick have the same time.
const (
	fineTick   = 50 * time.Millisecond
	coarseTick = 2 * time.Second // where times have no fraction of a second
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
