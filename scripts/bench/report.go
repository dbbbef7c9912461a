package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// report is the result of a run.
type report struct {
	Machine host
	Seconds float64
	Rows    []row
	Exact   []exactRow
}

// host describes the machine.
type host struct {
	CPU, System, Libvips, Revision string
	Cores                          int
	MemoryGiB                      float64
	LoadBefore, LoadAfter          string
}

func machine(ctx context.Context, program, binary string) host {
	m := host{Cores: runtime.NumCPU(), LoadBefore: load()}
	m.CPU = field("/proc/cpuinfo", "model name")
	m.System = strings.Trim(field("/etc/os-release", "PRETTY_NAME"), `"`)
	var kib float64
	fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kib)
	m.MemoryGiB = kib / (1 << 20)
	if out, err := output(ctx, program, "version"); err == nil {
		m.Libvips = strings.TrimSpace(string(out))
	}
	if out, err := exec.CommandContext(ctx, binary, "version").Output(); err == nil {
		m.Revision, _, _ = strings.Cut(string(out), "\n")
	}
	return m
}

// field returns the value that follows : or = in the first line of the file that starts with the name.
func field(file, name string) string {
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), ":="))
		}
	}
	return ""
}

func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func (r report) save(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func (r report) markdown(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "%s, %d cores, %.0f GiB, %s, libvips %s, %s, %g s each; load %s before, %s after.\n",
		m.CPU, m.Cores, m.MemoryGiB, m.System, m.Libvips, m.Revision, r.Seconds, m.LoadBefore, m.LoadAfter)
	job := ""
	for _, row := range r.Rows {
		if row.Job != job {
			job = row.Job
			fmt.Fprintf(w, "\n**%s: %s**\n\n", row.Job, row.Title)
			fmt.Fprintln(w, "| clients | server | req/s | p50 ms | p99 ms | CPU s/1,000 | peak RSS MB | bytes | PSNR "+
				"dB | |")
			fmt.Fprintln(w, "|--:|---|--:|--:|--:|--:|--:|--:|--:|---|")
		}
		fmt.Fprintf(w, "| %d | %s | %.1f | %.1f | %.1f | %s | %s | %s | %s | %s |\n", row.Clients, row.Target,
			row.PerSecond, row.P50, row.P99,
			or(row.CPU, "%.3g"), or(float64(row.RSS)/1e6, "%.0f"), or(float64(row.Bytes), "%.0f"),
			or(row.Quality.PSNR, "%.1f"), row.note())
	}
	for _, other := range r.others() {
		r.ratios(w, other)
	}
	if len(r.Exact) > 0 {
		fmt.Fprintf(w, "\n**Pixel error (MSE) at exact fractions, against the full decode scaled by vips_resize and "+
			"by Lanczos alone**\n\n")
		fmt.Fprintln(w, "| size | server | vips_resize | Lanczos | |")
		fmt.Fprintln(w, "|---|---|--:|--:|---|")
	}
	for _, e := range r.Exact {
		fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %s |\n", e.Job, e.Target, e.MSE, e.Lanczos, e.Note)
	}
}

func (r row) note() string {
	var notes []string
	if r.Quality.Note != "" {
		notes = append(notes, r.Quality.Note)
	}
	if r.Errors > 0 {
		notes = append(notes, fmt.Sprintf("%d errors", r.Errors))
	}
	return strings.Join(notes, ", ")
}

// or formats a number, or returns a dash for 0.
func or(v float64, format string) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// others returns the targets after the first.
func (r report) others() []string {
	var names []string
	for _, row := range r.Rows {
		if row.Target != r.Rows[0].Target && !slices.Contains(names, row.Target) {
			names = append(names, row.Target)
		}
	}
	return names
}

// ratios prints the first target's numbers divided by those of the others.
func (r report) ratios(w io.Writer, other string) {
	first := r.Rows[0].Target
	fmt.Fprintf(w, "\n**%s divided by %s**\n\n| job | clients | req/s | p50 | CPU | RSS | bytes | PSNR dB more "+
		"|\n|---|--:|--:|--:|--:|--:|--:|--:|\n", first, other)
	logs, n := 0.0, 0
	for _, a := range r.Rows {
		at := slices.IndexFunc(r.Rows, func(b row) bool {
			return b.Target == other && b.Job == a.Job &&
				b.Clients == a.Clients
		})
		if a.Target != first || at < 0 {
			continue
		}
		b := r.Rows[at]
		more := "-"
		if a.Quality.PSNR > 0 && b.Quality.PSNR > 0 {
			more = fmt.Sprintf("%+.1f", a.Quality.PSNR-b.Quality.PSNR)
		}
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %s | %s | %s | %s |\n", a.Job, a.Clients, a.PerSecond/b.PerSecond,
			a.P50/b.P50,
			or(a.CPU/b.CPU, "%.2f"), or(float64(a.RSS)/float64(b.RSS), "%.2f"),
			or(float64(a.Bytes)/float64(b.Bytes), "%.2f"), more)
		done := a.Quality.Note == "" && b.Quality.Note == "" // results that differ from the job's output do not count
		if c := a.CPU / b.CPU; done && c > 0 && !math.IsInf(c, 0) && a.Job >= "a" && a.Job <= "f" {
			logs, n = logs+math.Log(c), n+1
		}
	}
	if n > 0 {
		fmt.Fprintf(w, "\nCPU over a to f, geometric mean: %.2f\n", math.Exp(logs/float64(n)))
	}
}
