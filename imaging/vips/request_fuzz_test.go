package vips

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	corpus "github.com/safelight/safelight/imaging/hostile"
)

// requestFaults are the codes that a request may end with; an empty one is a picture.
var requestFaults = map[fault.Code]bool{
	"":                      true,
	fault.CorruptImage:      true,
	fault.UnsupportedType:   true,
	fault.UnsupportedFormat: true,
	fault.TooLarge:          true,
	fault.Invalid:           true,
	fault.Timeout:           true,
	fault.Expired:           true,
	fault.NotFound:          true,
}

// fuzzServer is the variable of `make fuzz-server`. Without it FuzzRequest does nothing: its seeds are files that kill
// a process without isolation.
const fuzzServer = "SAFELIGHT_TEST_FUZZ_SERVER"

// FuzzRequest gives the engine whole requests: an operation path and the file that it is about, which is
// every layer as well. What it finds is the end of the process, a code that is not documented, or a leak.
func FuzzRequest(f *testing.F) {
	if os.Getenv(fuzzServer) == "" {
		f.Skip("make fuzz-server")
	}
	e, err := New(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	if !isFuzzWorker() { // the coordinator sends it the seeds
		addRequests(f, e)
	}
	limits := imaging.DefaultLimits()
	limits.MaxSourcePixels, limits.MaxResultPixels, limits.MaxResultSide, limits.MaxFrames, limits.Timeout = 1_000_000,
		250_000, 2_000, 20, 2*time.Second
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		r, err := imaging.Parse("unsafe/" + path + "/a.jpg")
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := e.Info(ctx, sourceOf(data), imaging.InfoRequest{Operations: r.Operations},
			limits); !requestFaults[fault.CodeOf(err)] {
			t.Errorf("meta of %q: %v", path, err)
		}
		source := sourceOf(data)
		source.Layers = map[string]imaging.Source{"a.jpg": sourceOf(data)}
		if _, err := e.Process(ctx, source, r.Operations, limits); !requestFaults[fault.CodeOf(err)] {
			t.Errorf("%q: %v", path, err)
		}
	})
}

// addRequests adds a picture of each format, the small ones of the hostile files, and the hostile paths.
func addRequests(f *testing.F, e *Engine) {
	seeds := corpus.Seeds{"jpg": jpegOf(f, gradient(48, 40, false)), "png": pngOf(f, gradient(48, 40, true))}
	for _, format := range e.Formats() {
		t := format.Traits()
		if seeds[t.Extension] != nil {
			continue
		}
		r, err := process(e, "filters:format("+string(format)+")", seeds["png"], f)
		if err != nil {
			f.Fatal(err)
		}
		seeds[t.Extension] = r.Data
	}
	seeds["tiff"] = seeds["tif"] // the corpus names it so
	delete(seeds, "tif")
	for _, data := range seeds {
		f.Add("30x20", data)
	}
	for _, file := range corpus.Sample(corpus.Files(seeds), 1) {
		if data := file.Data(); len(data) < 20_000 {
			f.Add("fit-in/30x30/filters:format(png)", data)
		}
	}
	for _, r := range corpus.Requests("a.jpg") {
		if len(r.Path) < 500 {
			f.Add(r.Path[:len(r.Path)-len("/a.jpg")], seeds["jpg"])
		}
	}
}

// isFuzzWorker reports whether this process runs inputs for another one that chooses them.
func isFuzzWorker() bool {
	worker := flag.Lookup("test.fuzzworker")
	return worker != nil && worker.Value.String() == "true"
}
