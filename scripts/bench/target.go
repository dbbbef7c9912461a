package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sample is what one slice of time gave.
type sample struct {
	requests, errors int
	seconds, cpu     float64
	took             []float64 // seconds of each answer
	rss              int64     // the most since the slice began
}

// target is a server, or the bare loop, that does jobs.
type target interface {
	label() string
	can(j job) bool
	// start makes it ready for a job, afresh where that is possible.
	start(ctx context.Context, j job) error
	stop()
	// run keeps clients busy for that long.
	run(ctx context.Context, j job, clients int, d time.Duration) (sample, error)
	// answer returns what the job gives.
	answer(ctx context.Context, j job) ([]byte, error)
}

// output runs a program; its error holds what it said.
func output(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(arguments, " "), err, said.String())
	}
	return out, nil
}
