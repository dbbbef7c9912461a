// Command bench measures Safelight, other image servers and bare libvips with the same jobs.
// docs/contributing/performance/README.md explains the numbers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	binary, flags string
	work, json    string
	engine        string
	jobs, clients string
	seconds       float64
	rounds        int
	room          float64
	bare          bool
	gate          string
	accept        bool
	peers         list
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	var o options
	flag.StringVar(&o.binary, "server", "bin/safelight", "the server to measure; empty for none")
	flag.StringVar(&o.flags, "server-flags", "", "more flags for it")
	flag.StringVar(&o.work, "work", filepath.Join(os.TempDir(), "safelight-bench"), "folder for sources and data")
	flag.StringVar(&o.engine, "engine", "imaging/vips", "folder of the engine's C sources, for the bare loop")
	flag.StringVar(&o.json, "json", "", "write the results to this file too")
	flag.StringVar(&o.jobs, "jobs", "a,b,c,d,e,f,g,h,w,p,s,i,k,o,l,n,m,hot,exact", "what to do")
	flag.StringVar(&o.clients, "clients", "1,8,32", "numbers of clients")
	flag.Float64Var(&o.seconds, "seconds", 5, "how long to measure each job, server and number of clients")
	flag.IntVar(&o.rounds, "rounds", 3, "how many turns each server gets in that time")
	flag.BoolVar(&o.bare, "bare", true, "measure bare libvips")
	flag.Float64Var(&o.room, "room", 1.49, "head-room of the bare loop's JPEG decoding, as in imaging/plan_load.go")
	flag.StringVar(&o.gate, "gate", "",
		"hold the CPU of some jobs to the ratios to the bare loop in this file, and nothing else")
	flag.BoolVar(&o.accept, "accept", false, "write the ratios that --gate measures to its file")
	flag.Var(
		&o.peers, "peer", "NAME=COMMAND that starts another server afresh for each job; its kind is the beginning "+
			"of NAME; {port} {sources} {data} are filled in; repeatable")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	clients, err := numbers(o.clients)
	if err != nil {
		return err
	}
	folder, program, err := o.prepare(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sources := filepath.Join(o.work, "painted-1")
	wanted := strings.Split(o.jobs, ",")
	if o.gate != "" {
		wanted = gateJobs
	}
	if err := makeSources(ctx, program, sources, sourcesOf(wanted),
		max(64, slices.Max(clients))); err != nil {
		return err
	}
	if o.gate != "" {
		return o.runGate(ctx, os.Stdout, program, sources, folder)
	}
	targets, err := o.targets(program, sources, folder)
	if err != nil {
		return err
	}
	b := bench{
		targets: targets, clients: clients, duration: time.Duration(o.seconds * float64(time.Second)),
		rounds:  max(o.rounds, 1),
		decoder: decoder{program, folder, sources, map[string]picture{}},
	}
	report := report{Machine: machine(ctx, program, o.binary), Seconds: o.seconds}
	for _, j := range jobs {
		if _, err := os.Stat(filepath.Join(sources, copyName(j.Source, 0))); err != nil &&
			slices.Contains(wanted, j.ID) {
			fmt.Fprintf(os.Stderr, "job %s is left out: there is no %s\n", j.ID, j.Source)
			continue
		}
		if slices.Contains(wanted, j.ID) {
			rows, err := b.measure(ctx, j)
			if err != nil {
				return err
			}
			report.Rows = append(report.Rows, rows...)
		}
	}
	if slices.Contains(wanted, hotJob.ID) && o.binary != "" {
		rows, err := b.measureHot(ctx, o, sources)
		if err != nil {
			return err
		}
		report.Rows = append(report.Rows, rows...)
	}
	if slices.Contains(wanted, "exact") {
		if report.Exact, err = b.exact(ctx); err != nil {
			return err
		}
	}
	report.Machine.LoadAfter = load()
	report.markdown(os.Stdout)
	if o.json != "" {
		return report.save(o.json)
	}
	return nil
}

// sourcesOf returns the sources that the jobs with the given names need.
func sourcesOf(wanted []string) []string {
	names := []string{photo12} // of exact
	for _, j := range jobs {
		if slices.Contains(wanted, j.ID) {
			names = append(names, j.Source)
		}
	}
	return names
}

// targets returns the targets to measure: Safelight first, then the peers, then bare libvips.
func (o options) targets(program, sources, folder string) ([]target, error) {
	var all []target
	if o.binary != "" {
		// Scans are off, so that indexing the hundreds of copies does not count as work on requests. queue-timeout is
		// long, because on a busy machine a page with one rejected width would use CPU time without being counted.
		line := fmt.Sprintf("env SAFELIGHT_ADMIN_PASSWORD=benchmark-benchmark %s --listen 127.0.0.1:{port} --data "+
			"{data} --storage file://{sources} --unsafe --result-cache off --scan-interval 0 --queue-timeout 1m %s",
			o.binary, o.flags)
		all = append(all, &server{name: "safelight", shape: safelightShape, command: line, sources: sources,
			work: folder})
	}
	for _, text := range o.peers {
		name, command, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("peer %q: NAME=COMMAND was expected", text)
		}
		shape, err := shapeFor(name)
		if err != nil {
			return nil, err
		}
		all = append(all, &server{name: name, shape: shape, command: command, sources: sources, work: folder})
	}
	if o.bare {
		cores := runtime.NumCPU()
		all = append(all,
			&bare{"bare, same steps", program, sources, "steps", o.room, cores},
			&bare{"bare, no head-room", program, sources, "steps", 1, cores},
			&bare{"bare, vips_thumbnail", program, sources, "thumbnail", 0, cores})
	}
	return all, nil
}

func numbers(text string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, errors.New("clients: whole numbers from 1 on, separated by commas, were expected")
		}
		list = append(list, n)
	}
	return list, nil
}
