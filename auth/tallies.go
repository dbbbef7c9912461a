package auth

import "time"

// tallies count the logins of at most maxFailureKeys keys.
type tallies struct {
	limit int // maximum number of failed logins and logins in progress, per key
	of    map[limitKey]*tally
}

// tally counts the logins of a key.
type tally struct {
	failed     []time.Time // oldest first
	inProgress int
	ended      chan struct{} // closed when a login in progress ends; nil if no other login waits
}

func newTallies(limit int) tallies { return tallies{limit, map[limitKey]*tally{}} }

// full returns nil if another login may start, and otherwise a channel to wait for. It returns
// fault.RateLimited after too many failures.
func (s tallies) full(key limitKey, now time.Time) (ended <-chan struct{}, err error) {
	if !s.isFull(key, now) {
		return nil, nil
	}
	t := s.of[key]
	switch {
	case len(t.failed) >= s.limit:
		return nil, limited(failureWindow-now.Sub(t.failed[0]), "too many failed logins, try again later")
	case t.ended == nil:
		t.ended = make(chan struct{})
	}
	return t.ended, nil
}

// isFull reports whether the failures of a key and its logins in progress together reach the limit.
func (s tallies) isFull(key limitKey, now time.Time) bool {
	t := s.recent(key, now)
	return t != nil && len(t.failed)+t.inProgress >= s.limit
}

// begin counts a login in progress. The caller must pass the tally to end.
func (s tallies) begin(key limitKey, now time.Time) *tally {
	t := s.get(key, now)
	t.inProgress++
	return t
}

// end ends a login in progress, and counts it if it failed. Its tally may have been evicted in the meantime.
func (s tallies) end(key limitKey, t *tally, failed bool, now time.Time) {
	t.inProgress--
	if t.ended != nil {
		close(t.ended)
		t.ended = nil
	}
	if failed {
		current := s.get(key, now)
		current.failed = append(current.failed, now)
	}
	s.recent(key, now)
}

// recent removes the failures before the window and returns the tally of a key, or nil if it is empty.
func (s tallies) recent(key limitKey, now time.Time) *tally {
	t := s.of[key]
	if t == nil {
		return nil
	}
	for len(t.failed) > 0 && now.Sub(t.failed[0]) >= failureWindow {
		t.failed = t.failed[1:]
	}
	if len(t.failed) == 0 && t.inProgress == 0 {
		delete(s.of, key)
		return nil
	}
	return t
}

// get returns the tally of a key. If there is no space for a new one, it evicts another, because rejecting the new key
// would let a few addresses lock out all others.
func (s tallies) get(key limitKey, now time.Time) *tally {
	if t := s.of[key]; t != nil {
		return t
	}
	if len(s.of) >= maxFailureKeys {
		looked := 0
		for old := range s.of {
			if s.recent(old, now) == nil {
				break
			}
			if looked == 20 {
				delete(s.of, old)
				break
			}
			looked++
		}
	}
	t := &tally{}
	s.of[key] = t
	return t
}
