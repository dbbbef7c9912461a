package coalesce

import (
	"context"
	"slices"
	"time"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/server/admission"
)

// member is a result in progress. The Coalescer's mu guards all but the first three fields.
type member struct {
	request Request
	rest    imaging.Cost // cost that remains once the source is decoded
	arrived time.Time

	source  *source
	taken   chan struct{} // closed when a decode includes the waiting member
	behind  bool          // another member waits that will probably decode for both
	decode  *decode
	picture *picture // of the decode
	leads   *decode  // the decode that it runs for others; nil: none

	started   time.Time // when it began to be rendered alone; zero: it has not begun
	ctx       context.Context
	interrupt context.CancelCauseFunc // stops rendering the member alone
}

// work is the member's job for admission.
func (m *member) work(cost imaging.Cost) admission.Work {
	return admission.Work{Client: m.request.Client, Cost: cost, Arrived: m.arrived}
}

// shared returns the CPU time of the decode if another member will probably decode for both, else 0.
func (m *member) shared() time.Duration {
	if !m.behind {
		return 0
	}
	return max(0, m.request.Cost.CPU-m.rest.CPU)
}

func (m *member) load() imaging.Load { return m.request.Plan.Load }

// early reports whether a decode that began at the given time may be restarted: at most a quarter of its work is lost.
func (m *member) early(began time.Time) bool {
	return time.Since(began) < (m.request.Cost.CPU-m.rest.CPU)/4 &&
		slices.Contains(stoppable, m.request.Plan.Request.Header.Format)
}

// source lists the members that use one source. It is removed with its last member.
type source struct {
	name    string
	waiting []*member // members in the queue, in the order of arrival
	lone    []*member // members being rendered alone
	decodes []*decode // decodes that run, or whose pixels are in use
}

// stoppable are the formats whose decoders stop at once when a job is canceled.
var stoppable = []imaging.Format{imaging.JPEG, imaging.PNG, imaging.WebP, imaging.GIF}

// decodable are the formats whose header is read without decoding, and whose Load is the same for several sizes: no
// vectors, and no BMP, which decodes almost instantly.
var decodable = []imaging.Format{imaging.JPEG, imaging.PNG, imaging.WebP, imaging.GIF, imaging.HEIF, imaging.AVIF,
	imaging.TIFF, imaging.JXL, imaging.JP2}

// isShareable reports whether the decode of the result may be useful to others: it decodes nearly all of the source,
// and does not use the preview cache.
func isShareable(r Request) bool {
	p := r.Plan
	if r.Alone || r.Source.Version == "" || r.Source.Canvas != nil || p.Load.Width <= 0 ||
		!slices.Contains(decodable, p.Request.Header.Format) ||
		p.Request.Header.ScalesPlanes() {
		return false
	}
	for _, name := range []string{"raw", "preview", "dpi"} {
		if _, ok := p.Call(name); ok {
			return false
		}
	}
	whole := p.Turn != imaging.Turn{} || p.Crop.Empty() // decoding for a crop stops at its lowest row
	return whole || 2*(p.Crop.Top+p.Crop.Height) >= p.Load.Height
}

// together reports whether one decode can serve both members: they need the same load, or the loader can produce
// several scales in one pass.
func together(a, b *member) bool {
	return a.load() == b.load() || a.request.Plan.Request.Header.DecodesScales()
}

// join adds the member to a decode of its source that is in progress, or whose pixels are still in memory. If it
// returns nil, the member waits in the queue, where a decode may include it.
func (s *Coalescer) join(ctx context.Context, m *member) *decode {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := m.request.Source.Version
	src := s.sources[name]
	if src == nil {
		src = &source{name: name}
		s.sources[name] = src
	}
	m.source, m.ctx, m.taken, m.decode, m.picture, m.leads = src, ctx, make(chan struct{}), nil, nil, nil
	for _, d := range src.decodes {
		if s.attach(d, m) {
			return d
		}
	}
	for _, first := range src.lone {
		if first.decode != nil || !first.early(first.started) || !together(first, m) {
			continue
		}
		if d := s.group(first, m); d != nil {
			d.began = first.started
			s.stats.Again++
			first.interrupt(errJoined)
			return d
		}
	}
	m.behind = slices.ContainsFunc(src.waiting, func(one *member) bool { return together(one, m) })
	src.waiting = append(src.waiting, m)
	return nil
}

// group returns a decode that the first member leads for as many of the others as fit into memory; nil if there are
// none. The caller holds mu.
func (s *Coalescer) group(first *member, others ...*member) *decode {
	d := newDecode(first.ctx, first)
	if !s.attach(d, first) {
		return nil
	}
	for _, m := range others {
		if together(first, m) && s.attach(d, m) {
			first.source.waiting = slices.DeleteFunc(first.source.waiting, func(one *member) bool { return one == m })
			close(m.taken)
		}
	}
	if d.members == 1 {
		s.detach(first)
		return nil
	}
	first.leads = d
	first.source.decodes = append(first.source.decodes, d)
	return d
}

// attach adds the member to the decode if the decode has, or can still produce, what the member needs. The caller
// holds mu.
func (s *Coalescer) attach(d *decode, m *member) bool {
	if d.members >= maxMembers || d.err != nil || d.members == 0 && !d.began.IsZero() {
		return false
	}
	p := d.pictures[m.load()]
	if p == nil || p.users == 0 {
		if !d.began.IsZero() && (d.isDone() || !d.leader.early(d.began) || !together(d.leader, m)) {
			return false
		}
		h := m.request.Plan.Request.Header
		free, ok := s.work.Keep(m.load().Bytes(h) + cost.SharedRows(h))
		if !ok {
			return false
		}
		p = &picture{release: free}
		d.pictures[m.load()] = p
		if d.interrupt != nil {
			s.stats.Again++
			d.interrupt(errJoined)
		}
	}
	p.users++
	d.members++
	m.decode, m.picture = d, p
	return true
}

// lead makes a member that has got a slot lead a decode for all members that wait for the same source. d is nil if
// there are none. leads is false if the member already takes part in another member's decode.
func (s *Coalescer) lead(ctx context.Context, m *member) (d *decode, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.decode != nil {
		return m.decode, false
	}
	src := m.source
	src.waiting = slices.DeleteFunc(src.waiting, func(one *member) bool { return one == m })
	return s.group(m, slices.Clone(src.waiting)...), true
}

// decodeOf returns the decode that the member takes part in.
func (s *Coalescer) decodeOf(m *member) *decode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.decode
}

// begin records that the member is being rendered alone, and how to interrupt that.
func (s *Coalescer) begin(m *member, interrupt context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.started, m.interrupt = time.Now(), interrupt
	m.source.lone = append(m.source.lone, m)
}

// end returns the decode that the member was made to lead while it was rendered alone; nil if nobody has joined it.
func (s *Coalescer) end(m *member) *decode {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.source.lone = slices.DeleteFunc(m.source.lone, func(one *member) bool { return one == m })
	return m.decode
}

// leave removes the member from its source and its decode. Further calls do nothing.
func (s *Coalescer) leave(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	src := m.source
	without := func(list []*member) []*member {
		return slices.DeleteFunc(list, func(one *member) bool { return one == m })
	}
	src.waiting, src.lone = without(src.waiting), without(src.lone)
	s.detach(m)
	src.decodes = slices.DeleteFunc(src.decodes, func(d *decode) bool { return d.members == 0 })
	if len(src.waiting)+len(src.lone)+len(src.decodes) == 0 && s.sources[src.name] == src {
		delete(s.sources, src.name)
	}
}

// quit calls leave at the end of an attempt. It also ends a decode that the member leads and has not finished, so that
// nobody waits for it.
func (s *Coalescer) quit(m *member) {
	s.leave(m)
	if d := m.leads; d != nil && !d.isDone() {
		s.finish(d, errAgain)
	}
}
