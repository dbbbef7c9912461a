package vips

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// leakJobs is how many jobs TestNothingLeaks runs; `make leak` asks for 10,000.
func leakJobs(t *testing.T) int {
	text := os.Getenv("SAFELIGHT_LEAK_JOBS")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1000 {
		t.Fatalf("SAFELIGHT_LEAK_JOBS is %q, expected at least 1000", text)
	}
	return n
}

// TestNothingLeaks runs mixed jobs, layers and failures among them, eight at a time, and holds that memory stays
// flat after the first part and that libvips has nothing left.
func TestNothingLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("2,000 pictures take a while")
	}
	e := open(t)
	sources := [][]byte{
		jpegOf(t, gradient(320, 240, false)),
		pngOf(t, gradient(200, 150, true)),
		animation(t, 96, 64, 4),
		jpegOf(t, noise(200, 200))[:4000],
		[]byte("nothing"),
		bomb(60_000, 60_000),
	}
	sources = append(
		sources, processed(e, "filters:format(webp)", sources[1], t).Data,
		processed(e, "filters:format(tiff)", sources[0], t).Data,
	)
	var paths []string
	for filter := range everyFilter {
		paths = append(
			paths, "filters:"+filter, "fit-in/80x80/filters:"+filter+":format(webp)",
			"60x60/smart/filters:"+filter+":format(jpeg)",
		)
	}
	paths = append(
		paths, "trim/50x50/filters:format(png)", "fit-in/64x64/filters:format(avif)",
		"0.1x0.1:0.9x0.9/-100x-100/5x5/filters:fill(auto):format(gif)",
	)
	layers := map[string][]byte{"still": pngOf(t, gradient(40, 30, true)), "moving": animation(t, 20, 20, 3)}
	paths = append(
		paths, "filters:image(still,center,center,30,multiply)",
		"50x50/filters:image(moving,0,0):format(webp)", "filters:text(leak,5,5,sans-12,red)",
		"filters:watermark(fit-in/20x20/still,repeat,repeat,50)", "filters:image(missing)",
		"filters:image(20x20/filters:image(moving)/still,mask)",
	)
	run := func(from, to int) {
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for n := from + worker; n < to; n += 8 {
					if _, err := layered(t, e, paths[n*7%len(paths)], sources[n%len(sources)], layers,
						imaging.DefaultLimits()); fault.CodeOf(err) == fault.Internal {
						t.Errorf("job %d: %v", n, err)
					}
				}
			})
		}
		wg.Wait()
		runtime.GC()
		debug.FreeOSMemory()
	}
	jobs := leakJobs(t)
	warmUp := max(600, jobs/5)
	before := e.Memory()
	run(0, warmUp)
	warm := status(t, "VmRSS")
	run(warmUp, jobs)
	after := status(t, "VmRSS")
	if grown := after - warm; grown > 48<<20 {
		t.Errorf("resident size grew from %d to %d MB", warm>>20, after>>20)
	}
	now := e.Memory()
	if now.Allocations > before.Allocations || now.Bytes > before.Bytes || now.Files > before.Files {
		t.Errorf("libvips holds %+v, before the jobs %+v", now, before)
	}
	t.Logf(
		"resident %d MB after %d jobs, %d MB after %d; libvips %+v, before %+v", warm>>20, warmUp, after>>20,
		jobs, now, before,
	)
}

// TestStoppedEncoderLeavesNothing ends PNG encoders at all sorts of rows, in the middle of a file.
func TestStoppedEncoderLeavesNothing(t *testing.T) {
	e := open(t)
	src := pngOf(t, noise(700, 500))
	ops := imaging.Operations{Filters: "rotate(90):compression(9)"}
	before, stopped := e.Memory(), 0
	for n := range 24 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(5+n*4)*time.Millisecond)
		_, err := e.Process(ctx, sourceOf(src), ops, imaging.DefaultLimits())
		cancel()
		if c := fault.CodeOf(err); err != nil && c != fault.Timeout {
			t.Fatal(err)
		}
		if err != nil {
			stopped++
		}
	}
	// a thread of libvips that waits for work keeps some buffers; a leak is one allocation for each job
	if now := e.Memory(); now.Allocations-before.Allocations > int64(stopped/2) {
		t.Errorf("after %d stopped jobs libvips holds %+v, before %+v", stopped, now, before)
	}
	t.Logf("%d of 24 jobs were stopped", stopped)
}

// TestOrcIsGuarded checks that libvips reaches Orc through library_orc.c: without it, eight threads that resize crash
// after some ten thousand operations.
func TestOrcIsGuarded(t *testing.T) {
	open(t)
	if !orcGuarded() {
		t.Error("libvips calls Orc directly, so two jobs can corrupt its memory")
	}
}
