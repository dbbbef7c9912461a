package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/storage"
)

// TestRelay checks that changes of other processes are not forwarded again.
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

// TestNoticesOf checks that no notice is too large, and that together they contain each path once.
func TestNoticesOf(t *testing.T) {
	var long []storage.Key
	for i := range 100 {
		long = append(long, storage.Key(fmt.Sprintf("%s%d", strings.Repeat("<", 170), i))) // six bytes each in JSON
	}
	for name, c := range map[string]struct {
		reload bool
		keys   []storage.Key
		want   int // number of notices
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
				if err := json.Unmarshal([]byte(text), &n); err != nil || n.Process != "p" || n.Reload != c.reload ||
					len(text) > 7900 {
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

// brokenNotices fails to send until a number of attempts were made.
type brokenNotices struct {
	tries int
	texts chan string
}

func (b *brokenNotices) Send(_ context.Context, text string) error {
	if b.tries--; b.tries >= 0 {
		return errors.New("the database is gone")
	}
	b.texts <- text
	return nil
}

func (b *brokenNotices) Listen(ctx context.Context, _ func(string), _ func()) { <-ctx.Done() }

// TestExchangeWithoutDatabase changes a file while notices cannot be sent. Sending is retried with increasing
// pauses, and in the end the others reload.
func TestExchangeWithoutDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hub Hub
		n := &brokenNotices{tries: 12, texts: make(chan string)}
		start := time.Now()
		go hub.Exchange(t.Context(), "p", n, func(bool, ...storage.Key) {}, slog.New(slog.DiscardHandler))
		synctest.Wait()
		hub.Publish("mine.png")
		if text := <-n.texts; text != `{"process":"p","reload":true}` {
			t.Errorf("sent %s, expected a reload", text)
		}
		// 0.4, 0.8, ... 6.4 s, and then 7 times 10 s.
		if took, expected := time.Since(start), 82*time.Second+400*time.Millisecond; took != expected {
			t.Errorf("12 tries took %v, expected %v", took, expected)
		}
	})
}

// wire is a connection between two hubs.
type wire struct{ in, out chan string }

func (w wire) Send(_ context.Context, text string) error {
	w.out <- text
	return nil
}

func (w wire) Listen(ctx context.Context, receive func(string), missed func()) {
	missed()
	for {
		select {
		case <-ctx.Done():
			return
		case text := <-w.in:
			receive(text)
		}
	}
}

// TestExchange checks that one process receives what the other publishes, after an initial reload, because it
// was not listening before.
func TestExchange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	there, back := make(chan string, 10), make(chan string, 10)
	var wg sync.WaitGroup
	var two Hub
	changed := make(chan string, 10)
	wg.Go(func() {
		two.Exchange(
			ctx, "two", wire{there, back},
			func(reload bool, keys ...storage.Key) { changed <- fmt.Sprint(reload, keys) },
			slog.New(slog.DiscardHandler),
		)
	})
	if got := <-changed; got != "true []" {
		t.Errorf("at first: %s", got)
	}
	there <- `{"process":"two","paths":["own.png"]}`
	there <- "not JSON"
	there <- `{"process":"one","paths":["a.png","b"]}`
	if got := <-changed; got != "false [a.png b]" {
		t.Errorf("then: %s", got)
	}
	cancel()
	wg.Wait()
}
