package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sample is the result of one time slice.
type sample struct {
	requests, errors int
	seconds, cpu     float64
	took             []float64 // time of each response in seconds
	rss              int64     // max since the slice began, in bytes
}

// work is how much each client does: requests for a duration, or a number of requests.
type work struct {
	d     time.Duration
	count int // 0: as many requests as fit into the time
}

// goes reports whether a client that began at the given time and has sent n requests should send another one.
func (w work) goes(began time.Time, n int) bool {
	if w.count > 0 {
		return n < w.count
	}
	return time.Since(began) < w.d
}

// target is a server, or the bare loop, that runs jobs.
type target interface {
	label() string
	can(j job) bool
	// start prepares the target for a job, as a new process if possible.
	start(ctx context.Context, j job) error
	stop()
	// run keeps clients busy.
	run(ctx context.Context, j job, clients int, w work) (sample, error)
	// answer returns the output of the job.
	answer(ctx context.Context, j job) ([]byte, error)
}

// output runs a program; its error includes stderr.
func output(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(arguments, " "), err,
			said.String())
	}
	return out, nil
}
