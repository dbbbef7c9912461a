//go:build linux

package worker

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Workers returns the current figures. It reads the memory of each process from the kernel.
func (p *processes) Workers() imaging.WorkerStats {
	p.mu.Lock()
	s := imaging.WorkerStats{
		Running: len(p.live),
		Idle:    len(p.idle),
		Limit:   p.limit,
		Started: p.started,
		Retired: p.retired,
		Refused: p.denied,
		Lost:    map[string]uint64{},
	}
	for _, reason := range Reasons() {
		s.Lost[string(reason)] = p.deaths[reason]
	}
	pids := make([]int, 0, len(p.live))
	for c := range p.live {
		pids = append(pids, c.command.Process.Pid)
	}
	p.mu.Unlock()
	for _, pid := range pids {
		s.Bytes += share(pid)
	}
	return s
}

// share returns the proportional share of memory of a process, in bytes; 0 when it is gone or the kernel does not tell.
func share(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// Memory returns what libvips holds in this process and in the workers, by their last responses.
func (p *processes) Memory() imaging.Memory {
	m := p.local.Memory()
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.live {
		m.Bytes += c.memory.Bytes
		m.Highwater = max(m.Highwater, c.memory.Highwater)
		m.Allocations += c.memory.Allocations
		m.Files += c.memory.Files
	}
	return m
}

// ReleaseMemory returns memory that this process and idle workers no longer use to the system.
func (p *processes) ReleaseMemory() {
	p.local.ReleaseMemory()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		c.stale = true
		_ = c.wire.send(request{Kind: kindRelease}, nil, nil) // a dead one is noticed with its next work
	}
}

// Check starts or borrows a worker, and returns the protections that the kernel refuses it. The errors are those of
// Process.
func (p *processes) Check(ctx context.Context) (missing []string, err error) {
	c, err := p.acquire(ctx, "", "")
	if err != nil {
		return nil, err
	}
	defer p.release(c)
	return c.hello.Missing, nil
}

// unready is for how long starting workers must fail before the server counts as unready.
const unready = 10 * time.Second

// Ready returns fault.Unavailable if no worker could be started for 10 seconds, and tries again in the background.
// Without isolation, only texts in uploaded fonts need workers, and the server is ready without them.
func (p *processes) Ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing.IsZero() || p.closed || p.config.Mode == imaging.IsolateNone {
		return nil
	}
	if !p.trying && p.slots < p.limit {
		p.trying = true
		p.slots++
		go func() {
			if c, err := p.begin(); err == nil {
				p.release(c)
			}
			p.mu.Lock()
			p.trying = false
			p.mu.Unlock()
		}()
	}
	if time.Since(p.failing) < unready {
		return nil
	}
	return fault.Wrap(
		p.failure, fault.Unavailable, "no worker could be started for %s",
		time.Since(p.failing).Round(time.Second),
	)
}

// keep ends workers that have been idle for too long, until the pool is closed. The last one stays longer.
func (p *processes) keep() {
	ticker := time.NewTicker(max(p.config.Idle/4, 10*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ticker.C:
			p.expire()
		}
	}
}

func (p *processes) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		wait := p.config.Idle
		if len(p.idle) == 1 {
			wait *= lastIdle
		}
		if time.Since(p.idle[0].since) <= wait {
			return
		}
		p.dismiss()
	}
}

// dismiss ends the worker that has been idle for the longest time. The caller holds mu.
func (p *processes) dismiss() {
	c := p.idle[0]
	p.idle = p.idle[1:]
	p.retire(c)
	p.slots--
}
