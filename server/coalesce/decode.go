package coalesce

import (
	"context"
	"time"

	"github.com/safelight/safelight/imaging"
)

// decode decodes a source for its members, which join it while holding the Coalescer's mu.
type decode struct {
	leader   *member
	ctx      context.Context // ends when all members have left
	cancel   context.CancelFunc
	pictures map[imaging.Load]*picture
	members  int
	began    time.Time

	interrupt context.CancelCauseFunc // restarts the running pass; nil between passes
	done      chan struct{}           // closed when err and the pixels are set
	err       error
}

// picture is the source decoded at one scale.
type picture struct {
	pixels  imaging.Pixels
	users   int
	release func() // returns its memory to the budget
}

func newDecode(ctx context.Context, leader *member) *decode {
	d := &decode{leader: leader, pictures: map[imaging.Load]*picture{}, done: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return d
}

func (d *decode) isDone() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// decode decodes what the members need, and restarts if others join early.
func (s *Coalescer) decode(d *decode, r Request) {
	defer d.cancel()
	for {
		run, interrupt := context.WithCancelCause(d.ctx)
		loads := s.pass(d, interrupt)
		if len(loads) == 0 {
			interrupt(nil)
			return
		}
		list, err := s.decoder.Decode(run, r.Source, loads, r.Limits)
		again := context.Cause(run) == errJoined && d.ctx.Err() == nil
		interrupt(nil)
		if err != nil && !again {
			s.finish(d, err)
			return
		}
		s.fill(d, list)
	}
}

// pass begins a pass over the source, and returns the loads that are missing. If there are none, it ends the decode.
func (s *Coalescer) pass(d *decode, interrupt context.CancelCauseFunc) (loads []imaging.Load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.began.IsZero() {
		d.began = time.Now()
	}
	for l, p := range d.pictures {
		if p.users > 0 && p.pixels.Free == nil {
			loads = append(loads, l)
		}
	}
	if d.interrupt = interrupt; len(loads) == 0 {
		s.ended(d, nil)
	}
	return loads
}

// fill gives the decoded pixels to the members.
func (s *Coalescer) fill(d *decode, list []imaging.Pixels) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.interrupt = nil
	for _, pixels := range list {
		p := d.pictures[pixels.Load]
		if p == nil || p.users == 0 || p.pixels.Free != nil {
			pixels.Free()
			continue
		}
		p.pixels = pixels
	}
}

// finish ends the decode for all members.
func (s *Coalescer) finish(d *decode, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended(d, err)
}

// ended is finish for a caller that holds mu.
func (s *Coalescer) ended(d *decode, err error) {
	d.interrupt, d.err = nil, err
	if err == nil && d.members > 1 {
		s.stats.Decodes++
		s.stats.Results += uint64(d.members)
	}
	close(d.done)
}

// detach removes the member from its decode. A decode without members is canceled. The caller holds mu.
func (s *Coalescer) detach(m *member) {
	d, p := m.decode, m.picture
	if d == nil {
		return
	}
	m.decode, m.picture = nil, nil
	d.members--
	if p.users--; p.users == 0 {
		p.release()
		if p.pixels.Free != nil {
			p.pixels.Free()
		}
		delete(d.pictures, m.load())
	}
	if d.members == 0 {
		d.cancel()
	}
}
