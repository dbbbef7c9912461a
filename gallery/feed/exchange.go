package feed

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/safelight/safelight/storage"
)

// Notices passes texts between the servers that use a database. *notices.Bus implements it.
type Notices interface {
	// Send sends a text of at most 7900 bytes to all listeners, including the sender.
	Send(ctx context.Context, text string) error
	// Listen receives texts until ctx ends. missed is called whenever texts may have been lost.
	Listen(ctx context.Context, receive func(text string), missed func())
}

// notice tells the other servers what one server has changed.
type notice struct {
	Process string        `json:"process"`
	Reload  bool          `json:"reload,omitempty"` // anything may have changed
	Rights  bool          `json:"rights,omitempty"` // what people may see has changed
	Paths   []storage.Key `json:"paths,omitempty"`
}

const (
	sendInterval   = 200 * time.Millisecond // combines the changes of a busy server
	maxPause       = 10 * time.Second       // maximum between failed attempts; doubles from sendInterval
	maxNoticePaths = 7000                   // bytes of the paths in one notice, as JSON
)

// Exchange sends the changes of a hub to the other servers and delivers theirs to this hub, until ctx ends.
// It calls changed with changes of other servers; reload means that everything may have changed. process is a
// unique name of this server.
func (h *Hub) Exchange(
	ctx context.Context,
	process string,
	n Notices,
	changed func(reload bool, keys ...storage.Key),
	log *slog.Logger,
) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { h.send(ctx, process, n, log) })
	deliver := func(reload bool, keys ...storage.Key) {
		changed(reload, keys...) // call this first, because a subscriber may request the picture immediately
		h.Deliver(reload, keys...)
	}
	receive := func(text string) {
		var got notice
		if json.Unmarshal([]byte(text), &got) != nil || got.Process == process { // from a later version, or our own
			return
		}
		if got.Rights {
			h.DeliverLook()
		}
		if got.Reload || len(got.Paths) > 0 {
			deliver(got.Reload, got.Paths...)
		}
	}
	n.Listen(ctx, receive, func() { deliver(true) })
}

func (h *Hub) send(ctx context.Context, process string, n Notices, log *slog.Logger) {
	own := h.relay()
	defer own.Close()
	for pause := sendInterval; ; {
		select {
		case <-ctx.Done():
			return
		case <-own.Wake():
		}
		reload, keys := own.Take()
		texts := noticesOf(process, reload, keys)
		if own.takeLook() {
			b, _ := json.Marshal(notice{Process: process, Rights: true}) // cannot fail: the notice contains only text
			texts = append(texts, string(b))
		}
		next := sendInterval
		for _, text := range texts {
			if err := n.Send(ctx, text); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "sending changes to the other servers", "error", err)
				own.Reload()
				next = min(2*pause, maxPause)
				break
			}
		}
		pause = next
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// noticesOf encodes changes as texts.
func noticesOf(process string, reload bool, keys []storage.Key) []string {
	var texts []string
	n, size := notice{Process: process, Reload: reload}, 0
	flush := func() {
		b, _ := json.Marshal(n) // cannot fail: the notice contains only strings
		texts = append(texts, string(b))
		n.Paths, size = nil, 0
	}
	for _, k := range keys {
		b, _ := json.Marshal(k)
		if size > 0 && size+len(b)+1 > maxNoticePaths {
			flush()
		}
		size += len(b) + 1
		n.Paths = append(n.Paths, k)
	}
	if reload || len(n.Paths) > 0 {
		flush()
	}
	return texts
}
