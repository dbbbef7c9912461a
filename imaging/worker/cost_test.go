//go:build linux

package worker

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/imaging"
)

// BenchmarkCost compares jobs in this process and in workers, in turns: CPU of all processes, and time.
// SAFELIGHT_TEST_ROUNDS is how many.
func BenchmarkCost(b *testing.B) {
	rounds := 40
	if s := os.Getenv("SAFELIGHT_TEST_ROUNDS"); s != "" {
		if _, err := fmt.Sscan(s, &rounds); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name          string
		width, height int
		path          string
	}{
		{"12MP-JPEG-to-300", 4000, 3000, "300x"},
		{"2MP-JPEG-to-200x200", 1632, 1224, "200x200"},
		{"12MP-JPEG-to-1200-webp", 4000, 3000, "fit-in/1200x1200/filters:format(webp)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := openBench(b)
			file := b.TempDir() + "/photo.jpg"
			if err := os.WriteFile(file, photo(b, c.width, c.height), 0o600); err != nil {
				b.Fatal(err)
			}
			r, err := imaging.Parse("unsafe/" + c.path + "/x")
			if err != nil {
				b.Fatal(err)
			}
			once := func(e imaging.Engine) (cpu, took time.Duration) {
				f, err := os.Open(file)
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				info, err := f.Stat()
				if err != nil {
					b.Fatal(err)
				}
				src := imaging.Source{Name: "photo", Size: info.Size(), Reader: f}
				before, start := allCPU(b, p), time.Now()
				if _, err := e.Survey(b.Context(), src, imaging.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
				if _, err := e.Process(b.Context(), src, r.Operations, imaging.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
				took = time.Since(start)
				return allCPU(b, p) - before, took
			}
			var here, there []time.Duration
			var hereTook, thereTook []time.Duration
			for n := range rounds {
				a, at := once(p.local)
				z, zt := once(p)
				if n >= 3 {
					here, there = append(here, a), append(there, z)
					hereTook, thereTook = append(hereTook, at), append(thereTook, zt)
				}
			}
			b.ReportMetric(ms(middle(here)), "cpu-here-ms")
			b.ReportMetric(ms(middle(there)), "cpu-worker-ms")
			b.ReportMetric(100*(ms(middle(there))/ms(middle(here))-1), "cpu-more-%")
			b.ReportMetric(ms(slices.Min(here)), "min-cpu-here-ms")
			b.ReportMetric(ms(slices.Min(there)), "min-cpu-worker-ms")
			b.ReportMetric(ms(middle(hereTook)), "here-ms")
			b.ReportMetric(ms(middle(thereTook)), "worker-ms")
			b.ReportMetric(ms(slices.Min(hereTook)), "min-here-ms")
			b.ReportMetric(ms(slices.Min(thereTook)), "min-worker-ms")
		})
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func middle(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// allCPU is what this process and its workers have computed, from the scheduler's clock.
func allCPU(b *testing.B, p *Pool) (sum time.Duration) {
	b.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	pids := []int{os.Getpid()}
	for c := range p.live {
		pids = append(pids, c.command.Process.Pid)
	}
	for _, pid := range pids {
		var ts unix.Timespec
		clock := int32(^pid<<3 | 2) // CPUCLOCK_SCHED of the process
		if err := unix.ClockGettime(clock, &ts); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(ts.Nano())
	}
	return sum
}

func openBench(b *testing.B) *Pool {
	b.Helper()
	local, err := openVips(EngineConfig{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	stack, _ := strconv.ParseInt(os.Getenv("SAFELIGHT_TEST_STACK"), 10, 64)
	p, err := New(
		Config{Mode: imaging.IsolateAll, Workers: 1, Stack: stack,
			Env: strings.Fields(os.Getenv("SAFELIGHT_TEST_ENV"))},
		local,
	)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return p
}

func photo(b *testing.B, width, height int) []byte {
	b.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			at := m.PixOffset(x, y)
			v := math.Sin(float64(x)/37)*60 + math.Cos(float64(y)/23)*60 + float64((x*7919+y*104729)%23)
			m.Pix[at], m.Pix[at+1], m.Pix[at+2], m.Pix[at+3] = byte(128+v), byte(100+v/2), byte(150-v/2), 255
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkStart measures what a worker costs until it can work.
func BenchmarkStart(b *testing.B) {
	p := openBench(b)
	var cpu, took []time.Duration
	for b.Loop() {
		start := time.Now()
		c, err := p.launch()
		if err != nil {
			b.Fatal(err)
		}
		took, cpu = append(took, time.Since(start)), append(cpu, c.cpu)
		b.ReportMetric(float64(share(c.command.Process.Pid))/(1<<20), "pss-MB")
		c.stop()
	}
	b.ReportMetric(ms(middle(cpu)), "cpu-ms")
	b.ReportMetric(ms(middle(took)), "start-ms")
}

// BenchmarkSurvey measures the way to a worker and back.
func BenchmarkSurvey(b *testing.B) {
	p := openBench(b)
	data := photo(b, 64, 48)
	for _, c := range []struct {
		name   string
		engine imaging.Engine
	}{{"here", p.local}, {"worker", p}} {
		b.Run(c.name, func(b *testing.B) {
			var before time.Duration
			first := true
			n := 0
			for b.Loop() {
				if _, err := c.engine.Survey(b.Context(),
					imaging.Source{Name: "x", Reader: bytes.NewReader(data), Size: int64(len(data))},
					imaging.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
				if first {
					first, before = false, allCPU(b, p)
				}
				n++
			}
			b.ReportMetric(ms(allCPU(b, p)-before)/float64(n), "cpu-ms")
		})
	}
}
