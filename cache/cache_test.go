package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

// clock is a time that tests move.
type clock struct{ nanoseconds atomic.Int64 }

func (c *clock) now() time.Time      { return time.Unix(1_800_000_000, c.nanoseconds.Load()) }
func (c *clock) add(d time.Duration) { c.nanoseconds.Add(int64(d)) }
func entry(n int, src ...string) *Entry {
	return &Entry{Body: bytes.Repeat([]byte{byte(n)}, n), ContentType: "image/webp", Format: "webp", Width: 3,
		Height: 2, Pages: 1,
		Warnings: []Warning{{"blur", "sigma", "too much"}}, Sources: src, Started: time.Unix(1_900_000_000, 0)}
}

// openAt opens a cache of files in dir; change may add tiers.
func openAt(t *testing.T, dir string, change func(*Config)) *Cache {
	t.Helper()
	config := Config{Folder: dir, FileBytes: 1 << 20, NegativeAge: time.Minute, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if c.files != nil {
		<-c.files.scanned
	}
	return c
}

// settle waits until every queued entry is stored.
func (c *Cache) settle() {
	if err := c.waiting.Acquire(context.Background(), c.config.QueueBytes); err == nil {
		c.waiting.Release(c.config.QueueBytes)
	}
}

func (c *Cache) holds(k Key) bool {
	e, _ := c.GetLower(context.Background(), k, "a.png")
	return e != nil
}

func TestRestartKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	first := openAt(t, dir, nil)
	k, want := KeyOf("a"), entry(1000, "a.png", "over/b.png")
	if !first.Put(k, want) {
		t.Fatal("not stored")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := openAt(t, dir, nil)
	got, tier := second.GetLower(t.Context(), k, "a.png")
	if got == nil || tier != Files || !bytes.Equal(got.Body, want.Body) ||
		fmt.Sprint(got.Warnings, got.Sources, got.Width) != fmt.Sprint(want.Warnings, want.Sources, want.Width) {
		t.Fatalf("got %+v from %q", got, tier)
	}
	if s := second.Stats(); s.Files.Entries != 1 || s.Files.Hits != 1 {
		t.Errorf("%+v", s)
	}
	if p, err := second.Purge(t.Context(), Selection{Files: []string{"over/b.png"}}); err != nil || p.Files != 1 ||
		second.holds(k) {
		t.Errorf("a purge by a layer after a restart: %+v, %v", p, err)
	}
}

// TestDamage changes a stored entry in every possible way; none may be returned.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	c := openAt(t, dir, nil)
	k := KeyOf("a")
	name := c.files.path(k)
	fresh := func() []byte {
		c.Put(k, entry(300, "a.png"))
		c.settle()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	whole := fresh()
	check := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.holds(k) {
			t.Errorf("%s is served", what)
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is not removed", what)
		}
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		check(fmt.Sprintf("bit flip in byte %d", i), flipped)
		if i%7 == 0 {
			check(fmt.Sprintf("truncation at %d", i), whole[:i])
		}
	}
	check("a longer file", append(bytes.Clone(whole), 0))
	other, _ := encode(KeyOf("b"), entry(10, "a.png"))
	check("the entry of another key", other)
	fresh()
	if !c.holds(k) {
		t.Error("it does not recover")
	}
}

func TestFolderDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := openAt(t, dir, nil)
	k := KeyOf("a")
	c.Put(k, entry(300))
	c.settle()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if c.holds(k) {
		t.Error("an entry without a file")
	}
	c.Put(k, entry(300))
	c.settle()
	if !c.holds(k) {
		t.Error("the folder was not made again")
	}
}

// fullDisk fails writes while full is set, leaving half a file as a full disk does.
type fullDisk struct {
	system
	full   atomic.Bool
	writes atomic.Int64
}

func (d *fullDisk) WriteFile(name string, data []byte) error {
	d.writes.Add(1)
	if d.full.Load() {
		_ = d.system.WriteFile(name, data[:len(data)/2])
		return &os.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	return d.system.WriteFile(name, data)
}

func TestDiskFull(t *testing.T) {
	disk, at := &fullDisk{}, &clock{}
	dir := t.TempDir()
	c := openAt(t, dir, func(c *Config) { c.fs, c.Now, c.MemoryBytes = disk, at.now, 1<<20 })
	disk.full.Store(true)
	for i := range 20 {
		c.Put(KeyOf(fmt.Sprint(i)), entry(300))
		c.settle()
	}
	if n := disk.writes.Load(); n != 1 {
		t.Errorf("%d writes to a full disk, expected one and a rest", n)
	}
	if list, _ := os.ReadDir(filepath.Join(dir, tempName)); len(list) != 0 {
		t.Errorf("half-written files are left: %v", list)
	}
	if e := c.GetMemory(KeyOf("7")); e == nil || !c.Stats().Files.Paused {
		t.Error("memory must go on, and the pause be seen")
	}
	disk.full.Store(false)
	at.add(breakerTimeout)
	k := KeyOf("later")
	c.Put(k, entry(300))
	c.settle()
	if s := c.Stats(); !c.holds(k) || s.Files.Paused || s.Files.Failed != 1 {
		t.Errorf("no recovery: %+v", s)
	}
}

func TestFilesAreBounded(t *testing.T) {
	c := openAt(t, t.TempDir(), func(c *Config) { c.FileBytes = 10_000 })
	keep := KeyOf("keep")
	c.Put(keep, entry(1000))
	for i := range 50 {
		c.settle()
		if !c.holds(keep) {
			t.Fatalf("the entry in use went after %d others", i)
		}
		c.Put(KeyOf(fmt.Sprint(i)), entry(1000))
	}
	c.settle()
	total := int64(0)
	_ = filepath.WalkDir(c.files.folder, func(_ string, d fs.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() {
			total += info.Size()
		}
		return nil
	})
	if s := c.Stats().Files; total > 10_000 || s.Bytes != total || s.Evicted == 0 {
		t.Errorf("%d bytes on disk, %+v", total, s)
	}
	c.Put(KeyOf("large"), entry(9000))
	if c.settle(); c.holds(KeyOf("large")) || !c.holds(keep) {
		t.Error("one entry must not push out all others")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := openAt(t, "", func(c *Config) { c.MemoryBytes = 100_000 })
	for i := range 1000 {
		c.Put(KeyOf(fmt.Sprint(i)), entry(1000))
	}
	c.memory.entries.CleanUp()
	if s := c.Stats().Memory; s.Bytes > 100_000 || s.Entries == 0 {
		t.Errorf("%+v", s)
	}
}

func TestFailuresAreKeptBriefly(t *testing.T) {
	at := &clock{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.MemoryBytes, c.Now = 1<<20, at.now })
	k := KeyOf("a")
	for code, kept := range map[fault.Code]bool{fault.CorruptImage: true, fault.UnsupportedType: true,
		fault.Internal: false, fault.Overloaded: false, fault.Timeout: false, fault.NotFound: false} {
		if c.Put(k, &Entry{Code: code}) != kept {
			t.Errorf("%s: kept is not %v", code, kept)
		}
	}
	c.settle()
	if c.GetMemory(k) == nil || c.Stats().Files.Entries != 0 {
		t.Error("a failure belongs in memory only")
	}
	at.add(time.Minute)
	if c.GetMemory(k) != nil {
		t.Error("it is kept for longer than a minute")
	}
}

func TestPurge(t *testing.T) {
	for what, c := range map[string]struct {
		s    Selection
		left string
	}{
		"file":      {Selection{Files: []string{"a/x.png"}}, "a/y.png ab/z.png"},
		"as layer":  {Selection{Files: []string{"logo.png"}}, "a/x.png ab/z.png"},
		"folder":    {Selection{Folders: []string{"a"}}, "ab/z.png"},
		"root":      {Selection{Folders: []string{""}}, ""},
		"all":       {Selection{All: true}, ""},
		"nothing":   {Selection{}, "a/x.png a/y.png ab/z.png"},
		"not there": {Selection{Files: []string{"q"}, Folders: []string{"q"}}, "a/x.png a/y.png ab/z.png"},
	} {
		at := &clock{}
		cache := openAt(t, t.TempDir(), func(c *Config) { c.MemoryBytes, c.Now = 1<<20, at.now })
		all := map[string][]string{"a/x.png": {"a/x.png"}, "a/y.png": {"a/y.png", "logo.png"}, "ab/z.png": {"ab/z.png"}}
		for name, sources := range all {
			e := entry(100, sources...)
			e.Started = at.now()
			cache.Put(KeyOf(name), e)
		}
		cache.settle()
		at.add(1)
		p, err := cache.Purge(t.Context(), c.s)
		left := ""
		for _, name := range []string{"a/x.png", "a/y.png", "ab/z.png"} {
			if (cache.GetMemory(KeyOf(name)) != nil) != cache.holds(KeyOf(name)) {
				t.Errorf("%s: the tiers differ about %s", what, name)
			}
			if cache.GetMemory(KeyOf(name)) != nil {
				left += " " + name
			}
		}
		if left = left[min(1, len(left)):]; left != c.left || err != nil || p.Memory != p.Files || p.Bytes == 0 &&
			left == "" {
			t.Errorf("%s: left is %q, expected %q; %+v, %v", what, left, c.left, p, err)
		}
	}
}

// TestStartPurge: no tier returns an entry once a purge has started, and what is rendered before it ends stays.
func TestStartPurge(t *testing.T) {
	at := &clock{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.MemoryBytes, c.Now = 1<<20, at.now })
	k := KeyOf("a")
	put := func() {
		e := entry(10, "a.png")
		e.Started = at.now()
		c.Put(k, e)
		c.settle()
		at.add(1)
	}
	put()
	finish := c.StartPurge(Selection{Files: []string{"a.png"}})
	if low, _ := c.GetLower(t.Context(), k, "a.png"); c.GetMemory(k) != nil || low != nil {
		t.Error("the old result is still found")
	}
	at.add(1)
	put()
	if p, err := finish(t.Context()); p.Memory != 1 || p.Files != 1 || err != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if c.GetMemory(k) == nil {
		t.Error("the new result is gone")
	}
}

// TestPurgeLocal: the objects stay, for the server that was asked removes them; what is found in them was made before.
func TestPurgeLocal(t *testing.T) {
	at, store := &clock{}, newBucket()
	c := openAt(t, t.TempDir(), func(c *Config) { c.MemoryBytes, c.Remote, c.Now = 1<<20, store, at.now })
	for _, name := range []string{"a.png", "b.png"} {
		e := entry(100, name)
		e.Started = at.now()
		c.Put(KeyOf(name), e)
	}
	c.settle()
	at.add(1)
	p, err := c.PurgeLocal(t.Context(), Selection{Files: []string{"a.png"}})
	if err != nil || p.Memory != 1 || p.Files != 1 || p.Remote != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	if e, _ := c.GetLower(t.Context(), KeyOf("a.png"), "a.png"); e != nil || c.GetMemory(KeyOf("b.png")) == nil {
		t.Error("the purged result is found, or another is not")
	}
	if p, err := (*Cache)(nil).PurgeLocal(t.Context(), Selection{All: true}); err != nil || p != (Purged{}) {
		t.Errorf("no cache: %+v, %v", p, err)
	}
}

// TestPurgeWhileMade: work in progress during a purge is not cached after it.
func TestPurgeWhileMade(t *testing.T) {
	at := &clock{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.MemoryBytes, c.Now = 1<<20, at.now })
	for i := range maxPurges + 2 { // so many that the oldest are merged
		e := entry(10, "a.png")
		e.Started = at.now()
		at.add(1)
		if _, err := c.Purge(t.Context(), Selection{Files: []string{"a.png"}}); err != nil {
			t.Fatal(err)
		}
		at.add(1)
		if i%500 < 3 && c.Put(KeyOf("a"), e) {
			t.Fatalf("after %d purges an old result is kept", i)
		}
	}
	e := entry(10, "a.png")
	e.Started = at.now()
	if !c.Put(KeyOf("a"), e) {
		t.Error("a result that was begun afterwards is refused")
	}
}

// slowDisk blocks all writes until the gate opens.
type slowDisk struct {
	system
	gate chan struct{}
}

func (d *slowDisk) WriteFile(name string, data []byte) error {
	<-d.gate
	return d.system.WriteFile(name, data)
}

func TestQueueOfStoresIsBounded(t *testing.T) {
	disk := &slowDisk{gate: make(chan struct{})}
	c := openAt(t, t.TempDir(), func(c *Config) { c.fs, c.Queue, c.QueueBytes = disk, 4, 1<<20 })
	for i := range 100 {
		c.Put(KeyOf(fmt.Sprint(i)), entry(10)) // must not block
	}
	if s := c.Stats(); s.Dropped < 100-4-storeWorkers || s.Waiting > 4 {
		t.Errorf("%+v", s)
	}
	close(disk.gate)
	c.settle()
	if s := c.Stats(); s.Stored == 0 || s.Stored+s.Dropped != 100 {
		t.Errorf("%+v", s)
	}
}

// TestQueueOfStoresIsBoundedByBytes fills the queue to the byte.
func TestQueueOfStoresIsBoundedByBytes(t *testing.T) {
	for max, stored := range map[int64]bool{300: true, 299: false} {
		disk := &slowDisk{gate: make(chan struct{})}
		c := openAt(t, t.TempDir(), func(c *Config) { c.fs, c.QueueBytes = disk, max })
		for n := range 3 {
			if got := c.Put(KeyOf(fmt.Sprint(n)), entry(100)); got != (stored || n < 2) {
				t.Errorf("entry %d of 100 bytes in a queue of %d: stored is %v", n+1, max, got)
			}
		}
		close(disk.gate)
		c.settle()
		if s := c.Stats(); s.Dropped != 0 != !stored || !c.Put(KeyOf("later"), entry(100)) {
			t.Errorf("a queue of %d: %+v", max, s)
		}
	}
}

func TestDefaults(t *testing.T) {
	for _, n := range []int{0, -1} {
		d := Config{Queue: n, QueueBytes: int64(n)}.withDefaults()
		if d.Queue != 256 || d.QueueBytes != 64<<20 || d.Log == nil || d.Now == nil || d.fs == nil {
			t.Errorf("of %d: %+v", n, d)
		}
	}
	if d := (Config{Queue: 1, QueueBytes: 1}).withDefaults(); d.Queue != 1 || d.QueueBytes != 1 {
		t.Errorf("of small numbers: %+v", d)
	}
	if _, err := New(Config{Folder: t.TempDir()}); err == nil {
		t.Error("a folder without a limit is accepted")
	}
}

// TestNoTiers checks that a cache without tiers is nil, and that a nil Cache works.
func TestNoTiers(t *testing.T) {
	c, err := New(Config{MemoryBytes: -1, FileBytes: 5})
	if c != nil || err != nil {
		t.Fatalf("%v, %v", c, err)
	}
	if c, err := New(Config{}); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	if e, tier := c.GetLower(t.Context(), KeyOf("a"), ""); e != nil || tier != "" || c.GetMemory(KeyOf("a")) != nil ||
		c.Put(KeyOf("a"), entry(1)) {
		t.Error("nothing holds something")
	}
	if p, err := c.Purge(t.Context(), Selection{All: true}); p != (Purged{}) || err != nil || c.Stats() != (Stats{}) ||
		c.Close() != nil {
		t.Errorf("%+v, %v", p, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := New(Config{Folder: file, FileBytes: 1 << 30}); err == nil {
		t.Errorf("a file as folder: %+v", c)
	}
}

func TestNegativeAgeOff(t *testing.T) {
	c := openAt(t, "", func(c *Config) { c.MemoryBytes, c.NegativeAge = 1<<20, 0 })
	if c.Put(KeyOf("a"), &Entry{Code: fault.CorruptImage}) || !c.Put(KeyOf("a"), entry(1)) {
		t.Error("a failure is stored, or a result is not")
	}
}

func TestPutAfterClose(t *testing.T) {
	c := openAt(t, t.TempDir(), nil)
	if err := errors.Join(c.Close(), c.Close()); err != nil || c.Put(KeyOf("a"), entry(1)) {
		t.Errorf("stored after Close, %v", err)
	}
}

// TestPurgesAreForgotten holds how long a purge rejects what started before it, to the nanosecond.
func TestPurgesAreForgotten(t *testing.T) {
	var p purges
	start := time.Unix(1_800_000_000, 0)
	e := &Entry{Sources: []string{"a.png"}, Started: start}
	p.add(Selection{Files: []string{"a.png"}}, start)
	if later := (&Entry{Sources: e.Sources, Started: start.Add(1)}); !p.covers(e) || p.covers(later) {
		t.Error("a result that started together with the purge is kept, or a later one is not")
	}
	for _, c := range []struct {
		after time.Duration
		hit   bool
	}{{purgeRetention, true}, {purgeRetention + 1, false}} {
		p.add(Selection{Files: []string{"b.png"}}, start.Add(c.after))
		if p.covers(e) != c.hit {
			t.Errorf("%s after the purge: rejected is not %v", c.after, c.hit)
		}
	}
	for n := range maxPurges { // the oldest are merged
		p.add(Selection{Files: []string{"c.png"}}, start.Add(time.Duration(n)))
		if len(p.list) > maxPurges {
			t.Fatalf("%d purges are retained, expected at most %d", len(p.list), maxPurges)
		}
	}
	if !p.covers(e) {
		t.Error("what was merged is forgotten")
	}
}
