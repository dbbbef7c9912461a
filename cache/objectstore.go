package cache

import (
	"context"
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
	// List calls each with the name and size of every object below a folder, and stops if each returns an error.
	List(ctx context.Context, folder string, each func(name string, bytes int64) error) error
}

// remoteTier stores entries in an ObjectStore. Their names contain the path of their main source, so that a purge
// finds them by listing. A purge finds entries of other sources by references (objectstore_purge.go). The tier has no
// size limit.
type remoteTier struct {
	store           ObjectStore
	breaker         breaker
	damaged, failed atomic.Int64
}

// The timeouts of the object store. Requests wait for reads, but not for writes.
const (
	remoteReadTimeout  = 2 * time.Second
	remoteWriteTimeout = 30 * time.Second
)

func newRemoteTier(c Config) *remoteTier {
	return &remoteTier{store: c.Remote, breaker: breaker{log: c.Log, what: "result cache: reads and writes of the " +
		"object store", now: c.Now}}
}

// The prefixes of object names, which leave the rest of the bucket to other objects.
const (
	filesPrefix = "results/files/" // followed by the path of the main source
	otherPrefix = "results/other/" // canvases, remote pictures and very long paths
)

// maxMirroredPath is the max length of a path that a name mirrors, in bytes; S3 allows keys of 1024 bytes.
const maxMirroredPath = 800

func isMirrored(source string) bool {
	return source != "" && !strings.Contains(source, ":") && len(source) <= maxMirroredPath
}

// objectName returns the name of an entry, from its key and its main source.
func objectName(k Key, source string) string {
	name := k.String()
	if !isMirrored(source) {
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
		_ = t.store.Delete(limited, objectName(k, source)) // if this fails, the next result replaces it
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
	err := t.writeReferences(limited, k, e, int64(len(data)))
	if err == nil {
		err = t.store.Put(limited, objectName(k, e.main()), data)
	}
	if err != nil {
		t.failed.Add(1)
		t.breaker.trip(err)
		return
	}
	t.breaker.reset()
}

func (t *remoteTier) remove(ctx context.Context, k Key, e *Entry) {
	limited, cancel := context.WithTimeout(ctx, remoteWriteTimeout)
	defer cancel()
	for _, name := range append(referenceNames(k, e), objectName(k, e.main())) {
		if err := t.store.Delete(limited, name); err != nil {
			t.failed.Add(1)
		}
	}
}

func (t *remoteTier) stats() TierStats {
	return TierStats{On: true, Damaged: t.damaged.Load(), Failed: t.failed.Load(), Paused: t.breaker.isOpen()}
}
