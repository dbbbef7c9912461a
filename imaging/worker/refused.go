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
	maxRefusals = 4096 // that are remembered
	trialTime   = 2 * time.Second
)

// culprit identifies work that crashed workers: a source with operations, or, when isPlain, a source alone. any counts
// a source's crashes regardless of the operations.
type culprit struct {
	source  string
	kind    string
	ops     imaging.Operations
	isPlain bool
	any     bool
}

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

// identities names the sources of the job, those of layers in the order of their names: as one text, and as culprits of
// their own.
func (j job) identities() (all string, sources []culprit, err error) {
	for n, one := range append([]string{""}, j.layers()...) {
		src := j.src
		if n > 0 {
			src = j.src.Layers[one]
		}
		id, err := identity(src)
		if err != nil {
			return "", nil, err
		}
		if n > 0 {
			all += "\n"
		}
		all += one + " " + id
		sources = append(sources, culprit{source: id, isPlain: true})
	}
	if fonts := fontsOf(j.src); fonts != "" {
		all += "\n" + fonts
	}
	return all, sources, nil
}

// culprits names the job, first as a whole, then its sources alone.
func (j job) culprits() (whole culprit, sources []culprit, err error) {
	all, sources, err := j.identities()
	if err != nil {
		return whole, nil, err
	}
	if j.isPlain() {
		return sources[0], sources, nil
	}
	return culprit{source: all, kind: j.kind, ops: j.ops}, sources, nil
}

// exact names the job by a hash of its sources and operations, however long these are.
func (j job) exact() (culprit, error) {
	all, _, err := j.identities()
	if err != nil {
		return culprit{}, err
	}
	path := imaging.Request{Operations: j.ops, Image: "-"}.Path()
	return culprit{source: fmt.Sprintf("%x", sha256.Sum256([]byte(path+"\n"+all))), kind: j.kind}, nil
}

// isSlow reports whether the job has used up its time before.
func (p *Pool) isSlow(j job) (bool, error) {
	if p.slow.isEmpty() {
		return false, nil
	}
	c, err := j.exact()
	return err == nil && p.slow.refuses(c), err
}

// work runs the job in a worker, unless the job or its source has crashed too many.
func (p *Pool) work(ctx context.Context, j job) (a response, data []byte, err error) {
	if !p.refused.isEmpty() {
		whole, sources, err := j.culprits()
		if err != nil {
			return a, nil, err
		}
		if p.refused.refuses(whole) || slices.ContainsFunc(sources, p.refused.refuses) {
			p.countDenied()
			return a, nil, fault.New(
				fault.CorruptImage,
				"Processing %s crashed the decoder twice within %s, it is rejected for that long", j.src.Name,
				p.config.Refusal,
			)
		}
	}
	if isSlow, err := p.isSlow(j); err != nil || isSlow {
		if err == nil {
			p.countDenied()
			err = imaging.TimedOut(nil, j.src.Name)
		}
		return a, nil, err
	}
	a, data, err = p.do(ctx, j.request(), j.src, j.previewKey(), j.isLight())
	var b *broken
	if errors.As(err, &b) {
		return a, nil, p.charge(ctx, j, b)
	}
	return a, data, err
}

func (p *Pool) countDenied() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.denied++
}

// charge notes what the job did to its worker, and returns the fault for it.
func (p *Pool) charge(ctx context.Context, j job, b *broken) error {
	switch {
	case b.reason == ReasonCrash:
		p.blame(ctx, j)
	case b.spent:
		if c, err := j.exact(); err == nil {
			p.slow.note(c)
		}
	}
	return b.err
}

// blame records a crash. After a source's second crash with any operations, a plain decode shows whether the source
// alone is the cause.
func (p *Pool) blame(ctx context.Context, j job) {
	whole, sources, err := j.culprits()
	if err != nil {
		return
	}
	p.refused.note(whole)
	if j.isPlain() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*trialTime)
	defer cancel()
	for n, s := range sources {
		if p.refused.note(culprit{source: s.source, any: true}) != maxDeaths {
			continue
		}
		p.try(ctx, j.part(n), s, j.limits)
	}
}

// part returns the source of that number, in the order of culprits.
func (j job) part(n int) imaging.Source {
	if n == 0 {
		return withoutLayers(j.src)
	}
	return j.src.Layers[j.layers()[n-1]]
}

// try decodes the source plainly until that succeeds once, or has crashed enough workers.
func (p *Pool) try(ctx context.Context, src imaging.Source, c culprit, limits imaging.Limits) {
	limits.Timeout = trialTime
	plain := job{
		kind:   kindProcess,
		src:    src,
		ops:    imaging.Operations{Fit: imaging.Fit{In: true}, Width: 64, Height: 64},
		limits: limits,
	}
	for range maxDeaths {
		var b *broken
		if _, _, err := p.do(ctx, plain.request(), src, "", false); !errors.As(err, &b) || b.reason != ReasonCrash {
			return
		}
		p.refused.note(c)
	}
}
