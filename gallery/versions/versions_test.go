package versions_test

import (
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/versions"
	"github.com/safelight/safelight/storage"
)

func TestCache(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := storage.Stat{Key: "a/b.png", ETag: "1"}
	c := versions.Cache{Age: time.Second}
	c.Put("a/b.png", s, c.Changes(), now)
	for _, one := range []struct {
		image string
		after time.Duration
		want  bool
	}{{"a/b.png", 0, true}, {"a/b.png", time.Second - 1, true}, {"a/b.png", time.Second, false}, {"a/c.png", 0, false}} {
		if got, ok := c.Get(one.image, now.Add(one.after)); ok != one.want || ok && got.ETag != "1" {
			t.Errorf("%s after %s: %v, %v", one.image, one.after, got, ok)
		}
	}
	asked := c.Changes()
	c.Forget(cache.Selection{Folders: []string{"a"}})
	if _, ok := c.Get("a/b.png", now); ok {
		t.Error("it is still there")
	}
	c.Put("a/b.png", s, asked, now) // read before the change
	if _, ok := c.Get("a/b.png", now); ok {
		t.Error("a version from before the change is cached")
	}
	off := versions.Cache{}
	off.Put("a/b.png", s, off.Changes(), now)
	if _, ok := off.Get("a/b.png", now); ok {
		t.Error("cached, although the age is 0")
	}
}
