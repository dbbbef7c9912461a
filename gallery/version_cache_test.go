package gallery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/storage"
)

func TestCache(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := storage.Stat{Key: "a/b.png", ETag: "1"}
	c := gallery.VersionCache{Age: time.Second}
	c.Put("a/b.png", s, c.Changes(), now)
	for _, one := range []struct {
		image string
		after time.Duration
		want  bool
	}{{"a/b.png", 0, true}, {"a/b.png", time.Second - 1, true}, {"a/b.png", time.Second, false},
		{"a/c.png", 0, false}} {
		if got, ok := c.Get(one.image, now.Add(one.after)); ok != one.want || ok && got.ETag != "1" {
			t.Errorf("%s after %s: %v, %v", one.image, one.after, got, ok)
		}
	}
	c.Put("a/c.png", s, c.Changes(), now.Add(time.Second))
	if _, ok := c.Get("a/b.png", now); ok {
		t.Error("an expired version takes memory")
	}
	c.Put("a/b.png", s, c.Changes(), now)
	asked := c.Changes()
	c.ForgetImage("a/b.png")
	if _, ok := c.Get("a/b.png", now); ok || c.Changes() == asked {
		t.Error("the version of an image is still there")
	}
	c.Put("a/b.png", s, c.Changes(), now)
	asked = c.Changes()
	c.Forget(cache.Selection{Folders: []string{"a"}})
	if _, ok := c.Get("a/b.png", now); ok {
		t.Error("it is still there")
	}
	c.Put("a/b.png", s, asked, now) // read before the change
	if _, ok := c.Get("a/b.png", now); ok {
		t.Error("a version from before the change is cached")
	}
	off := gallery.VersionCache{}
	off.Put("a/b.png", s, off.Changes(), now)
	if _, ok := off.Get("a/b.png", now); ok {
		t.Error("cached, although the age is 0")
	}
}

func TestForgetChanged(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for name, c := range map[string]struct {
		reload bool
		keys   []storage.Key
		left   string
	}{
		"file":   {false, []storage.Key{"a.png"}, "f/b.png"},
		"folder": {false, []storage.Key{"f"}, "a.png"},
		"reload": {true, nil, ""},
		"other":  {false, []storage.Key{"b.png", "ff"}, "a.png f/b.png"},
	} {
		v := gallery.VersionCache{Age: time.Second}
		for _, k := range []storage.Key{"a.png", "f/b.png"} {
			v.Put(string(k), storage.Stat{Key: k}, v.Changes(), now)
		}
		v.ForgetChanged(c.reload, c.keys...)
		var left []string
		for _, k := range []string{"a.png", "f/b.png"} {
			if _, ok := v.Get(k, now); ok {
				left = append(left, k)
			}
		}
		if got := strings.Join(left, " "); got != c.left {
			t.Errorf("%s: left %q, expected %q", name, got, c.left)
		}
	}
}
