//go:build linux

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// do has a worker do the job. It returns the worker's faults, fault.CorruptImage if the work crashed it,
// fault.Timeout and fault.Canceled as engines do, fault.TooLarge if it used too much memory, fault.Overloaded if all
// workers together did, and fault.Unavailable if the system has no thread or no other worker for it.
func (p *processes) do(ctx context.Context, j job) (a response, data []byte, err error) {
	src, key := j.src, j.previewKey()
	if err := imaging.Ended(ctx, src.Name); err != nil {
		return a, nil, err
	}
	draws := isDrawing(src)
	r := j.request()
	b, err := bundle(r, src)
	if err != nil {
		return a, nil, err
	}
	defer b.close()
	if !j.isLight() {
		select {
		case p.heavy <- struct{}{}:
			defer func() { <-p.heavy }()
		case <-ctx.Done():
			return a, nil, imaging.Ended(ctx, src.Name)
		case <-p.done:
			return a, nil, stopping()
		}
	}
	fonts := fontsOf(src)
	c, err := p.acquire(ctx, key, fonts)
	if err != nil {
		return a, nil, err
	}
	var end time.Time
	if r.Limits.Timeout > 0 {
		end = time.Now().Add(r.Limits.Timeout)
	}
	if c.fonts != fonts {
		if err := p.load(ctx, c, src.Fonts, r.Limits, end); err != nil {
			return a, nil, err
		}
	}
	a, data, reason, spent, err := p.talk(ctx, c, r, b, draws, end)
	if reason != "" {
		text := c.stderr.String()
		p.lose(c, reason)
		return a, nil, &broken{reason, spent, p.lost(ctx, c, r, reason, text, err)}
	}
	p.mu.Lock()
	c.cpu, c.memory = a.CPU, a.Memory
	if key != "" && a.Fault == nil {
		if len(c.keys) >= maxKeys {
			clear(c.keys)
		}
		c.keys[key] = true
	}
	p.mu.Unlock()
	c.settle(p.config.keptMemory())
	p.release(c)
	switch {
	case spent:
		return a, nil, &broken{ReasonTimeout, true, a.Fault.error()}
	case a.Fault != nil:
		return a, nil, a.Fault.error()
	}
	return a, data, nil
}

// broken is the error of a job that crashed its worker or used up its time.
type broken struct {
	reason Reason
	spent  bool // it timed out after the worker was computing for at least half of that time
	err    error
}

// Error implements error.
func (b *broken) Error() string { return b.err.Error() }

// Unwrap returns the fault.
func (b *broken) Unwrap() error { return b.err }

// talk sends the request and waits for its response, until end if that is not zero. reason is why the worker must be
// replaced; empty if it can still be used. spent is as in broken.
func (p *processes) talk(
	ctx context.Context,
	c *child,
	r *request,
	b *sources,
	draws bool,
	end time.Time,
) (a response, data []byte, reason Reason, spent bool, err error) {
	c.jobs++ // makes the id unique within this worker
	r.ID = uint64(c.jobs)
	g := newGuard(ctx, p, c, r.ID)
	g.end = end
	if draws {
		g.limit = p.config.Drawing
	}
	stop := g.watch()
	defer stop()
	if err := b.send(c.wire, r); err != nil {
		return a, nil, c.why(err), false, err
	}
	if p.config.sent != nil {
		p.config.sent()
	}
	for {
		var files []*os.File
		a = response{}
		data, files, err = c.wire.receive(&a, p.config.MemoryLimit)
		if a.files = files; r.Kind != kindDecode {
			closeAll(files)
			a.files = nil
		}
		if err != nil || a.Planned <= 0 || a.ID != r.ID {
			break
		}
		closeAll(a.files)
		g.allow(a.Planned, a.PlannedCPU)
	}
	stop()
	defer func() {
		if reason != "" || a.Fault != nil {
			closeAll(a.files)
		}
	}()
	switch {
	case err != nil:
		reason = c.why(err)
		return a, nil, reason, reason == ReasonTimeout && g.spent(r.Limits.Timeout), err
	case a.ID != r.ID:
		return a, nil, ReasonProtocol, false, errors.New("the answer is to another request")
	case c.killed() != "":
		return a, nil, c.killed(), false, errors.New("it was killed as it answered")
	case a.Fault != nil && a.Fault.Code == fault.Canceled:
		a.Fault = toWire(g.verdict(r.Source.Name))
	}
	spent = a.Fault != nil && a.Fault.Code == fault.Timeout && g.spent(r.Limits.Timeout)
	return a, data, "", spent, nil
}

// why returns the reason for an error of the connection.
func (c *child) why(err error) Reason {
	switch {
	case c.killed() != "":
		return c.killed()
	case !errors.Is(err, io.EOF) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET):
		return ReasonProtocol
	}
	select { // the connection ends before the process does
	case <-c.gone:
	case <-time.After(2 * time.Second):
		return ReasonProtocol
	}
	return c.death()
}

// death returns why a process ended that the pool did not kill.
func (c *child) death() Reason {
	if s, ok := c.command.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		switch s.Signal() {
		case syscall.SIGKILL:
			return ReasonKilled
		case syscall.SIGXCPU:
			return ReasonTimeout
		}
	}
	stderr := c.stderr.String()
	says := func(words string) bool { return strings.Contains(stderr, words) }
	switch {
	case slices.ContainsFunc(wordsOfThreads, says):
		// A process that has reached its limit of memory gets no thread either, because there is no room for the stack.
		if c.peak() >= c.limit {
			return ReasonMemory
		}
		return ReasonThreads
	case slices.ContainsFunc(wordsOfMemory, says):
		return ReasonMemory
	}
	return ReasonCrash
}

// What the Go runtime, C++, GLib and Rust write to stderr before they end a process that cannot start a thread, or that
// gets no memory.
var (
	wordsOfThreads = []string{
		"pthread_create failed", "failed to create new OS thread", "creating thread", "failed to spawn thread",
		"Resource temporarily unavailable",
	}
	wordsOfMemory = []string{
		"out of memory", "failed to allocate", "memory allocation of", "cannot allocate", "Cannot allocate",
		"cannot map pages", "std::bad_alloc",
	}
)

// peak returns the most bytes that a process has had in memory, shared ones included. It has ended.
func (c *child) peak() int64 {
	if u, ok := c.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}

// lost logs the end of a worker and returns the fault for its request.
func (p *processes) lost(ctx context.Context, c *child, r *request, reason Reason, stderr string, err error) error {
	if reason == reasonStop {
		return stopping()
	}
	name := r.Source.Name
	p.config.Log.WarnContext(
		ctx, "a worker is lost", "reason", string(reason), "state", fmt.Sprint(c.command.ProcessState),
		"source", name, "kind", r.Kind,
		"operations", shorten(imaging.Request{Operations: r.operations(), Image: "-"}.Path(), 300),
		"stderr", shorten(stderr, 500), "error", err,
	)
	switch reason {
	case ReasonTimeout:
		return imaging.TimedOut(nil, name)
	case ReasonCanceled:
		return imaging.Canceled(ctx.Err(), name)
	case ReasonMemory:
		return fault.New(
			fault.TooLarge, "Processing %s takes more than %d MB of memory, which is not allowed", name,
			c.allowed>>20,
		)
	case ReasonBudget:
		f := fault.New(
			fault.Overloaded,
			"there is not enough memory for %s right now, because it takes more than estimated: try again later",
			name,
		)
		f.RetryAfter = time.Second
		return f
	case ReasonThreads:
		return imaging.NoThreads(nil, name, time.Second)
	case ReasonCrash:
		return fault.New(fault.CorruptImage, "Processing %s with these operations crashed the decoder", name)
	}
	f := fault.New(fault.Unavailable, "the worker that processed %s was killed, try again later", name)
	f.RetryAfter = time.Second
	return f
}

func shorten(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "..."
	}
	return s
}

// error returns the fault that a worker reports. An attacker may control the worker, so lengths and codes are checked.
func (w *wireFault) error() error {
	f := &fault.Error{
		Code:       fault.Internal,
		Field:      shorten(w.Field, 100),
		Message:    shorten(w.Message, 1000),
		RetryAfter: min(max(w.RetryAfter, 0), time.Minute),
	}
	if slices.Contains(fault.Codes(), w.Code) {
		f.Code = w.Code
	}
	if w.Cause != "" {
		f.Err = errors.New(shorten(w.Cause, 1000))
	}
	return f
}
