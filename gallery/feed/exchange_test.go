package feed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/storage"
)

// TestRelay: what other processes have changed is not passed on again.
func TestRelay(t *testing.T) {
	var hub Hub
	relay, watcher := hub.relay(), hub.Subscribe("", true)
	watcher.Take()
	hub.Publish("mine.png")
	hub.Deliver(false, "theirs.png")
	if reload, keys := relay.Take(); reload || !slices.Equal(keys, []storage.Key{"mine.png"}) {
		t.Errorf("relayed: %v, %v", reload, keys)
	}
	if reload, keys := watcher.Take(); reload || !slices.Equal(keys, []storage.Key{"mine.png", "theirs.png"}) {
		t.Errorf("watched: %v, %v", reload, keys)
	}
	hub.Deliver(true)
	if reload, _ := relay.Take(); reload {
		t.Error("the reload of another process is passed on")
	}
	if reload, _ := watcher.Take(); !reload {
		t.Error("the reload of another process is lost")
	}
}

// TestNoticesOf: every notice fits, and together they name each path once.
func TestNoticesOf(t *testing.T) {
	var long []storage.Key
	for i := range 100 {
		long = append(long, storage.Key(fmt.Sprintf("%s%d", strings.Repeat("<", 170), i))) // six bytes each in JSON
	}
	for name, c := range map[string]struct {
		reload bool
		keys   []storage.Key
		want   int // notices
	}{
		"nothing": {false, nil, 0},
		"reload":  {true, nil, 1},
		"one":     {false, []storage.Key{"a"}, 1},
		"many":    {false, long, 17},
		"longest": {false, []storage.Key{storage.Key(strings.Repeat("<", 1024)), "b"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			texts := noticesOf("p", c.reload, c.keys)
			var got []storage.Key
			for _, text := range texts {
				var n notice
				if err := json.Unmarshal([]byte(text), &n); err != nil || n.Process != "p" || n.Reload != c.reload || len(text) > 7900 {
					t.Errorf("%d bytes, %+v, %v", len(text), n, err)
				}
				got = append(got, n.Paths...)
			}
			if len(texts) != c.want || !slices.Equal(got, c.keys) {
				t.Errorf("%d notices of %d paths, expected %d of %d", len(texts), len(got), c.want, len(c.keys))
			}
		})
	}
}
