package cache

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/fault"
)

// Config says which tiers there are and how large they may be. A tier without a bound or place is off.
type Config struct {
	MemoryBytes int64       // of the memory tier; 0: none
	Folder      string      // of the files tier; empty: none
	FileBytes   int64       // of the files tier; 0 is 1 GiB
	Remote      ObjectStore // the tier far away; nil: none
	Queue       int         // results that wait to be stored in the lower tiers; 0 is 256
	QueueBytes  int64       // of the results that wait; 0 is 64 MiB
	// NegativeAge is how long a failure that is the picture's fault is answered without another try; 0 is
	// one minute, less than 0 keeps none.
	NegativeAge time.Duration
	Log         *slog.Logger     // nil is slog's default
	Now         func() time.Time // nil is time.Now

	fs filesystem // nil is the system's; tests put damage in
}

// Cache keeps results in tiers. A nil Cache keeps nothing. Its methods are safe for concurrent use.
type Cache struct {
	config Config
	memory *memory
	files  *files
	remote *remoteTier
	purges purges
	count  counters

	jobs    chan job
	waiting atomic.Int64 // bytes of jobs
	stop    context.CancelFunc
	workers sync.WaitGroup
	closing sync.RWMutex // held for reading while a job is offered
	closed  bool
}

// job is an entry to be stored in the lower tiers.
type job struct {
	key   Key
	entry *Entry
	files bool // else far only
}

// storeWorkers is how many entries are written at once.
const storeWorkers = 2

// New returns a cache with the tiers of c; nil when there are none. Entries of an earlier run are found
// again. It returns an error for a folder that cannot be made.
func New(c Config) (*Cache, error) {
	if c.MemoryBytes <= 0 && c.Folder == "" && c.Remote == nil {
		return nil, nil
	}
	c = c.withDefaults()
	k := &Cache{config: c, jobs: make(chan job, c.Queue)}
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	var err error
	if c.MemoryBytes > 0 {
		if k.memory, err = newMemory(c.MemoryBytes); err != nil {
			stop()
			return nil, err
		}
	}
	if c.Folder != "" {
		if k.files, err = openFiles(ctx, c); err != nil {
			stop()
			return nil, err
		}
	}
	if c.Remote != nil {
		k.remote = newRemoteTier(c)
	}
	for range storeWorkers {
		k.workers.Go(func() { k.storeJobs(ctx) })
	}
	return k, nil
}

func (c Config) withDefaults() Config {
	if c.FileBytes <= 0 {
		c.FileBytes = 1 << 30
	}
	if c.Queue <= 0 {
		c.Queue = 256
	}
	if c.QueueBytes <= 0 {
		c.QueueBytes = 64 << 20
	}
	if c.NegativeAge == 0 {
		c.NegativeAge = time.Minute
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.fs == nil {
		c.fs = system{}
	}
	return c
}

// Tier says where an entry was found.
type Tier string

// The tiers.
const (
	Memory Tier = "memory"
	Files  Tier = "file"
	Remote Tier = "s3"
)

// GetMemory returns the entry when it lies in memory; nil else. It never waits.
func (c *Cache) GetMemory(k Key) *Entry {
	if c == nil || c.memory == nil {
		return nil
	}
	e := c.memory.get(k, c.config.Now())
	if e != nil {
		c.count.hits[0].Add(1)
	}
	return e
}

// GetLower returns the entry from the lower tiers, nil when none has it, and lifts it into those above. main
// is the first of its sources. What goes wrong there is a miss.
func (c *Cache) GetLower(ctx context.Context, k Key, main string) (*Entry, Tier) {
	if c == nil {
		return nil, ""
	}
	now := c.config.Now()
	if c.files != nil {
		if e := c.files.get(k); e != nil && !e.expired(now) && !c.purges.hit(e) {
			c.count.hits[1].Add(1)
			c.promote(k, e)
			return e, Files
		}
	}
	if c.remote != nil {
		if e := c.remote.get(ctx, k, main); e != nil && !e.expired(now) && !c.purges.hit(e) {
			c.count.hits[2].Add(1)
			c.promote(k, e)
			if c.files != nil {
				c.offer(job{key: k, entry: e, files: true})
			}
			return e, Remote
		}
	}
	c.count.misses.Add(1)
	return nil, ""
}

func (c *Cache) promote(k Key, e *Entry) {
	if c.memory != nil {
		c.memory.put(k, e)
	}
}

// Put keeps a result: in memory at once, in the lower tiers when they get to it, unless too many wait
// there already. stored is false when no tier takes it. Failures stay in memory, for a short while.
func (c *Cache) Put(k Key, e *Entry) (stored bool) {
	if c == nil || c.purges.hit(e) {
		return false
	}
	if e.Code != "" {
		if c.memory == nil || c.config.NegativeAge < 0 || !lasting[e.Code] {
			return false
		}
		e.Until = c.config.Now().Add(c.config.NegativeAge)
		c.memory.put(k, e)
		return true
	}
	c.promote(k, e)
	if c.files == nil && c.remote == nil {
		return true
	}
	return c.offer(job{key: k, entry: e}) || c.memory != nil
}

// lasting are the failures that come from the picture or the URL: another try would end the same.
var lasting = map[fault.Code]bool{
	fault.Invalid: true, fault.TooLarge: true, fault.UnsupportedType: true, fault.UnsupportedFormat: true, fault.CorruptImage: true,
}

func (c *Cache) offer(j job) bool {
	c.closing.RLock()
	defer c.closing.RUnlock()
	size := int64(len(j.entry.Body))
	if c.closed || c.waiting.Add(size) > c.config.QueueBytes {
		c.waiting.Add(-size)
		c.count.dropped.Add(1)
		return false
	}
	select {
	case c.jobs <- j:
		return true
	default:
		c.waiting.Add(-size)
		c.count.dropped.Add(1)
		return false
	}
}

func (c *Cache) storeJobs(ctx context.Context) {
	for j := range c.jobs {
		c.store(ctx, j)
		c.waiting.Add(-int64(len(j.entry.Body)))
	}
}

func (c *Cache) store(ctx context.Context, j job) {
	if ctx.Err() != nil || c.purges.hit(j.entry) {
		return
	}
	data, err := encode(j.key, j.entry)
	if err != nil {
		c.config.Log.Error("a result cannot be stored", "error", err)
		return
	}
	if c.files != nil {
		c.files.put(j.key, j.entry, data)
	}
	if c.remote != nil && !j.files {
		c.remote.put(ctx, j.key, j.entry, data)
	}
	if c.purges.hit(j.entry) { // it came while we wrote
		c.remove(ctx, j)
	}
	c.count.stored.Add(1)
}

func (c *Cache) remove(ctx context.Context, j job) {
	if c.files != nil {
		c.files.remove(j.key)
	}
	if c.remote != nil {
		c.remote.remove(ctx, j.key, j.entry)
	}
}

// closeTimeout is how long Close waits for results that are being stored.
const closeTimeout = 5 * time.Second

// Close lets waiting results be stored for up to five seconds, and frees what the cache holds.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	c.closing.Lock()
	if c.closed {
		c.closing.Unlock()
		return nil
	}
	c.closed = true
	close(c.jobs)
	c.closing.Unlock()
	timer := time.AfterFunc(closeTimeout, c.stop)
	defer timer.Stop()
	c.workers.Wait()
	c.stop()
	if c.files != nil {
		c.files.close()
	}
	return nil
}
