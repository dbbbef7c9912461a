// Package feed delivers changes of files and folders to watchers of a folder, and merges changes for slow
// watchers.
package feed

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/safelight/safelight/storage"
)

// maxWaiting is how many changes are queued for one subscriber. If there are more, the subscriber has to
// reload.
const maxWaiting = 1000

// Hub passes changes to the subscribers in this process. The zero value is ready for use.
type Hub struct {
	mu     sync.Mutex
	all    map[*Subscription]struct{}
	named  sync.Once
	name   string        // unique random name of this hub
	passed atomic.Uint64 // number of changes that were passed on; incremented before each change is passed on
}

// Position returns a text that differs after each change. If it is the same before a folder is listed and
// when a subscription starts, no change was missed. Different hubs have different positions.
func (h *Hub) Position() string {
	h.named.Do(func() { h.name = rand.Text()[:8] })
	return h.name + "." + strconv.FormatUint(h.passed.Load(), 36)
}

// Subscription collects the changes in one folder until they are taken.
type Subscription struct {
	hub       *Hub
	folder    storage.Key
	recursive bool
	own       bool // ignore changes of other processes
	mu        sync.Mutex
	sees      func(storage.Key) bool // nil: all changes are visible
	waiting   map[storage.Key]struct{}
	order     []storage.Key
	reload    bool
	looked    bool          // for the relay: other servers must check the rights of their receivers again
	wake      chan struct{} // has a buffer of one
}

// Subscribe returns a subscription to the changes of a folder's entries or, if recursive is set, of
// everything below it. Its first Take reports a reload. Close ends it.
func (h *Hub) Subscribe(folder storage.Key, recursive bool) *Subscription {
	s := &Subscription{hub: h, folder: folder, recursive: recursive}
	h.open(s)
	s.Reload()
	return s
}

// Only makes the subscription ignore changes that the receiver may not see. Otherwise a large number of them
// would make it reload, which reveals that they exist. sees is called for each change while a lock is held.
func (s *Subscription) Only(sees func(storage.Key) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sees = sees
}

// relay returns a subscription to all changes of this process. It excludes those from Deliver.
func (h *Hub) relay() *Subscription {
	s := &Subscription{hub: h, recursive: true, own: true}
	h.open(s)
	return s
}

func (h *Hub) open(s *Subscription) {
	s.waiting, s.wake = map[storage.Key]struct{}{}, make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[*Subscription]struct{}{}
	}
	h.all[s] = struct{}{}
}

// Publish adds files or folders that this process has changed to all subscriptions that they concern.
func (h *Hub) Publish(keys ...storage.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed.Add(1)
	for s := range h.all {
		for _, k := range keys {
			s.add(k)
		}
	}
}

// Deliver adds changes of another process. With reload, everything may have changed.
func (h *Hub) Deliver(reload bool, keys ...storage.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed.Add(1)
	for s := range h.all {
		switch {
		case s.own:
		case reload:
			s.Reload()
		default:
			for _, k := range keys {
				s.add(k)
			}
		}
	}
}

// Look wakes all subscriptions, because the rights of their receivers have changed in this process. Take does
// not return anything new. The position changes, because lists include what the caller may do.
func (h *Hub) Look() { h.look(false) }

// DeliverLook is Look for changes of another process.
func (h *Hub) DeliverLook() { h.look(true) }

func (h *Hub) look(foreign bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed.Add(1)
	for s := range h.all {
		switch {
		case !s.own:
			s.notify()
		case !foreign:
			s.tellLook()
		}
	}
}

// tellLook makes the relay forward a Look.
func (s *Subscription) tellLook() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = true
	s.notify()
}

// takeLook reports whether the relay has a Look to forward, and resets that.
func (s *Subscription) takeLook() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	looked := s.looked
	s.looked = false
	return looked
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.all, s)
}

// Wake returns a channel that receives a value when Take has something to return.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// add adds a change if it concerns the folder. If the subscription is not recursive, a change further below
// counts as a change of the subfolder, which an upload may have created.
func (s *Subscription) add(k storage.Key) {
	if k == "" {
		return
	}
	prefix := ""
	if s.folder != "" {
		prefix = string(s.folder) + "/"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, inside := strings.CutPrefix(string(k), prefix)
	switch {
	case k == s.folder || strings.HasPrefix(string(s.folder), string(k)+"/"):
		s.reload = true
	case inside:
		if s.sees != nil && !s.sees(k) {
			return
		}
		if first, _, deeper := strings.Cut(rest, "/"); deeper && !s.recursive {
			k = storage.Key(prefix + first)
		}
		if _, known := s.waiting[k]; known || s.reload {
			return
		}
		if len(s.order) >= maxWaiting {
			s.reload = true
			break
		}
		s.waiting[k] = struct{}{}
		s.order = append(s.order, k)
	default:
		return
	}
	s.notify()
}

func (s *Subscription) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Reload makes the next Take report a reload.
func (s *Subscription) Reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reload = true
	s.notify()
}

// Take returns the collected changes and removes them. If reload is set, everything may have changed, and
// keys is nil.
func (s *Subscription) Take() (reload bool, keys []storage.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reload, keys = s.reload, s.order
	s.waiting, s.order, s.reload = map[storage.Key]struct{}{}, nil, false
	if reload {
		keys = nil
	}
	return reload, keys
}
