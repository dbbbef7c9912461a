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

// TestManyChanges: a subscriber that takes nothing costs bounded memory, and reloads.
func TestManyChanges(t *testing.T) {
	var hub feed.Hub
	s := hub.Subscribe("", false)
	s.Take()
	for n := range 1000 {
		hub.Publish(storage.Key(fmt.Sprint(n)))
	}
	hub.Publish("7") // known already
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
