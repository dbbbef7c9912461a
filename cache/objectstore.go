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

// ObjectStore holds objects by name. Names are relative paths of letters, digits, dots and slashes.
type ObjectStore interface {
	// Get returns an object; fault.NotFound if it does not exist.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put creates or replaces an object, atomically.
	Put(ctx context.Context, name string, data []byte) error
	// Delete deletes an object. A missing object is not an error.
	Delete(ctx context.Context, name string) error
	// List calls each with the name and size of every object below a folder, until each returns an error.
	List(ctx context.Context, folder string, each func(name string, bytes int64) error) error
}

// remoteTier keeps entries in an ObjectStore. Their names mirror the path of their main source, so that a purge finds them by
// listing. It has no size limit.
type remoteTier struct {
	store           ObjectStore
	breaker         breaker
	damaged, failed atomic.Int64
}

// The timeouts of the object store. A request waits for reads, not for writes.
const (
	remoteReadTimeout  = 2 * time.Second
	remoteWriteTimeout = 30 * time.Second
)

func newRemoteTier(c Config) *remoteTier {
	return &remoteTier{store: c.Remote, breaker: breaker{log: c.Log, what: "result cache: reads and writes of the object store", now: c.Now}}
}

// The prefixes of object names, so that the bucket can hold other objects too.
const (
	filesPrefix = "results/files/" // followed by the path of the main source
	otherPrefix = "results/other/" // canvases, remote pictures and very long paths
)

// maxMirroredPath is the max length of a path that a name mirrors, in bytes; S3 allows keys of 1024 bytes.
const maxMirroredPath = 800

// objectName returns the name of an entry, from its key and its main source.
func objectName(k Key, source string) string {
	name := k.String()
	if source == "" || strings.Contains(source, ":") || len(source) > maxMirroredPath {
		return otherPrefix + name[:2] + "/" + name
	}
	return filesPrefix + source + "/" + name
}

func (t *remoteTier) get(ctx context.Context, k Key, source string) *Entry {
	if t.breaker.isOpen() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, remoteReadTimeout)
	defer cancel()
	b, err := t.store.Get(limited, objectName(k, source))
	if err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			t.breaker.reset()
		} else if ctx.Err() == nil {
			t.failed.Add(1)
			t.breaker.trip(err)
		}
		return nil
	}
	t.breaker.reset()
	e, err := decode(k, b)
	if err != nil {
		t.damaged.Add(1)
		_ = t.store.Delete(limited, objectName(k, source)) // the next result replaces it anyway
		return nil
	}
	return e
}

func (t *remoteTier) put(ctx context.Context, k Key, e *Entry, data []byte) {
	if t.breaker.isOpen() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, remoteWriteTimeout)
	defer cancel()
	if err := t.store.Put(limited, objectName(k, e.main()), data); err != nil {
		t.failed.Add(1)
		t.breaker.trip(err)
		return
	}
	t.breaker.reset()
}

func (t *remoteTier) remove(ctx context.Context, k Key, e *Entry) {
	limited, cancel := context.WithTimeout(ctx, remoteWriteTimeout)
	defer cancel()
	if err := t.store.Delete(limited, objectName(k, e.main())); err != nil {
		t.failed.Add(1)
	}
}

// purge deletes the entries whose main source is selected. Entries that use a selected picture only as a layer stay: their
// keys include its version, so they are never read after it changes.
func (t *remoteTier) purge(ctx context.Context, s Selection) (n int, bytes int64, err error) {
	var folders []string
	for _, one := range append(slices.Clone(s.Files), s.Folders...) {
		folders = append(folders, strings.TrimSuffix(filesPrefix+one, "/"))
	}
	if s.All {
		folders = []string{strings.TrimSuffix(filesPrefix, "/"), strings.TrimSuffix(otherPrefix, "/")}
	}
	for _, folder := range folders {
		var names []string
		err = t.store.List(ctx, folder, func(name string, size int64) error {
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
			if err := t.store.Delete(ctx, name); err != nil {
				return n, bytes, err
			}
			n++
		}
	}
	return n, bytes, nil
}

func (t *remoteTier) stats() TierStats {
	return TierStats{On: true, Damaged: t.damaged.Load(), Failed: t.failed.Load(), Paused: t.breaker.isOpen()}
}
