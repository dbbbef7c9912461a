package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// gateJobs are the jobs whose CPU time must not grow.
var gateJobs = []string{"a", "c", "d", "w", hotJob.ID, hotChecked}

// hotChecked is the hot job with source-check 1s.
const hotChecked = "hot1s"

// gateCounts are how many requests a client sends in one round: about 0.5 s of CPU time, because Linux reports it in
// hundredths of a second.
var gateCounts = map[string]int{"a": 5, "c": 20, "d": 1, "w": 5, hotJob.ID: 2000, hotChecked: 2000}

const (
	gateRounds = 7 // rounds in which Safelight and the bare loop take turns; the median of their ratios counts
	// A job that exceeds its accepted ratio is measured again: noise goes away, but a slower program does not.
	gateAttempts  = 3
	gateTolerance = 1.10
	gateClients   = 2
	hotClients    = 16 // enough clients that the server never waits
)

// runGate compares the CPU time of Safelight with that of the bare loop. They take turns within one run. The error
// names the jobs whose ratio exceeds the accepted ratio by more than the tolerance. It never compares the times of
// different runs.
func (o options) runGate(ctx context.Context, out io.Writer, program, sources, folder string) error {
	if o.binary == "" {
		return errors.New("gate: a server was expected, see --server")
	}
	accepted := map[string]float64{}
	if data, err := os.ReadFile(o.gate); err == nil {
		err = json.Unmarshal(data, &accepted)
		if err != nil {
			return fmt.Errorf("gate: %s: %w", o.gate, err)
		}
	} else if !o.accept {
		return err
	}
	o.peers, o.bare = nil, true
	targets, err := o.targets(program, sources, folder)
	if err != nil {
		return err
	}
	hots, err := o.hotTargets(ctx, program, sources, folder)
	if err != nil {
		return err
	}
	pairs := map[string][2]target{hotJob.ID: {hots[0], hots[2]}, hotChecked: {hots[1], hots[2]}}
	for _, id := range gateJobs {
		if pairs[id][0] == nil {
			pairs[id] = [2]target{targets[0], targets[1]}
		}
	}
	measured, slower := map[string]float64{}, []string{}
	for _, id := range gateJobs {
		ratio, err := gateJob(ctx, jobOf(id), pairs[id], accepted[id], o.accept)
		if err != nil {
			return fmt.Errorf("gate: job %s: %w", id, err)
		}
		measured[id] = ratio
		verdict := "ok"
		if !o.accept && ratio > accepted[id]*gateTolerance {
			verdict = "SLOWER"
			slower = append(slower, id)
		}
		fmt.Fprintf(out, "%-5s %.2f times the CPU of %s, accepted %.2f: %s\n", id, ratio, pairs[id][1].label(),
			accepted[id], verdict)
	}
	if o.accept {
		return saveRatios(o.gate, measured)
	}
	if len(slower) > 0 {
		return fmt.Errorf("gate: over the accepted ratio by more than 10 %%, %d times in a row: %s", gateAttempts,
			strings.Join(slower, ", "))
	}
	return nil
}

func saveRatios(file string, ratios map[string]float64) error {
	for id, ratio := range ratios {
		ratios[id] = float64(int(ratio*100+0.5)) / 100
	}
	data, err := json.MarshalIndent(ratios, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// jobOf returns the job with the given letter.
func jobOf(id string) job {
	if at := slices.IndexFunc(jobs, func(j job) bool { return j.ID == id }); at >= 0 {
		return jobs[at]
	}
	return hotJob
}

// gateJob returns the lowest ratio of up to gateAttempts attempts. It stops at the first attempt within the accepted
// ratio, or after one attempt if once is set.
func gateJob(ctx context.Context, j job, pair [2]target, accepted float64, once bool) (ratio float64, err error) {
	for _, t := range pair {
		if err := t.start(ctx, j); err != nil {
			return 0, err
		}
		defer t.stop()
		if _, err := t.answer(ctx, j); err != nil {
			return 0, err
		}
	}
	for attempt := range gateAttempts {
		one, err := cpuRatio(ctx, j, pair)
		if err != nil {
			return 0, err
		}
		if attempt == 0 || one < ratio {
			ratio = one
		}
		if once || ratio <= accepted*gateTolerance {
			break
		}
	}
	return ratio, nil
}

// cpuRatio returns the median over all rounds of the first target's CPU time per request divided by the second's.
func cpuRatio(ctx context.Context, j job, pair [2]target) (float64, error) {
	clients := gateClients
	if j.ID == hotJob.ID {
		clients = hotClients
	}
	var ratios []float64
	for round := range gateRounds + 1 {
		var cpu [2]float64
		for n, t := range pair {
			s, err := t.run(ctx, j, clients, work{count: gateCounts[j.ID]})
			if err != nil {
				return 0, err
			}
			if s.errors > 0 || s.requests == 0 || s.cpu <= 0 {
				return 0, fmt.Errorf("%s: %d answers and %d errors in %.2f s of CPU", t.label(), s.requests, s.errors,
					s.cpu)
			}
			cpu[n] = s.cpu / float64(s.requests)
		}
		if round > 0 { // the first is a warm-up
			ratios = append(ratios, cpu[0]/cpu[1])
		}
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}
