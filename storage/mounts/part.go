package mounts

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// retryPause is the time between attempts to open a folder that does not exist.
const retryPause = 2 * time.Second

// part is the main storage or a mount. A folder is opened once it exists, and reopened after it was replaced, because
// its file system may be mounted late or mounted again.
type part struct {
	Config
	dir  string // folder of a mount with a file address; empty for others
	keys storage.Credentials
	salt string // suffix of ETags; empty for the main storage
	now  func() time.Time

	mu      sync.Mutex
	store   storage.Store // nil: not open
	opened  os.FileInfo   // the folder that was opened; nil for buckets
	retired []storage.Store
	failed  error
	until   time.Time // until then, get returns failed
}

// get returns the storage, which it opens if necessary. It returns fault.Unavailable if the storage cannot be opened.
func (p *part) get(ctx context.Context) (storage.Store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store != nil {
		return p.store, nil
	}
	if p.failed != nil && p.now().Before(p.until) {
		return nil, p.failed
	}
	err := p.open(ctx)
	if err == nil {
		p.failed = nil
		return p.store, nil
	}
	f := fault.Wrap(err, fault.Unavailable, "the storage %s cannot be opened", p.Name)
	f.RetryAfter = retryPause
	p.failed, p.until = f, p.now().Add(retryPause)
	return nil, f
}

// open opens the storage. It does not create a folder, because an empty folder would hide that its file system is not
// mounted.
func (p *part) open(ctx context.Context) error {
	if p.dir != "" {
		info, err := os.Stat(p.dir)
		if err != nil {
			return err
		}
		p.opened = info
	}
	s, err := storage.OpenWith(ctx, p.Address, storage.OpenOptions{ReadOnly: p.ReadOnly, Credentials: p.keys})
	if err == nil {
		p.store = s
	}
	return err
}

// checkPresent returns fault.Unavailable if the folder that was opened is no longer the one at its path. Without this
// check, all files would seem to be deleted after the file system was unmounted.
func (p *part) checkPresent() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened == nil || p.store == nil {
		return nil
	}
	now, err := os.Stat(p.dir)
	if err == nil && os.SameFile(now, p.opened) {
		return nil
	}
	p.retired = append(p.retired, p.store) // calls in progress may be using it
	p.store, p.opened = nil, nil
	f := fault.Wrap(err, fault.Unavailable, "the folder of %s was replaced or is missing", p.Name)
	f.RetryAfter = retryPause
	return f
}

// nameMount adds the name of the mount to an error of its storage. It replaces fault.NotFound if the folder itself is
// gone.
func (p *part) nameMount(err error) error {
	if err == nil || p.Name == "" {
		return err
	}
	if fault.CodeOf(err) == fault.NotFound {
		if gone := p.checkPresent(); gone != nil {
			return gone
		}
	}
	var f *fault.Error
	if !errors.As(err, &f) || strings.Contains(f.Message, string(p.Name)) {
		return err
	}
	named := *f
	named.Message += " (in " + string(p.Name) + ")"
	return &named
}

func (p *part) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all error
	for _, s := range append(p.retired, p.store) {
		if s != nil {
			all = errors.Join(all, s.Close())
		}
	}
	return all
}

// stat converts a description by the storage to a description by the tree. The folder of a mount itself has
// folderStat.
func (p *part) stat(s storage.Stat) storage.Stat {
	s.Key = p.Name.Join(string(s.Key))
	if s.ETag != "" {
		s.ETag += p.salt
	}
	return s
}

// own converts a description by the tree to a description by the storage, where the file has the key k.
func (p *part) own(s storage.Stat, k storage.Key) storage.Stat {
	s.Key, s.ETag = k, strings.TrimSuffix(s.ETag, p.salt)
	return s
}

// known converts the hints of the context to the storage's keys and ETags.
func (p *part) known(ctx context.Context) context.Context {
	if p.Name == "" {
		return ctx
	}
	return storage.HintsWithin(ctx, p.Name, func(etag string) string { return strings.TrimSuffix(etag, p.salt) })
}
