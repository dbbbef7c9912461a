package cache

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/safelight/safelight/fault"
)

// Config selects the tiers and their limits.
type Config struct {
	MemoryBytes int64       // max size of the memory tier; 0: the tier is off
	Folder      string      // folder of the files tier; empty: the tier is off
	FileBytes   int64       // max size of the files tier; required with a Folder
	Remote      ObjectStore // store of the remote tier; nil: the tier is off
	Queue       int         // max results that wait to be written to the lower tiers; 0: 256
	QueueBytes  int64       // max total size of the results that wait; 0: 64 MiB
	// NegativeAge is how long a failure is cached that the picture or the URL causes; 0: failures are not cached.
	NegativeAge time.Duration
	Log         *slog.Logger     // nil: slog's default
	Now         func() time.Time // nil is time.Now

	fs filesystem // nil: the operating system's; tests inject failures
}

// Cache stores results in tiers. A nil Cache is valid and stores nothing. Its methods are safe for concurrent use.
type Cache struct {
	config Config
	memory *memory
	files  *files
	remote *remoteTier
	purges purges
	count  counters

	jobs    chan job
	waiting *semaphore.Weighted // limits the bytes of jobs that wait or are being written
	stop    context.CancelFunc
	workers sync.WaitGroup
	closing sync.RWMutex // read-locked while a job is enqueued
	closed  bool
}

// job is an entry to be written to the lower tiers.
type job struct {
	key   Key
	entry *Entry
	files bool // write to the files tier only
}

// storeWorkers is how many entries are written concurrently.
const storeWorkers = 2

// New returns a cache with the tiers of c; nil if all are off. The files tier contains the entries of earlier runs. It
// returns an error if the folder cannot be created or if FileBytes is not set.
func New(c Config) (*Cache, error) {
	if c.MemoryBytes <= 0 && c.Folder == "" && c.Remote == nil {
		return nil, nil
	}
	if c.Folder != "" && c.FileBytes <= 0 {
		return nil, fmt.Errorf("the files of the cache may have %d bytes, expected a positive limit", c.FileBytes)
	}
	c = c.withDefaults()
	k := &Cache{config: c, jobs: make(chan job, c.Queue), waiting: semaphore.NewWeighted(c.QueueBytes)}
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
	if c.Queue <= 0 {
		c.Queue = 256
	}
	if c.QueueBytes <= 0 {
		c.QueueBytes = 64 << 20
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

// Tier is the tier in which an entry was found.
type Tier string

// The tiers.
const (
	Memory Tier = "memory"
	Files  Tier = "file"
	Remote Tier = "s3"
)

// GetMemory returns an entry from memory; nil on a miss. It does no I/O.
func (c *Cache) GetMemory(k Key) *Entry {
	if c == nil || c.memory == nil {
		return nil
	}
	e := c.memory.get(k, c.config.Now)
	if e != nil {
		c.count.hits[0].Add(1)
	}
	return e
}

// GetLower returns an entry from the lower tiers and stores it in the tiers above; nil on a miss. main is the first
// source of the entry. An error of a tier counts as a miss.
func (c *Cache) GetLower(ctx context.Context, k Key, main string) (*Entry, Tier) {
	if c == nil {
		return nil, ""
	}
	now := c.config.Now()
	if c.files != nil {
		if e := c.files.get(k); e != nil && !e.expired(now) && !c.purges.covers(e) {
			c.count.hits[1].Add(1)
			c.promote(k, e)
			return e, Files
		}
	}
	if c.remote != nil {
		if e := c.remote.get(ctx, k, main); e != nil && !e.expired(now) && !c.purges.covers(e) {
			c.count.hits[2].Add(1)
			c.promote(k, e)
			if c.files != nil {
				c.enqueue(job{key: k, entry: e, files: true})
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

// Put stores a result in memory at once, and in the lower tiers asynchronously. If their queue is full, it is not
// stored there. stored is false if no tier has accepted it. Failures are only stored in memory, for NegativeAge.
func (c *Cache) Put(k Key, e *Entry) (stored bool) {
	if c == nil || c.purges.covers(e) {
		return false
	}
	if e.Code != "" {
		if c.memory == nil || c.config.NegativeAge <= 0 || !cacheable[e.Code] {
			return false
		}
		e.Expires = c.config.Now().Add(c.config.NegativeAge)
		c.memory.put(k, e)
		return true
	}
	c.promote(k, e)
	if c.files == nil && c.remote == nil {
		return true
	}
	queued := c.enqueue(job{key: k, entry: e})
	return queued || c.memory != nil
}

// cacheable are the failures whose cause is the picture or the URL, so that a retry would fail again.
var cacheable = map[fault.Code]bool{
	fault.Invalid: true, fault.TooLarge: true, fault.UnsupportedType: true, fault.UnsupportedFormat: true,
	fault.CorruptImage: true,
}

// enqueue adds a job to the queue. It returns false if the queue is full.
func (c *Cache) enqueue(j job) bool {
	c.closing.RLock()
	defer c.closing.RUnlock()
	size := int64(len(j.entry.Body))
	if c.closed || !c.waiting.TryAcquire(size) {
		c.count.dropped.Add(1)
		return false
	}
	select {
	case c.jobs <- j:
		return true
	default:
		c.waiting.Release(size)
		c.count.dropped.Add(1)
		return false
	}
}

func (c *Cache) storeJobs(ctx context.Context) {
	for j := range c.jobs {
		c.store(ctx, j)
		c.waiting.Release(int64(len(j.entry.Body)))
	}
}

func (c *Cache) store(ctx context.Context, j job) {
	if ctx.Err() != nil || c.purges.covers(j.entry) {
		return
	}
	data, err := encode(j.key, j.entry)
	if err != nil {
		c.config.Log.Error("a result cannot be encoded for the cache", "error", err)
		return
	}
	if c.files != nil {
		c.files.put(j.key, j.entry, data)
	}
	if c.remote != nil && !j.files {
		c.remote.put(ctx, j.key, j.entry, data)
	}
	if c.purges.covers(j.entry) { // it was purged during the write
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

// Folder returns the folder of the files tier; empty if that is off.
func (c *Cache) Folder() string {
	if c == nil {
		return ""
	}
	return c.config.Folder
}

// closeTimeout is how long Close waits for queued writes.
const closeTimeout = 5 * time.Second

// Close writes the queued results for up to five seconds and stops the cache.
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
