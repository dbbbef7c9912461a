package cache

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/fault"
)

// ObjectStore is somewhere that holds named bytes: object storage. Names are relative paths of slashes, letters,
// digits and dots.
type ObjectStore interface {
	// Get returns the bytes of a name; fault.NotFound when there are none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put writes bytes under a name, over what is there, whole or not at all.
	Put(ctx context.Context, name string, data []byte) error
	// Delete removes a name; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// List calls each with the names below a folder and their bytes, until it returns an error.
	List(ctx context.Context, folder string, each func(name string, bytes int64) error) error
}

// far is the tier in a ObjectStore. Entries lie in folders that mirror the path of their main picture, so that a
// purge finds them by listing. It has no bound of its own.
type remoteTier struct {
	store           ObjectStore
	breaker         breaker
	damaged, failed atomic.Int64
}

// The times that the place may take; a reader waits for it, a writer does not.
const (
	remoteReadTimeout  = 2 * time.Second
	remoteWriteTimeout = 30 * time.Second
)

func newRemoteTier(c Config) *remoteTier {
	return &remoteTier{store: c.Remote, breaker: breaker{log: c.Log, what: "result cache: storage", now: c.Now}}
}

// The first folders of the names, so that a bucket may hold other things.
const (
	filesPrefix = "results/files/" // and the path of the main picture
	otherPrefix = "results/other/" // canvases, remote pictures and very long paths
)

// maxMirroredPath is the longest path that a name mirrors, in bytes; keys of S3 have 1024 at maxBytes.
const maxMirroredPath = 800

// objectName names an entry by its key and its main picture, which a reader knows too.
func objectName(k Key, source string) string {
	name := k.String()
	if source == "" || strings.Contains(source, ":") || len(source) > maxMirroredPath {
		return otherPrefix + name[:2] + "/" + name
	}
	return filesPrefix + source + "/" + name
}

func (f *remoteTier) get(ctx context.Context, k Key, source string) *Entry {
	if f.breaker.isOpen() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, remoteReadTimeout)
	defer cancel()
	b, err := f.store.Get(limited, objectName(k, source))
	if err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			f.breaker.reset()
		} else if ctx.Err() == nil {
			f.failed.Add(1)
			f.breaker.trip(err)
		}
		return nil
	}
	f.breaker.reset()
	e, err := decode(k, b)
	if err != nil {
		f.damaged.Add(1)
		_ = f.store.Delete(limited, objectName(k, source)) // the next result takes its place anyway
		return nil
	}
	return e
}

func (f *remoteTier) put(ctx context.Context, k Key, e *Entry, data []byte) {
	if f.breaker.isOpen() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, remoteWriteTimeout)
	defer cancel()
	if err := f.store.Put(limited, objectName(k, e.main()), data); err != nil {
		f.failed.Add(1)
		f.breaker.trip(err)
		return
	}
	f.breaker.reset()
}

func (f *remoteTier) remove(ctx context.Context, k Key, e *Entry) {
	limited, cancel := context.WithTimeout(ctx, remoteWriteTimeout)
	defer cancel()
	if err := f.store.Delete(limited, objectName(k, e.main())); err != nil {
		f.failed.Add(1)
	}
}

// purge removes what lies below the selected main pictures. Entries that have a selected picture as a layer
// only are left: their keys name its version, so nobody asks for them once it changes.
func (f *remoteTier) purge(ctx context.Context, s Selection) (n int, bytes int64, err error) {
	var folders []string
	for _, one := range append(slices.Clone(s.Files), s.Folders...) {
		folders = append(folders, strings.TrimSuffix(filesPrefix+one, "/"))
	}
	if s.All {
		folders = []string{strings.TrimSuffix(filesPrefix, "/"), strings.TrimSuffix(otherPrefix, "/")}
	}
	for _, folder := range folders {
		var names []string
		err = f.store.List(ctx, folder, func(name string, size int64) error {
			if _, ours := keyOf(path.Base(name)); ours {
				names = append(names, name)
				bytes += size
			}
			return nil
		})
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			return n, bytes, err
		}
		for _, name := range names {
			if err := f.store.Delete(ctx, name); err != nil {
				return n, bytes, err
			}
			n++
		}
	}
	return n, bytes, nil
}

func (f *remoteTier) stats() TierStats {
	return TierStats{On: true, Damaged: f.damaged.Load(), Failed: f.failed.Load(), Paused: f.breaker.isOpen()}
}
