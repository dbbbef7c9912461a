// Package feed delivers changes of files and folders to the watchers of a folder, and merges them for slow ones.
package feed

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/safelight/safelight/storage"
)

// maxWaiting is how many changes may wait for one subscriber. Beyond that, the subscriber has to reload.
const maxWaiting = 1000

// Hub passes changes to the subscribers in this process. The zero value is ready for use.
type Hub struct {
	mu     sync.Mutex
	all    map[*Subscription]struct{}
	named  sync.Once
	name   string        // of this hub alone, random
	passed atomic.Uint64 // how often changes were passed on; raised before they are
}

// Position returns a text that differs after each change. If it is the same before a folder is listed and when a
// subscription begins, nothing was missed in between. Positions of different hubs differ.
func (h *Hub) Position() string {
	h.named.Do(func() { h.name = rand.Text()[:8] })
	return h.name + "." + strconv.FormatUint(h.passed.Load(), 36)
}

// Subscription collects the changes in one folder until they are taken.
type Subscription struct {
	hub       *Hub
	folder    storage.Key
	recursive bool
	own       bool // no changes of other processes
	mu        sync.Mutex
	sees      func(storage.Key) bool // nil: everything
	waiting   map[storage.Key]struct{}
	order     []storage.Key
	reload    bool
	looked    bool          // of the relay: others are to look at the rights of their receivers
	wake      chan struct{} // holds one
}

// Subscribe returns a subscription to the changes of a folder's entries, or of all that is below it. Its first Take
// says reload. Close ends it.
func (h *Hub) Subscribe(folder storage.Key, recursive bool) *Subscription {
	s := &Subscription{hub: h, folder: folder, recursive: recursive}
	h.open(s)
	s.Reload()
	return s
}

// Only drops changes of what the receiver may not see, from now on. Otherwise very many of them would make it reload,
// which tells that there were some. sees is called for each change while others wait.
func (s *Subscription) Only(sees func(storage.Key) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sees = sees
}

// relay returns a subscription to all changes of this process, without those of Deliver.
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

// Publish adds the files or folders that this process has changed to every subscription they concern.
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

// Deliver adds what another process has changed. With reload, it may be everything.
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

// Look wakes every subscription, because what their receivers may see has changed in this process. Take returns nothing
// new for it. The position changes, because the list includes what may be done.
func (h *Hub) Look() { h.look(false) }

// DeliverLook is Look for what another process has changed.
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

// tellLook makes the relay pass a Look on.
func (s *Subscription) tellLook() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = true
	s.notify()
}

// takeLook returns and forgets whether the relay has a Look to pass on.
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

// Wake receives a value when there is something to take.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// add collects a change if it concerns the folder. If the subscription is not recursive, a change further below counts
// as one of the subfolder, which an upload may have created.
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

// Reload makes the next Take say reload.
func (s *Subscription) Reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reload = true
	s.notify()
}

// Take returns and forgets what was collected. If reload is set, everything may have changed and keys is nil.
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
