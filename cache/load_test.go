package cache

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// manyFiles is a folder with many entries, of which only the heads exist.
type manyFiles struct {
	n     int
	list  map[string][]fs.DirEntry // by subfolder
	heads map[string][]byte        // by path
	ready chan struct{}            // reads of folders wait for it
}

// fileInfo is a file of manyFiles.
type fileInfo struct {
	fs.FileInfo
	name string
	at   time.Time
	dir  bool
}

func (f fileInfo) Name() string               { return f.name }
func (f fileInfo) IsDir() bool                { return f.dir }
func (f fileInfo) Type() fs.FileMode          { return 0 }
func (f fileInfo) Mode() fs.FileMode          { return 0 }
func (f fileInfo) Size() int64                { return 1000 }
func (f fileInfo) ModTime() time.Time         { return f.at }
func (f fileInfo) Info() (fs.FileInfo, error) { return f, nil }

// newManyFiles returns a folder of n entries, used in another order than that of their names.
func newManyFiles(t *testing.T, n int, folder string) *manyFiles {
	t.Helper()
	m := &manyFiles{n: n, list: map[string][]fs.DirEntry{}, heads: map[string][]byte{}, ready: make(chan struct{})}
	for i := range n {
		k := KeyOf(fmt.Sprint(i))
		name := k.String()
		sub := filepath.Join(folder, name[:2])
		m.list[sub] = append(m.list[sub], fileInfo{name: name, at: time.Unix(int64(i*7919%n), 0)})
		header, err := encode(k, &Entry{Sources: []string{fmt.Sprintf("folder/%d.jpg", i%5000)}})
		if err != nil {
			t.Fatal(err)
		}
		m.heads[filepath.Join(sub, name)] = header
	}
	for sub := range m.list {
		m.list[folder] = append(m.list[folder], fileInfo{name: filepath.Base(sub), dir: true})
	}
	return m
}

func (m *manyFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	<-m.ready
	return m.list[name], nil
}
func (m *manyFiles) ReadFile(string) ([]byte, error)              { return nil, fs.ErrNotExist }
func (m *manyFiles) ReadStart(name string, _ int) ([]byte, error) { return m.heads[name], nil }
func (m *manyFiles) WriteFile(string, []byte) error               { return nil }
func (m *manyFiles) Rename(string, string) error                  { return nil }
func (m *manyFiles) Remove(string) error                          { return nil }
func (m *manyFiles) MkdirAll(string) error                        { return nil }
func (m *manyFiles) Touch(string, time.Time) error                { return nil }
func (m *manyFiles) Free(string) (bytes int64, ok bool)           { return 0, false }

// cpuTime is the CPU time that the process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLoadManyFiles starts with many entries: the cache is ready before the folder is read, and four times
// the entries take about four times the work, not sixteen times. Writes do not depend on how many entries there are.
func TestLoadManyFiles(t *testing.T) {
	const folder = "/many"
	cost := map[int]time.Duration{}
	few := 50_000
	if testing.Short() {
		few = 20_000
	}
	for _, n := range []int{few, 4 * few} {
		disk := newManyFiles(t, n, folder)
		began := cpuTime(t)
		c, err := New(Config{Folder: folder, FileBytes: 1 << 40, fs: disk})
		if err != nil {
			t.Fatal(err)
		}
		c.files.put(KeyOf("new"), entry(10), make([]byte, 100)) // while nothing is loaded
		if c.Stats().Files.Entries != 1 {
			t.Errorf("%+v before the folder is read", c.Stats().Files)
		}
		close(disk.ready)
		<-c.files.scanned
		cost[n] = cpuTime(t) - began
		if s := c.Stats().Files; s.Entries != int64(n)+1 {
			t.Errorf("%d entries loaded, expected %d", s.Entries, n+1)
		}
		oldest, _ := c.files.index.evictionCandidate(0)
		if want := KeyOf("0"); oldest != want {
			t.Errorf("the first to be evicted is not the least recently used")
		}
		if got := len(c.files.index.matching(Selection{Files: []string{"folder/7.jpg"}})); got != n/5000 {
			t.Errorf("%d results of a picture, expected %d", got, n/5000)
		}
		c.Close()
	}
	t.Logf("CPU: %v", cost)
	if cost[4*few] > 10*cost[few] {
		t.Errorf("four times the entries take %v instead of %v", cost[4*few], cost[few])
	}
}

// TestRestartWithLongHeaders checks that entries whose header is longer than what is read at first survive a restart.
func TestRestartWithLongHeaders(t *testing.T) {
	dir := t.TempDir()
	c := openAt(t, dir, nil)
	for _, length := range []int{10, headerSize, 3 * headerSize, maxHeaderSize / 4} {
		e := entry(100)
		e.Sources = []string{"a.png", strings.Repeat("x", length)}
		c.Put(KeyOf(fmt.Sprint(length)), e)
		c.settle()
	}
	c.Close()
	c = openAt(t, dir, nil)
	if s := c.Stats().Files; s.Entries != 4 || s.Damaged != 0 {
		t.Errorf("%+v, expected 4 entries", s)
	}
	if got := len(c.files.index.matching(Selection{Files: []string{"a.png"}})); got != 4 {
		t.Errorf("%d results of a.png, expected 4", got)
	}
}

// TestNoWriteToFullDisk checks that the cache leaves the last bytes of a disk to others.
func TestNoWriteToFullDisk(t *testing.T) {
	disk := &smallDisk{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.fs = disk })
	for free, stored := range map[int64]bool{spareDisk: false, spareDisk + 1<<20: true} {
		disk.free.Store(free)
		c.files.breaker.reset()
		k := KeyOf(fmt.Sprint(free))
		c.Put(k, entry(10))
		c.settle()
		if c.holds(k) != stored {
			t.Errorf("%d bytes free: stored is not %v", free, stored)
		}
	}
}

// smallDisk has little space.
type smallDisk struct {
	system
	free atomic.Int64
}

func (d *smallDisk) Free(string) (int64, bool) { return d.free.Load(), true }
