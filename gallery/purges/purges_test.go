package purges_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/purges"
	"github.com/safelight/safelight/imaging/preset"
)

// log stores appended notices.
type log struct {
	bodies []string
	err    error
}

func (l *log) Append(_ context.Context, topic, body string) error {
	if topic != purges.Topic {
		return errors.New("the topic is " + topic)
	}
	l.bodies = append(l.bodies, body)
	return l.err
}

var names = []string{"a.png", "f/b.png", "g/c.png"}

// server returns a server with three results in its memory cache.
func server(t *testing.T, l *log) *purges.Results {
	t.Helper()
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, name := range names {
		c.Put(cache.KeyOf(name), &cache.Entry{Body: []byte("x"), Sources: []string{name}, Started: time.Now()})
	}
	return purges.New(c, l)
}

func left(r *purges.Results) string {
	var left []string
	for _, name := range names {
		if r.GetMemory(cache.KeyOf(name)) != nil {
			left = append(left, name)
		}
	}
	return strings.Join(left, " ")
}

// TestPurge purges through one server. The other server must repeat the purge, forgetting the versions first.
// The first server must purge only once.
func TestPurge(t *testing.T) {
	for name, c := range map[string]struct {
		s    cache.Selection
		left string
	}{
		"file":   {cache.Selection{Files: []string{"a.png"}}, "f/b.png g/c.png"},
		"folder": {cache.Selection{Folders: []string{"f"}}, "a.png g/c.png"},
		"both":   {cache.Selection{Files: []string{"a.png"}, Folders: []string{"f"}}, "g/c.png"},
		"all":    {cache.Selection{All: true}, ""},
	} {
		l := &log{}
		one, two := server(t, l), server(t, l)
		p, err := one.Purge(t.Context(), c.s)
		if err != nil || p.Memory != len(names)-len(strings.Fields(c.left)) || left(one) != c.left {
			t.Errorf("%s: %+v, %v, left %q", name, p, err, left(one))
		}
		var forgotten []cache.Selection
		forget := func(s cache.Selection) { forgotten = append(forgotten, s) }
		for _, r := range []*purges.Results{one, two} {
			if err := r.Apply(t.Context(), l.bodies[0], forget); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if left(two) != c.left || len(l.bodies) != 1 {
			t.Errorf("%s: the other server holds %q, expected %q; %d notices", name, left(two), c.left, len(l.bodies))
		}
		if len(forgotten) != 1 || forgotten[0].All != c.s.All || !slices.Equal(forgotten[0].Files, c.s.Files) ||
			!slices.Equal(forgotten[0].Folders, c.s.Folders) {
			t.Errorf("%s: forgotten %+v", name, forgotten)
		}
	}
}

// TestUnreadable checks that a notice of a later version, and lost notices, purge everything.
func TestUnreadable(t *testing.T) {
	for name, apply := range map[string]func(*purges.Results, func(cache.Selection)) error{
		"unreadable": func(r *purges.Results, forget func(cache.Selection)) error {
			return r.Apply(t.Context(), "?", forget)
		},
		"lost": func(r *purges.Results, forget func(cache.Selection)) error { return r.ApplyAll(t.Context(), forget) },
	} {
		r := server(t, &log{})
		all := false
		if err := apply(r, func(s cache.Selection) { all = s.All }); err != nil || !all || left(r) != "" {
			t.Errorf("%s: %v, forgets all: %v, left %q", name, err, all, left(r))
		}
	}
}

// TestNoDatabase checks that the caller gets an error if the log fails, and that this server still purges.
func TestNoDatabase(t *testing.T) {
	down := errors.New("the database does not answer")
	r := server(t, &log{err: down})
	if p, err := r.Purge(t.Context(), cache.Selection{All: true}); !errors.Is(err, down) || p.Memory != 3 ||
		left(r) != "" {
		t.Errorf("%+v, %v, left %q", p, err, left(r))
	}
	if _, err := purges.New(nil, &log{}).Purge(t.Context(), cache.Selection{All: true}); err != nil {
		t.Errorf("a server without a cache: %v", err)
	}
}

// bucket is an object store in memory that servers share.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
}

func (b *bucket) Get(_ context.Context, name string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if data, ok := b.objects[name]; ok {
		return data, nil
	}
	return nil, fault.New(fault.NotFound, "%s does not exist", name)
}

func (b *bucket) Put(_ context.Context, name string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[name] = data
	return nil
}

func (b *bucket) Delete(_ context.Context, name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, name)
	return nil
}

func (b *bucket) List(_ context.Context, folder string, each func(string, int64) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, data := range b.objects {
		if strings.HasPrefix(name, folder+"/") {
			if err := each(name, int64(len(data))); err != nil {
				return err
			}
		}
	}
	return nil
}

func selected(t *testing.T, in purges.Input) cache.Selection {
	t.Helper()
	s, err := in.Selection()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestInput checks that input with no field, with several fields, or with a malformed path or preset is
// rejected, with the right field.
func TestInput(t *testing.T) {
	outside := "../x"
	for _, c := range []struct {
		in    purges.Input
		code  fault.Code
		field string
	}{
		{purges.Input{}, fault.Invalid, "input"}, {purges.Input{All: true, Preset: "card"}, fault.Invalid, "input"},
		{purges.Input{Folder: &outside}, fault.Invalid, "folder"},
		{purges.Input{Template: outside}, fault.Invalid, "template"},
		{purges.Input{Template: "f/t.png"}, fault.Invalid, "template"},
		{purges.Input{Preset: "Card"}, fault.Invalid, "preset"},
	} {
		if _, err := c.in.Selection(); fault.CodeOf(err) != c.code || fault.Of(err).Field != c.field {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
}

// TestPurgeOfAllTiers purges through one of two servers, which share a bucket and have separate memory and
// files tiers. Afterwards, neither server finds the selected results in any tier, and both find the others.
// It selects by file, folder, layer, preset and template.
func TestPurgeOfAllTiers(t *testing.T) {
	sources := map[string][]string{
		"plain":   {"a.png"},
		"layered": {"f/b.png", "logo.png"},
		"remote":  {"https://example.com/c.png", "logo.png"},
		"preset": {
			"a/b.png",
			preset.Label("card"),
		},
		"template": {"color:red", preset.TemplateLabel("f/t.template.json")},
	}
	for what, c := range map[string]struct {
		s    cache.Selection
		left string
	}{
		"a file":   {cache.Selection{Files: []string{"a.png"}}, "layered preset remote template"},
		"a folder": {cache.Selection{Folders: []string{"f"}}, "plain preset remote template"},
		"a layer":  {cache.Selection{Files: []string{"logo.png"}}, "plain preset template"},
		"a URL":    {cache.Selection{Files: []string{"https://example.com/c.png"}}, "layered plain preset template"},
		"a preset": {selected(t, purges.Input{Preset: "card"}), "layered plain remote template"},
		"template": {selected(t, purges.Input{Template: "f/t.template.json"}), "layered plain preset remote"},
		"all":      {cache.Selection{All: true}, ""},
	} {
		l, shared := &log{}, &bucket{objects: map[string][]byte{}}
		var servers []*purges.Results
		for range 2 {
			one, err := cache.New(cache.Config{
				MemoryBytes: 1 << 20,
				Folder:      t.TempDir(),
				FileBytes:   1 << 30,
				NegativeAge: time.Minute,
				Remote:      shared,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { one.Close() })
			servers = append(servers, purges.New(one, l))
			for name, list := range sources {
				one.Put(cache.KeyOf(name), &cache.Entry{Body: []byte("x"), Sources: list, Started: time.Now()})
			}
			for one.Stats().Stored < int64(len(sources)) {
				time.Sleep(time.Millisecond)
			}
		}
		if _, err := servers[0].Purge(t.Context(), c.s); err != nil {
			t.Fatal(err)
		}
		if err := servers[1].Apply(t.Context(), l.bodies[0], func(cache.Selection) {}); err != nil {
			t.Fatal(err)
		}
		remote, err := cache.New(cache.Config{Remote: shared}) // a server with no other tiers
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remote.Close() })
		for i, server := range append(servers, purges.New(remote, l)) {
			var left []string
			for _, name := range slices.Sorted(maps.Keys(sources)) {
				if e, _ := server.GetLower(t.Context(), cache.KeyOf(name), sources[name][0]); e != nil ||
					server.GetMemory(cache.KeyOf(name)) != nil {
					left = append(left, name)
				}
			}
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("%s: server %d has %q, expected %q", what, i, got, c.left)
			}
		}
	}
}
