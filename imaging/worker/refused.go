//go:build linux

package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

const (
	maxDeaths   = 2    // before work is refused
	maxStarved  = 3    // the same, if it had no thread
	maxRefusals = 4096 // that are remembered
	trialTime   = 2 * time.Second
	starvedTime = time.Minute // for how long work is refused that had no thread
)

// culprit identifies work that broke workers, by a hash: a job, or a source regardless of what is done with it.
type culprit [sha256.Size]byte

func culpritOf(parts ...string) culprit { return sha256.Sum256(fmt.Appendf(nil, "%q", parts)) }

// refusals remembers work that crashed workers.
type refusals struct {
	period time.Duration
	enough int // deaths before work is refused
	now    func() time.Time

	mu   sync.Mutex
	rows map[culprit]*deaths
}

type deaths struct {
	number int
	last   time.Time
}

func newRefusals(period time.Duration, enough int) *refusals {
	return &refusals{period: period, enough: enough, now: time.Now, rows: map[culprit]*deaths{}}
}

func (f *refusals) isEmpty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rows) == 0
}

// note counts a death, and returns how many there were within the period.
func (f *refusals) note(c culprit) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if len(f.rows) >= maxRefusals {
		f.shrink(now)
	}
	row := f.rows[c]
	if row == nil || now.Sub(row.last) >= f.period {
		row = &deaths{}
		f.rows[c] = row
	}
	row.number++
	row.last = now
	return row.number
}

// shrink drops expired entries, or all: forgetting costs workers, but unlimited entries would cost memory. The caller
// holds mu.
func (f *refusals) shrink(now time.Time) {
	for c, row := range f.rows {
		if now.Sub(row.last) >= f.period {
			delete(f.rows, c)
		}
	}
	if len(f.rows) >= maxRefusals {
		clear(f.rows)
	}
}

// count returns how many workers the culprit has broken within the period.
func (f *refusals) count(c culprit) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := f.rows[c]
	if row == nil || f.now().Sub(row.last) >= f.period {
		return 0
	}
	return row.number
}

// refuses reports whether the culprit has crashed enough workers.
func (f *refusals) refuses(c culprit) bool { return f.count(c) >= f.enough }

// identity names the bytes of a source: by its version, else by a hash of them.
func identity(src imaging.Source) (string, error) {
	switch {
	case src.Canvas != nil:
		return fmt.Sprintf("canvas %v", *src.Canvas), nil
	case src.Version != "":
		return src.Version, nil
	case src.Reader == nil:
		return "", nil
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, src.Reader); err != nil {
		return "", err
	}
	_, err := src.Reader.Seek(0, io.SeekStart)
	return fmt.Sprintf("sha256 %x", hash.Sum(nil)), err
}

// layers returns the names of the job's layers in order.
func (j job) layers() []string { return slices.Sorted(maps.Keys(j.src.Layers)) }

// part returns a source of the job: 0 is the main one, and the layers follow in order.
func (j job) part(n int) imaging.Source {
	if n == 0 {
		return withoutLayers(j.src)
	}
	return j.src.Layers[j.layers()[n-1]]
}

// culprits names the job, and each of its parts alone.
func (j job) culprits() (whole culprit, parts []culprit, err error) {
	all := []string{j.kind, imaging.Request{Operations: j.ops, Image: "-"}.Path(), fontsOf(j.src)}
	for n, layer := range append([]string{""}, j.layers()...) {
		id, err := identity(j.part(n))
		if err != nil {
			return whole, nil, err
		}
		all = append(all, layer+" "+id)
		parts = append(parts, culpritOf("source", id))
	}
	return culpritOf(all...), parts, nil
}

// work runs the job in a worker, unless the job or its source has crashed too many, or the job used up its time before.
func (p *processes) work(ctx context.Context, j job) (a response, data []byte, err error) {
	if err := p.refusal(j); err != nil {
		return a, nil, err
	}
	a, data, err = p.do(ctx, j)
	var b *broken
	if errors.As(err, &b) {
		return a, nil, p.charge(ctx, j, b)
	}
	return a, data, err
}

// refusal returns the fault of a job that is refused, or an error of reading its sources.
func (p *processes) refusal(j job) error {
	if p.refused.isEmpty() && p.slow.isEmpty() && p.starved.isEmpty() {
		return nil
	}
	whole, parts, err := j.culprits()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(append(parts, whole), p.refused.refuses) {
		p.countDenied()
		return fault.New(
			fault.CorruptImage,
			"Processing %s crashed the decoder twice within %s, it is rejected for that long", j.src.Name,
			p.config.Refusal,
		)
	}
	switch {
	case p.slow.refuses(whole):
		p.countDenied()
		return imaging.TimedOut(nil, j.src.Name)
	case p.starved.refuses(whole):
		p.countDenied()
		return imaging.NoThreads(nil, j.src.Name, starvedTime)
	}
	return nil
}

// suspects reports whether the job, which is plain, has broken a worker before.
func (p *processes) suspects(j job) (bool, error) {
	if p.refused.isEmpty() && p.slow.isEmpty() {
		return false, nil
	}
	whole, parts, err := j.culprits()
	return err == nil && (p.refused.count(parts[0]) > 0 || p.slow.refuses(whole)), err
}

func (p *processes) countDenied() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.denied++
}

// charge notes what the job did to its worker, and returns the fault for it.
func (p *processes) charge(ctx context.Context, j job, b *broken) error {
	if b.reason != ReasonCrash && b.reason != ReasonThreads && !b.spent {
		return b.err
	}
	whole, parts, err := j.culprits()
	switch {
	case err != nil:
	case b.reason == ReasonThreads:
		p.starved.note(whole)
	case b.reason != ReasonCrash:
		p.slow.note(whole)
	case j.isPlain():
		p.refused.note(parts[0])
	default:
		p.blame(ctx, j, whole, parts)
	}
	return b.err
}

// blame records a crash. After a source's second crash with any operations, a plain decode shows whether the source
// alone is the cause.
func (p *processes) blame(ctx context.Context, j job, whole culprit, parts []culprit) {
	p.refused.note(whole)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*trialTime)
	defer cancel()
	for n, c := range parts {
		if p.refused.note(culpritOf("in some job", string(c[:]))) == maxDeaths {
			p.try(ctx, j.part(n), c, j.limits)
		}
	}
}

// try decodes the source plainly until that succeeds once, or has crashed enough workers.
func (p *processes) try(ctx context.Context, src imaging.Source, c culprit, limits imaging.Limits) {
	limits.Timeout = trialTime
	plain := job{
		kind:   kindProcess,
		src:    src,
		ops:    imaging.Operations{Fit: imaging.Fit{In: true}, Width: 64, Height: 64},
		limits: limits,
	}
	for range maxDeaths {
		var b *broken
		if _, _, err := p.do(ctx, plain); !errors.As(err, &b) || b.reason != ReasonCrash {
			return
		}
		p.refused.note(c)
	}
}
