package vips

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestNothingLeaks runs 2,000 mixed jobs, failures among them, and holds that memory stays flat after
// the first quarter and that libvips has nothing left.
func TestNothingLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("2,000 pictures take a while")
	}
	e := open(t)
	sources := [][]byte{jpegOf(t, gradient(320, 240, false)), pngOf(t, gradient(200, 150, true)), animation(t, 96, 64, 4), jpegOf(t, noise(200, 200))[:4000], []byte("nothing"), bomb(60_000, 60_000)}
	sources = append(sources, processed(e, "filters:format(webp)", sources[1], t).Data, processed(e, "filters:format(tiff)", sources[0], t).Data)
	var paths []string
	for filter := range everyFilter {
		paths = append(paths, "filters:"+filter, "fit-in/80x80/filters:"+filter+":format(webp)", "60x60/smart/filters:"+filter+":format(jpeg)")
	}
	paths = append(paths, "trim/50x50/filters:format(png)", "fit-in/64x64/filters:format(avif)", "0.1x0.1:0.9x0.9/-100x-100/5x5/filters:fill(auto):format(gif)")
	run := func(from, to int) {
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for n := from + worker; n < to; n += 4 {
					if _, err := process(e, paths[n*7%len(paths)], sources[n%len(sources)], t); fault.CodeOf(err) == fault.Internal {
						t.Errorf("job %d: %v", n, err)
					}
				}
			})
		}
		wg.Wait()
		runtime.GC()
		debug.FreeOSMemory()
	}
	run(0, 600)
	warm, before := status(t, "VmRSS"), e.Memory()
	run(600, 2000)
	after := status(t, "VmRSS")
	if grown := after - warm; grown > 48<<20 {
		t.Errorf("resident size grew from %d to %d MB", warm>>20, after>>20)
	}
	now := e.Memory()
	if now.Allocations > before.Allocations+8 || now.Bytes > before.Bytes+1<<20 {
		t.Errorf("libvips holds %s after %s", fmt.Sprintf("%+v", now), fmt.Sprintf("%+v", before))
	}
	t.Logf("resident %d MB after 600 jobs, %d MB after 2,000; libvips %+v", warm>>20, after>>20, now)
}
