package vips

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
)

// measuredPaths are what is done to every still source; {w} formats are among them.
var measuredPaths = []string{
	"", "fit-in/300x300", "fit-in/1200x1200", "200x200", "fit-in/600x600/filters:format(jpeg)",
	"fit-in/600x600/filters:format(png)",
	"fit-in/600x600/filters:format(webp)", "fit-in/600x600/filters:format(avif)",
	"fit-in/1200x1200/filters:format(webp)",
	"fit-in/1200x1200/filters:format(avif)", "fit-in/600x600/filters:format(tiff)",
	"fit-in/600x600/filters:format(gif)",
	"fit-in/600x600/filters:format(jxl)", "fit-in/300x300/filters:format(jp2)",
	"fit-in/300x300/filters:lossless():format(webp)",
	"fit-in/800x800/filters:brightness(10):contrast(5):format(jpeg)", "fit-in/800x800/filters:blur(5):format(jpeg)",
	"fit-in/800x800/filters:sharpen(1):saturation(20):format(jpeg)", "400x400/smart/filters:format(jpeg)",
	"trim/fit-in/400x400/filters:format(jpeg)",
	"0.1x0.1:0.9x0.9/500x500/filters:format(webp)", "-300x300/filters:format(jpeg)",
	"fit-in/800x800/filters:label(Hello,10,10,40,red):format(jpeg)",
	"fit-in/500x500/filters:max_bytes(20000):format(jpeg)", "fit-in/500x500/filters:quality(auto):format(webp)",
	"fit-in/600x600/filters:image(fit-in/300x300/color:red,10,10,50):format(jpeg)",
	"filters:proportion(50):format(jpeg)",
}

// movingPaths are what is done to every animation.
var movingPaths = []string{
	"", "fit-in/200x200", "fit-in/200x200/filters:format(webp)", "100x100/filters:format(webp)",
	"fit-in/100x100/filters:format(jpeg)",
	"fit-in/200x200/filters:max_frames(5)", "fit-in/150x150/filters:blur(2):format(webp)", "filters:format(webp)",
}

// TestMeasureEstimates rewrites imaging/cost/testdata/estimates.csv: CPU and memory of a matrix of jobs, one at a time.
// It takes some minutes of a quiet machine, and runs only where SAFELIGHT_MEASURE names the folder of pictures to
// measure as well.
func TestMeasureEstimates(t *testing.T) {
	folder := os.Getenv("SAFELIGHT_MEASURE")
	if folder == "" {
		t.Skip("SAFELIGHT_MEASURE is not set")
	}
	e := open(t)
	out, err := os.Create(filepath.Join("..", "cost", "testdata", "estimates.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := csv.NewWriter(out)
	defer w.Flush()
	_ = w.Write([]string{
		"source",
		"format",
		"width",
		"height",
		"pages",
		"bands",
		"bytes",
		"turned",
		"whole",
		"path",
		"cpu_ms",
		"memory_mb",
	})
	for name, data := range measuredSources(t, e, folder) {
		header, err := e.Survey(t.Context(), sourceOf(data), imaging.DefaultLimits())
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		paths := measuredPaths
		if header.Pages > 1 {
			paths = movingPaths
		}
		for _, path := range paths {
			cpu, memory, err := measured(e, path, data, t)
			if err != nil {
				t.Logf("%s %s: %v", name, path, err)
				continue
			}
			_ = w.Write([]string{
				name,
				string(header.Format),
				strconv.Itoa(header.Width),
				strconv.Itoa(header.Height),
				strconv.Itoa(header.Pages),
				strconv.Itoa(
					header.Bands,
				),
				strconv.FormatInt(header.Bytes, 10),
				strconv.FormatBool(header.Turned()),
				strconv.FormatBool(header.Whole),
				path,
				fmt.Sprintf("%.2f", cpu.Seconds()*1000),
				fmt.Sprintf("%.1f", float64(memory)/1e6),
			})
		}
	}
}

// measuredSources returns pictures of several sizes in every format, and those of the folder.
func measuredSources(t *testing.T, e *Engine, folder string) map[string][]byte {
	all := map[string][]byte{}
	for name, size := range map[string][2]int{"small": {640, 480}, "2mp": {1600, 1200}, "12mp": {4000, 3000}} {
		photo := jpegOf(t, photograph(size[0], size[1]))
		all[name+".jpg"] = photo
		for _, format := range []string{"png", "webp", "avif", "tiff", "jxl", "jp2"} {
			if r, err := process(e, "filters:format("+format+")", photo, t); err == nil {
				all[name+"."+format] = r.Data
			}
		}
	}
	clear := photograph(2000, 2000)
	for n := 3; n < len(clear.Pix); n += 4 {
		clear.Pix[n] = uint8(min(255, n%8000/16))
	}
	all["alpha.png"] = pngOf(t, clear)
	all["alpha.webp"] = processed(e, "filters:format(webp)", all["alpha.png"], t).Data
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 20<<20 {
			all[filepath.Base(file)] = data
		}
	}
	return all
}

// measured returns what the job takes: the least CPU of three runs, the most memory.
func measured(e *Engine, path string, data []byte, t *testing.T) (cpu time.Duration, memory int64, err error) {
	for n := range 3 {
		runtime.GC()
		e.ReleaseMemory()
		before := status(t, "VmRSS")
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Fatal(err)
		}
		began := used()
		if _, err := process(e, path, bytes.Clone(data), t); err != nil {
			return 0, 0, err
		}
		took := used() - began
		if n == 0 || took < cpu {
			cpu = took
		}
		memory = max(memory, status(t, "VmHWM")-before)
		if took > 2*time.Second {
			break
		}
	}
	return cpu, memory, nil
}

// used returns the CPU time of the process: libvips' threads do most of the work.
func used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
