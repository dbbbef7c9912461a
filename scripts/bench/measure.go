package main

import (
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // for the photo's header
	"os"
	"path/filepath"
	"slices"
	"time"
)

// bench runs jobs on targets.
type bench struct {
	targets  []target
	clients  []int
	duration time.Duration
	rounds   int
	decoder  decoder
}

// row is the result of one target for one job and one number of clients.
type row struct {
	Job, Title, Target string
	Clients            int
	Requests, Errors   int
	PerSecond          float64
	P50, P99           float64 // milliseconds
	CPU                float64 // CPU seconds per 1,000 requests; 0: unknown
	RSS                int64   // bytes; 0: unknown
	Bytes              int     // of the output
	Quality            quality
}

// measure runs the job on all targets in turns, so that all suffer the same noise of the machine.
func (b *bench) measure(ctx context.Context, j job) ([]row, error) {
	var ready []target
	defer func() {
		for _, t := range ready {
			t.stop()
		}
	}()
	answers := map[target][]byte{}
	for _, t := range b.targets {
		if !t.can(j) {
			continue
		}
		if err := t.start(ctx, j); err != nil {
			return nil, err
		}
		ready = append(ready, t)
		answer, err := t.answer(ctx, j)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "job %s: %s: %v\n", j.ID, t.label(), err)
			continue
		}
		answers[t] = answer
	}
	var rows []row
	for _, clients := range b.clients {
		samples := map[target][]sample{}
		slice := b.duration / time.Duration(b.rounds)
		for round := range b.rounds + 1 {
			for _, t := range ready {
				if _, ok := answers[t]; !ok {
					continue
				}
				d := slice
				if round == 0 { // warm-up; the bare loop does its own warm-up
					if _, isBare := t.(*bare); isBare {
						continue
					}
					d = min(slice, time.Second)
				}
				s, err := t.run(ctx, j, clients, work{d: d})
				if err != nil {
					return nil, fmt.Errorf("job %s: %s: %w", j.ID, t.label(), err)
				}
				if round > 0 {
					samples[t] = append(samples[t], s)
				}
			}
		}
		for _, t := range ready {
			if list, ok := samples[t]; ok {
				rows = append(rows, rowOf(j, t, clients, list))
			}
		}
		fmt.Fprintf(os.Stderr, "job %s: %d clients done\n", j.ID, clients)
	}
	return rows, b.addQuality(ctx, j, ready, answers, rows)
}

// measureHot measures the hot job, which has its own servers.
func (b *bench) measureHot(ctx context.Context, o options, sources string) ([]row, error) {
	targets, err := o.hotTargets(ctx, b.decoder.program, sources, b.decoder.folder)
	if err != nil {
		return nil, err
	}
	own := *b
	own.targets = targets
	return own.measure(ctx, hotJob)
}

func rowOf(j job, t target, clients int, list []sample) row {
	r := row{Job: j.ID, Title: j.Title, Target: t.label(), Clients: clients}
	var seconds, cpu float64
	var took []float64
	for _, s := range list {
		r.Requests, r.Errors = r.Requests+s.requests, r.Errors+s.errors
		seconds, cpu = seconds+s.seconds, cpu+s.cpu
		took = append(took, s.took...)
		r.RSS = max(r.RSS, s.rss)
	}
	slices.Sort(took)
	r.PerSecond, r.CPU = float64(r.Requests)/seconds, cpu/float64(r.Requests)*1000
	r.P50, r.P99 = took[len(took)/2]*1000, took[len(took)*99/100]*1000
	return r
}

func (b *bench) addQuality(ctx context.Context, j job, ready []target, answers map[target][]byte, rows []row) error {
	if !j.isBare() { // there is nothing to compare with
		return nil
	}
	for _, t := range ready {
		answer, ok := answers[t]
		if !ok {
			continue
		}
		q, err := b.decoder.compare(ctx, j, answer, 2)
		if err != nil {
			return fmt.Errorf("job %s: the answer of %s: %w", j.ID, t.label(), err)
		}
		for n := range rows {
			if rows[n].Target == t.label() {
				rows[n].Bytes, rows[n].Quality = len(answer), q
			}
		}
	}
	return nil
}

// exactRow is a target's pixel error at an exact fraction of the photo's size.
type exactRow struct {
	Job, Target  string
	MSE, Lanczos float64 // mean squared error against the full decode, resized with vips_resize and with Lanczos alone
	Note         string
}

// exact measures the pixel error for sizes that the decoder's own scaling could hit exactly.
func (b *bench) exact(ctx context.Context) ([]exactRow, error) {
	file, err := os.Open(filepath.Join(b.decoder.sources, copyName(photo12, 0)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size, _, err := image.DecodeConfig(file)
	if err != nil {
		return nil, err
	}
	var rows []exactRow
	for _, divisor := range []int{8, 4} {
		j := exactJob(divisor, size.Width, size.Height)
		for _, t := range b.targets {
			r, err := b.exactOne(ctx, j, t)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (b *bench) exactOne(ctx context.Context, j job, t target) (exactRow, error) {
	r := exactRow{Job: j.ID, Target: t.label()}
	if err := t.start(ctx, j); err != nil {
		return r, err
	}
	defer t.stop()
	answer, err := t.answer(ctx, j)
	if err != nil {
		r.Note = "failed"
		fmt.Fprintf(os.Stderr, "job %s: %s: %v\n", j.ID, t.label(), err)
		return r, ctx.Err()
	}
	near, err := b.decoder.compare(ctx, j, answer, 2)
	if err != nil {
		return r, err
	}
	pure, err := b.decoder.compare(ctx, j, answer, 0)
	r.MSE, r.Lanczos, r.Note = near.MSE, pure.MSE, near.Note
	return r, err
}
