package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// stored returns the size of the file of an entry.
func storedSize(t *testing.T, e *Entry) int64 {
	t.Helper()
	data, err := encode(KeyOf("x"), e)
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(data))
}

// TestExactFit holds the bounds of the files tier to the byte: an entry may take half of it, and all together all of
// it.
func TestExactFit(t *testing.T) {
	size := storedSize(t, entry(500))
	for _, c := range []struct {
		max, entries, evicted int64
	}{{2 * size, 2, 1}, {2*size - 1, 0, 0}, {3*size - 1, 2, 1}, {3 * size, 3, 0}} {
		cache := openAt(t, t.TempDir(), func(config *Config) { config.FileBytes = c.max })
		for n := range 3 {
			cache.Put(KeyOf(fmt.Sprint(n)), entry(500))
			cache.settle()
		}
		if s := cache.Stats().Files; s.Entries != c.entries || s.Evicted != c.evicted || s.Bytes != c.entries*size ||
			s.MaxBytes != c.max {
			t.Errorf("three files of %d bytes in %d: %+v", size, c.max, s)
		}
	}
}

func TestExactFitInMemory(t *testing.T) {
	e := entry(5000)
	for max, kept := range map[int64]bool{2 * e.size(): true, 2*e.size() - 1: false} {
		c := openAt(t, "", func(c *Config) { c.MemoryBytes = max })
		c.Put(KeyOf("a"), e)
		if c.GetMemory(KeyOf("a")) != nil != kept {
			t.Errorf("an entry of %d bytes in %d: kept is not %v", e.size(), max, kept)
		}
	}
}

// TestSizeOfAnEntry checks that everything an entry holds is counted.
func TestSizeOfAnEntry(t *testing.T) {
	base := (&Entry{}).size()
	for want, e := range map[int64]*Entry{
		1000: {Body: make([]byte, 1000)},
		7:    {Message: "message"},
		9:    {ContentType: "image/png"},
		21:   {Sources: []string{"a.png"}},
		42:   {Sources: []string{"a.png", "b.png"}},
		54:   {Warnings: []Warning{{"f", "of", "why"}}},
	} {
		if got := e.size() - base; got != want {
			t.Errorf("%+v: %d bytes, expected %d", e, got, want)
		}
	}
}

// TestRestartOrder checks that the files of earlier runs are evicted in the order of their use.
func TestRestartOrder(t *testing.T) {
	dir, at := t.TempDir(), &clock{}
	size := storedSize(t, entry(500))
	set := func(change func(*Config)) *Cache {
		return openAt(t, dir, func(c *Config) { c.FileBytes, c.Now = 10*size, at.now; change(c) })
	}
	first := set(func(*Config) {})
	age := map[string]time.Duration{"a": 2 * time.Hour, "b": 5 * time.Hour, "c": time.Hour, "d": 3 * time.Hour}
	for name, age := range age {
		first.Put(KeyOf(name), entry(500))
		first.settle()
		used := at.now().Add(-age)
		if err := os.Chtimes(first.files.path(KeyOf(name)), used, used); err != nil {
			t.Fatal(err)
		}
	}
	first.Close()
	second := set(func(c *Config) { c.FileBytes = 2 * size })
	for name, kept := range map[string]bool{"a": true, "b": false, "c": true, "d": false} {
		if second.holds(KeyOf(name)) != kept {
			t.Errorf("used %s ago: kept is not %v", age[name], kept)
		}
	}
	if s := second.Stats().Files; s.Evicted != 2 || s.Entries != 2 {
		t.Errorf("%+v", s)
	}
}

// TestHitsRenewModificationTimes holds when a hit writes to the disk: once in touchAge.
func TestHitsRenewModificationTimes(t *testing.T) {
	at := &clock{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.Now = at.now })
	k := KeyOf("a")
	c.Put(k, entry(10))
	c.settle()
	written, old := at.now(), time.Unix(1, 0)
	for _, step := range []struct {
		pass    time.Duration
		renewed bool
	}{{touchAge - 1, false}, {1, true}, {touchAge - 1, false}, {touchAge, true}} {
		at.add(step.pass)
		if err := os.Chtimes(c.files.path(k), old, old); err != nil {
			t.Fatal(err)
		}
		if !c.holds(k) {
			t.Fatal("it is gone")
		}
		info, err := os.Stat(c.files.path(k))
		if err != nil || info.ModTime().Equal(at.now()) != step.renewed {
			t.Errorf("a hit %s after the entry was written: %v, %v", at.now().Sub(written), info.ModTime(), err)
		}
	}
}

// TestForeignFiles checks that a scan touches nothing but entries and old temporary files.
func TestForeignFiles(t *testing.T) {
	dir, at := t.TempDir(), &clock{}
	k := KeyOf("a")
	name := k.String()
	content := func(file string) []byte {
		if strings.HasPrefix(filepath.Base(file), "00") {
			return nil
		}
		return []byte("x")
	}
	for file, age := range map[string]time.Duration{
		"tmp/young":                   touchAge,
		"tmp/old":                     touchAge + 1,
		"readme.txt":                  0,
		"ab/notes":                    0,
		name[:2] + "/" + name + "0":   0,
		name[:2] + "/" + name:         0, // damaged
		"00/00" + name[2:]:            0, // empty
		"xx/" + name:                  0, // in another folder than its name says
		"abc/" + name:                 0,
		name[:2] + "x/" + name + "/a": 0,
		"ff/ff" + name[2:] + "/file":  0, // a folder
	} {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content(file), 0o600),
			os.Chtimes(file, at.now().Add(-age), at.now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	c := openAt(t, dir, func(c *Config) { c.Now = at.now })
	left := map[string]bool{}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			left[filepath.ToSlash(rel)] = true
		}
		return nil
	})
	if left["tmp/old"] || left[name[:2]+"/"+name] || left["00/00"+name[2:]] || len(left) != 8 || !left["tmp/young"] {
		t.Errorf("left: %v", left)
	}
	if s := c.Stats().Files; s.Damaged != 2 || s.Entries != 0 || s.Bytes != 0 {
		t.Errorf("%+v", s)
	}
}

// brokenDisk fails to read and remove files.
type brokenDisk struct {
	system
	broken atomic.Bool
}

func (d *brokenDisk) ReadFile(name string) ([]byte, error) {
	if d.broken.Load() {
		return nil, fs.ErrPermission
	}
	return d.system.ReadFile(name)
}

func (d *brokenDisk) Remove(name string) error {
	if d.broken.Load() {
		return fs.ErrPermission
	}
	return d.system.Remove(name)
}

func TestUnreadableFiles(t *testing.T) {
	disk := new(brokenDisk)
	c := openAt(t, t.TempDir(), func(c *Config) { c.fs = disk })
	k := KeyOf("a")
	if c.holds(k) || c.Stats().Files.Failed != 0 {
		t.Errorf("a missing file is a failure: %+v", c.Stats().Files)
	}
	c.Put(k, entry(10))
	c.settle()
	disk.broken.Store(true)
	if c.holds(k) || c.Stats().Files.Failed != 1 || c.Stats().Files.Entries != 0 {
		t.Errorf("a file that cannot be read: %+v", c.Stats().Files)
	}
	c.files.remove(k)
	if c.Stats().Files.Failed != 2 {
		t.Errorf("a file that cannot be removed: %+v", c.Stats().Files)
	}
	disk.broken.Store(false)
	if c.files.remove(k); c.Stats().Files.Failed != 2 || c.holds(k) {
		t.Errorf("afterwards: %+v", c.Stats().Files)
	}
	if c.files.remove(k); c.Stats().Files.Failed != 2 {
		t.Errorf("removing a missing file is a failure: %+v", c.Stats().Files)
	}
}
