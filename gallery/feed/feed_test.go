package feed_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/safelight/safelight/gallery/feed"
	"github.com/safelight/safelight/storage"
)

func TestSubscription(t *testing.T) {
	for _, c := range []struct {
		folder    storage.Key
		recursive bool
		changed   []storage.Key
		reload    bool
		want      []storage.Key
	}{
		{"", false, []storage.Key{"a.png", "b"}, false, []storage.Key{"a.png", "b"}},
		{"", false, []storage.Key{"b/c/d.png"}, false, []storage.Key{"b"}}, // an upload may have created the folder
		{"", true, []storage.Key{"b/c/d.png"}, false, []storage.Key{"b/c/d.png"}},
		{"b", false, []storage.Key{"a.png", "bb/x.png", "b/x.png", "b/x.png"}, false, []storage.Key{"b/x.png"}},
		{"b/c", false, []storage.Key{"b/x.png"}, false, nil},
		{"b/c", false, []storage.Key{"b/c/x.png", "b"}, true, nil}, // the folder was moved or removed with its parent
		{"b/c", false, []storage.Key{"b/c"}, true, nil},
		{"", true, []storage.Key{""}, false, nil},
	} {
		var hub feed.Hub
		s := hub.Subscribe(c.folder, c.recursive)
		<-s.Wake()
		if reload, keys := s.Take(); !reload || keys != nil {
			t.Errorf("%q: the first says %v, %v", c.folder, reload, keys)
		}
		hub.Publish(c.changed...)
		awake := len(s.Wake()) == 1
		reload, keys := s.Take()
		if reload != c.reload || !slices.Equal(keys, c.want) || awake != (reload || keys != nil) {
			t.Errorf("%q, recursive %v, %q: %v, %q, awake %v", c.folder, c.recursive, c.changed, reload, keys, awake)
		}
		s.Close()
		hub.Publish("b/c/later.png", "later.png")
		if reload, keys := s.Take(); reload || keys != nil {
			t.Errorf("%q: closed, and %v, %q", c.folder, reload, keys)
		}
	}
}

// TestManyChanges checks that a subscriber that takes nothing uses bounded memory, and has to reload.
func TestManyChanges(t *testing.T) {
	var hub feed.Hub
	s := hub.Subscribe("", false)
	s.Take()
	for n := range 1000 {
		hub.Publish(storage.Key(fmt.Sprint(n)))
	}
	hub.Publish("7") // already queued
	if reload, keys := s.Take(); reload || len(keys) != 1000 {
		t.Errorf("%v, %d keys", reload, len(keys))
	}
	for n := range 1001 {
		hub.Publish(storage.Key(fmt.Sprint(n)))
	}
	if reload, keys := s.Take(); !reload || keys != nil {
		t.Errorf("%v, %d keys", reload, len(keys))
	}
}

// TestPosition checks that each change moves the position, that a subscription does not, and that the
// positions of two hubs differ.
func TestPosition(t *testing.T) {
	var one, two feed.Hub
	seen := map[string]bool{}
	expectNew := func(after string) {
		t.Helper()
		if at := one.Position(); seen[at] {
			t.Errorf("%s the position is %q again", after, at)
		} else {
			seen[at] = true
		}
	}
	expectNew("at first")
	one.Publish("a.png")
	expectNew("after a change")
	one.Deliver(false, "b.png")
	expectNew("after a change of another process")
	one.Deliver(true)
	expectNew("after a reload")
	before := one.Position()
	one.Subscribe("", true).Close()
	if at := one.Position(); at != before {
		t.Errorf("a subscription moves the position from %q to %q", before, at)
	}
	if at := two.Position(); seen[at] {
		t.Errorf("another hub has the position %q, too", at)
	}
}
