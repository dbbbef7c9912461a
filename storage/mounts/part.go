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

// retryPause is how long a folder that is not there is not looked for again.
const retryPause = 2 * time.Second

// part is the main storage or a mount. That of a folder is opened when it is there: a file system may be mounted late, and again.
type part struct {
	Config
	dir  string // of a mount of files; empty for others
	keys storage.Credentials
	salt string // of ETags; empty for the main storage
	now  func() time.Time

	mu      sync.Mutex
	store   storage.Store // nil: not open
	opened  os.FileInfo   // of the folder; nil for others
	retired []storage.Store
	failed  error
	until   time.Time // failed is the answer until then
}

// get returns the storage, and opens it if it is not open. fault.Unavailable if it cannot be.
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

// open opens the storage. A folder is not made: an empty one would hide that its file system is not mounted.
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

// checkPresent returns fault.Unavailable if the folder that was opened is not the one at its path any longer. Without it, a file system
// that was unmounted would be a folder whose files are all deleted.
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
	p.retired = append(p.retired, p.store) // calls may be using it
	p.store, p.opened = nil, nil
	f := fault.Wrap(err, fault.Unavailable, "the folder of %s was replaced or is missing", p.Name)
	f.RetryAfter = retryPause
	return f
}

// nameMount names the mount in an error of its storage. What is missing counts as such only while the folder is there.
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

// stat returns a description as the tree gives it. The folder of a mount is not described by its storage: see folderStat.
func (p *part) stat(s storage.Stat) storage.Stat {
	s.Key = p.Name.Join(string(s.Key))
	if s.ETag != "" {
		s.ETag += p.salt
	}
	return s
}

// own returns a description as the storage of the part has it.
func (p *part) own(s storage.Stat, k storage.Key) storage.Stat {
	s.Key, s.ETag = k, strings.TrimSuffix(s.ETag, p.salt)
	return s
}

// known translates what the context knows.
func (p *part) known(ctx context.Context) context.Context {
	if p.Name == "" {
		return ctx
	}
	return storage.HintsWithin(ctx, p.Name, func(etag string) string { return strings.TrimSuffix(etag, p.salt) })
}
