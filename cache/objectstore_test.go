package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

// bucket is an ObjectStore in memory. Its requests fail with err while that is set, deletions with deleteErr.
type bucket struct {
	mu             sync.Mutex
	objects        map[string][]byte
	requests       int
	err, deleteErr error
	deletesLeft    int    // deletions that succeed before others fail; below 0: all do
	written        func() // called after a Put, if not nil
}

func newBucket() *bucket { return &bucket{objects: map[string][]byte{}, deletesLeft: -1} }

func (b *bucket) set(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err, b.requests = err, 0
}

func (b *bucket) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests
}

func (b *bucket) names() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.objects {
		list = append(list, path.Dir(name))
	}
	slices.Sort(list)
	return list
}

func (b *bucket) Get(ctx context.Context, name string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	data, ok := b.objects[name]
	if err := errors.Join(b.err, ctx.Err()); err != nil {
		return nil, err
	} else if !ok {
		return nil, fault.New(fault.NotFound, "no object %s", name)
	}
	return bytes.Clone(data), nil
}

func (b *bucket) Put(_ context.Context, name string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	if b.err != nil {
		return b.err
	}
	b.objects[name] = bytes.Clone(data)
	if b.written != nil {
		b.written()
	}
	return nil
}

func (b *bucket) Delete(_ context.Context, name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	if err := errors.Join(b.err, b.deleteErr); err != nil {
		return err
	}
	if b.deletesLeft == 0 {
		return fault.New(fault.Unavailable, "no more deletions")
	}
	b.deletesLeft--
	delete(b.objects, name)
	return nil
}

func (b *bucket) List(_ context.Context, folder string, each func(string, int64) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	for name, data := range b.objects {
		if strings.HasPrefix(name, folder+"/") {
			if err := each(name, int64(len(data))); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestObjectName(t *testing.T) {
	k := KeyOf("a")
	other := "results/other/" + k.String()[:2] + "/" + k.String()
	for source, want := range map[string]string{
		"a/b.png": "results/files/a/b.png/" + k.String(),
		strings.Repeat("x", maxMirroredPath): "results/files/" + strings.Repeat("x", maxMirroredPath) + "/" +
			k.String(),
		strings.Repeat("x", maxMirroredPath+1): other,
		"":                                     other,
		"color:red":                            other,
		"https://example.com/a.png":            other,
	} {
		if got := objectName(k, source); got != want {
			t.Errorf("%.40q: %s, expected %s", source, got, want)
		}
	}
}

// TestRemoteTierIsShared has one server find what another one stored, and promote it to its own tiers.
func TestRemoteTierIsShared(t *testing.T) {
	b := newBucket()
	first := openAt(t, "", func(c *Config) { c.Remote = b })
	k, want := KeyOf("a"), entry(300, "a.png")
	if !first.Put(k, want) {
		t.Error("not stored")
	}
	first.settle()
	second := openAt(t, t.TempDir(), func(c *Config) { c.Remote, c.MemoryBytes = b, 1<<20 })
	if e, _ := second.GetLower(t.Context(), KeyOf("b"), "a.png"); e != nil {
		t.Error("a miss returns an entry")
	}
	b.set(nil)
	e, tier := second.GetLower(t.Context(), k, "a.png")
	if e == nil || tier != Remote || !bytes.Equal(e.Body, want.Body) || second.GetMemory(k) == nil {
		t.Fatalf("%+v from %q, in memory %v", e, tier, second.GetMemory(k) != nil)
	}
	second.settle()
	if e, tier = second.GetLower(t.Context(), k, "a.png"); e == nil || tier != Files || b.asked() != 1 {
		t.Errorf("then %v from %q, the bucket was asked %d times", e != nil, tier, b.asked())
	}
	s := second.Stats()
	if !s.Remote.On || s.Remote.Hits != 1 || s.Files.Hits != 1 || s.Memory.Hits != 1 || s.Misses != 1 ||
		s.Files.Entries != 1 || s.Remote.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestDamagedObject(t *testing.T) {
	b := newBucket()
	c := openAt(t, "", func(c *Config) { c.Remote = b })
	k := KeyOf("a")
	b.objects[objectName(k, "a.png")] = []byte("x")
	if c.holds(k) || len(b.objects) != 0 || c.Stats().Remote.Damaged != 1 {
		t.Errorf("served %v, %d objects are left, %+v", c.holds(k), len(b.objects), c.Stats().Remote)
	}
}

// TestBrokenObjectStore counts requests to a store that fails: one, and another one after breakerTimeout.
func TestBrokenObjectStore(t *testing.T) {
	b, at := newBucket(), &clock{}
	var log bytes.Buffer
	c := openAt(t, "", func(c *Config) { c.Remote, c.Now, c.Log = b, at.now, slog.New(slog.NewTextHandler(&log, nil)) })
	k := KeyOf("a")
	use := func(what string, asked int, paused bool) {
		t.Helper()
		_ = c.holds(k)
		c.Put(k, entry(10, "a.png"))
		c.settle()
		if s := c.Stats().Remote; b.asked() != asked || s.Paused != paused {
			t.Errorf("%s: %d requests, expected %d; %+v", what, b.asked(), asked, s)
		}
	}
	use("it works", 2, false)
	b.set(fault.New(fault.Unavailable, "down"))
	use("it fails", 1, true)
	use("open", 1, true)
	at.add(breakerTimeout - 1)
	use("just before the end", 1, true)
	at.add(1)
	use("tried again", 2, true)
	b.set(nil)
	at.add(breakerTimeout)
	use("it works again", 2, false)
	if a, b := strings.Count(log.String(), "pictures are served without"),
		strings.Count(log.String(), "work again"); a != 1 || b != 1 || c.Stats().Remote.Failed != 2 {
		t.Errorf("logged %d and %d times, %+v:\n%s", a, b, c.Stats().Remote, log.String())
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if e, _ := c.GetLower(ctx, k, "a.png"); e != nil || c.Stats().Remote.Paused {
		t.Error("a client that leaves opens the breaker")
	}
}

// TestWritesFail has only writes fail: the next read is not tried.
func TestWritesFail(t *testing.T) {
	b, at := newBucket(), &clock{}
	c := openAt(t, "", func(c *Config) { c.Remote, c.Now = b, at.now })
	b.set(fault.New(fault.Unavailable, "down"))
	c.Put(KeyOf("a"), entry(10, "a.png"))
	c.settle()
	if s := c.Stats().Remote; c.holds(KeyOf("a")) || b.asked() != 1 || s.Failed != 1 || !s.Paused {
		t.Errorf("%d requests, %+v", b.asked(), s)
	}
	b.set(nil)
	at.add(breakerTimeout)
	if c.holds(KeyOf("a")) || c.Stats().Remote.Paused { // a miss is a success
		t.Errorf("%+v", c.Stats().Remote)
	}
}

func TestPurgeOfObjects(t *testing.T) {
	for what, tc := range map[string]struct {
		s         Selection
		left      string
		err, dels error
		failed    bool
	}{
		"a file": {s: Selection{Files: []string{"a/x.png"}}, left: "results/files results/files/a/y.png " +
			"results/other/" + KeyOf("").String()[:2]},
		"a folder": {s: Selection{Folders: []string{"a"}}, left: "results/files results/other/" +
			KeyOf("").String()[:2]},
		"the root": {s: Selection{Folders: []string{""}}, left: "results/files results/other/" +
			KeyOf("").String()[:2]},
		"all": {s: Selection{All: true}, left: "results/files"},
		"nothing": {left: "results/files results/files/a/x.png results/files/a/y.png results/other/" +
			KeyOf("").String()[:2]},
		"no such file": {s: Selection{Files: []string{"a"}}, err: fault.New(fault.NotFound, "x"),
			left: "results/files results/files/a/x.png results/files/a/y.png results/other/" + KeyOf("").String()[:2]},
		"a failure": {s: Selection{All: true}, err: fault.New(fault.Unavailable, "x"), failed: true,
			left: "results/files results/files/a/x.png results/files/a/y.png results/other/" + KeyOf("").String()[:2]},
		"a failure to delete": {s: Selection{Files: []string{"a/x.png"}}, dels: fault.New(fault.Unavailable, "x"),
			failed: true,
			left: "results/files results/files/a/x.png results/files/a/y.png results/other/" +
				KeyOf("").String()[:2]},
	} {
		b := newBucket()
		c := openAt(t, "", func(c *Config) { c.Remote = b })
		size := 0
		for _, source := range []string{"a/x.png", "a/y.png", ""} {
			e := entry(100)
			if source != "" {
				e.Sources = []string{source}
			}
			c.Put(KeyOf(source), e)
			c.settle()
		}
		b.mu.Lock()
		for _, data := range b.objects {
			size += len(data)
		}
		b.objects["results/files/readme.txt"] = []byte("of somebody else")
		b.mu.Unlock()
		before := b.names()
		b.set(tc.err)
		b.deleteErr = tc.dels
		p, err := c.Purge(t.Context(), tc.s)
		left := b.names()
		if strings.Join(left, " ") != tc.left || (err != nil) != tc.failed || p.Remote != len(before)-len(left) ||
			!tc.failed && (p.Bytes == int64(size)) != (p.Remote == 3) || p.Bytes < 0 {
			t.Errorf("%s: left %v, %+v of %d bytes, %v", what, left, p, size, err)
		}
	}
}

// TestPurgeOfSources purges entries by sources that their names do not mirror, and leaves nothing beside them.
func TestPurgeOfSources(t *testing.T) {
	all := map[string][]string{
		"plain":   {"a/x.png"},
		"layered": {"a/x.png", "logos/l.png", "logos/l.png", "b/y.png"},
		"remote":  {"https://example.com/a.png"},
		"canvas":  {"color:red", "logos/l.png"},
		"long":    {strings.Repeat("x", maxMirroredPath+1)},
	}
	for what, c := range map[string]struct {
		s    Selection
		left string
	}{
		"a layer":        {Selection{Files: []string{"logos/l.png"}}, "long plain remote"},
		"a folder of it": {Selection{Folders: []string{"logos"}}, "long plain remote"},
		"both": {Selection{Files: []string{"logos/l.png"}, Folders: []string{"logos/l.png"}},
			"long plain remote"},
		"a main image":     {Selection{Files: []string{"a/x.png"}}, "canvas long remote"},
		"another layer":    {Selection{Files: []string{"b/y.png"}}, "canvas long plain remote"},
		"a remote picture": {Selection{Files: []string{"https://example.com/a.png"}}, "canvas layered long plain"},
		"a canvas":         {Selection{Files: []string{"color:red"}}, "layered long plain remote"},
		"a long path": {Selection{Files: []string{strings.Repeat("x", maxMirroredPath+1)}},
			"canvas layered plain remote"},
		"a folder as file":  {Selection{Files: []string{"logos"}}, "canvas layered long plain remote"},
		"a part of a name":  {Selection{Folders: []string{"logo"}}, "canvas layered long plain remote"},
		"the whole storage": {Selection{Folders: []string{""}}, "long remote"},
		"all":               {Selection{All: true}, ""},
	} {
		b := newBucket()
		cache := openAt(t, "", func(c *Config) { c.Remote = b })
		for name, sources := range all {
			e := entry(100)
			e.Sources = sources
			cache.Put(KeyOf(name), e)
		}
		cache.settle()
		p, err := cache.Purge(t.Context(), c.s)
		var left []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if b.objects[objectName(KeyOf(name), all[name][0])] != nil {
				left = append(left, name)
			}
		}
		if got := strings.Join(left, " "); err != nil || got != c.left || p.Remote != len(all)-len(left) ||
			p.Bytes < int64(100*p.Remote) {
			t.Errorf("%s: left %q, expected %q; %+v, %v", what, got, c.left, p, err)
		}
		if len(left) == 0 && len(b.objects) != 0 {
			t.Errorf("%s leaves %v", what, b.names())
		}
	}
}

// TestPurgeGoesOn: a purge that an error ends has deleted a part, and the next one the rest.
func TestPurgeGoesOn(t *testing.T) {
	b := newBucket()
	c := openAt(t, "", func(c *Config) { c.Remote = b })
	for n := range 40 {
		e := entry(100)
		e.Sources = []string{fmt.Sprintf("a/%d.png", n), "logo.png"}
		c.Put(KeyOf(e.Sources[0]), e)
	}
	c.settle()
	before := len(b.names())
	b.deletesLeft = 10
	p, err := c.Purge(t.Context(), Selection{Files: []string{"logo.png"}})
	if left := len(b.names()); err == nil || p.Remote == 0 || left >= before || left == 0 {
		t.Fatalf("%d of %d objects are left, %+v, %v", left, before, p, err)
	}
	b.deletesLeft = -1
	more, err := c.Purge(t.Context(), Selection{Files: []string{"logo.png"}})
	if len(b.names()) != 0 || err != nil || p.Remote+more.Remote < 40 {
		t.Errorf("left %v, first %+v, then %+v, %v", b.names(), p, more, err)
	}
}

// TestPurgeDuringAWrite has a purge come while an entry is written: it is removed afterwards.
func TestPurgeDuringAWrite(t *testing.T) {
	b, at := newBucket(), &clock{}
	c := openAt(t, t.TempDir(), func(c *Config) { c.Remote, c.Now = b, at.now })
	b.written = func() { c.purges.add(Selection{Files: []string{"a.png"}}, at.now()) }
	k, e := KeyOf("a"), entry(10, "a.png")
	e.Started = at.now()
	c.Put(k, e)
	c.settle()
	if s := c.Stats(); len(b.objects) != 0 || s.Files.Entries != 0 || s.Remote.Failed != 0 {
		t.Errorf("%d objects, %+v", len(b.objects), s)
	}
	if e.Started = e.Started.Add(time.Second); !c.Put(k, e) {
		t.Error("a later result is rejected")
	}
}
