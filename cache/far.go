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

// Place is somewhere that holds named bytes: object storage. Names are relative paths of slashes, letters,
// digits and dots.
type Place interface {
	// Get returns the bytes of a name; fault.NotFound when there are none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put writes bytes under a name, over what is there, whole or not at all.
	Put(ctx context.Context, name string, data []byte) error
	// Delete removes a name; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// Names calls each with the names below a folder and their bytes, until it returns an error.
	Names(ctx context.Context, folder string, each func(name string, bytes int64) error) error
}

// far is the tier in a Place. Entries lie in folders that mirror the path of their main picture, so that a
// purge finds them by listing. It has no bound of its own.
type far struct {
	place           Place
	pause           pause
	damaged, failed atomic.Int64
}

// The times that the place may take; a reader waits for it, a writer does not.
const (
	farRead  = 2 * time.Second
	farWrite = 30 * time.Second
)

func newFar(c Config) *far {
	return &far{place: c.Far, pause: pause{log: c.Log, what: "result cache: storage", now: c.Now}}
}

// The first folders of the names, so that a bucket may hold other things.
const (
	farFiles = "results/files/" // and the path of the main picture
	farOther = "results/other/" // canvases, remote pictures and very long paths
)

// mostFarPath is the longest path that a name mirrors, in bytes; keys of S3 have 1024 at most.
const mostFarPath = 800

// farName names an entry by its key and its main picture, which a reader knows too.
func farName(k Key, source string) string {
	name := k.String()
	if source == "" || strings.Contains(source, ":") || len(source) > mostFarPath {
		return farOther + name[:2] + "/" + name
	}
	return farFiles + source + "/" + name
}

func (f *far) get(ctx context.Context, k Key, source string) *Entry {
	if f.pause.on() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, farRead)
	defer cancel()
	b, err := f.place.Get(limited, farName(k, source))
	if err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			f.pause.end()
		} else if ctx.Err() == nil {
			f.failed.Add(1)
			f.pause.begin(err)
		}
		return nil
	}
	f.pause.end()
	e, err := decode(k, b)
	if err != nil {
		f.damaged.Add(1)
		_ = f.place.Delete(limited, farName(k, source)) // the next result takes its place anyway
		return nil
	}
	return e
}

func (f *far) put(ctx context.Context, k Key, e *Entry, data []byte) {
	if f.pause.on() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, farWrite)
	defer cancel()
	if err := f.place.Put(limited, farName(k, e.main()), data); err != nil {
		f.failed.Add(1)
		f.pause.begin(err)
		return
	}
	f.pause.end()
}

func (f *far) remove(ctx context.Context, k Key, e *Entry) {
	limited, cancel := context.WithTimeout(ctx, farWrite)
	defer cancel()
	if err := f.place.Delete(limited, farName(k, e.main())); err != nil {
		f.failed.Add(1)
	}
}

// purge removes what lies below the selected main pictures. Entries that have a selected picture as a layer
// only are left: their keys name its version, so nobody asks for them once it changes.
func (f *far) purge(ctx context.Context, s Selection) (n int, bytes int64, err error) {
	var folders []string
	for _, one := range append(slices.Clone(s.Files), s.Folders...) {
		folders = append(folders, strings.TrimSuffix(farFiles+one, "/"))
	}
	if s.All {
		folders = []string{strings.TrimSuffix(farFiles, "/"), strings.TrimSuffix(farOther, "/")}
	}
	for _, folder := range folders {
		var names []string
		err = f.place.Names(ctx, folder, func(name string, size int64) error {
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
			if err := f.place.Delete(ctx, name); err != nil {
				return n, bytes, err
			}
			n++
		}
	}
	return n, bytes, nil
}

func (f *far) stats() TierStats {
	return TierStats{On: true, Damaged: f.damaged.Load(), Failed: f.failed.Load(), Paused: f.pause.on()}
}
