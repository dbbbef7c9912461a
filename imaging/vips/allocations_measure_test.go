package vips

import (
	"bytes"
	"encoding/csv"
	"fmt"
	stdimage "image"
	"image/draw"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// allocationsFile is the environment variable that testdata/allocations.c reads; it is set in the process that
// measures.
const allocationsFile = "SAFELIGHT_ALLOCATIONS"

// largePaths are what is done to the largest sources, in place of measuredPaths.
var largePaths = []string{
	"200x200", "fit-in/600x600/filters:format(jpeg)", "fit-in/1200x1200/filters:format(webp)",
	"fit-in/800x800/filters:blur(5):format(jpeg)",
	"trim/fit-in/400x400/filters:format(jpeg)", "-300x300/filters:format(jpeg)", "filters:format(jpeg)",
	"filters:proportion(50):format(png)",
}

// previewPath is what most files are decoded whole for, and made smaller by averaging boxes of their pixels.
const previewPath = "fit-in/300x300/filters:preview():format(jpeg)"

// TestMeasureAllocations rewrites imaging/cost/testdata/allocations.csv: the peak of all blocks that the C library
// hands out while each golden, and each of a matrix of jobs, is made by one thread. It runs some minutes, and only
// where SAFELIGHT_MEASURE is set. The test starts itself again under a counting allocator that it compiles. Buffers
// that wait for each other's threads make two runs of one job differ, so the median of several runs counts.
func TestMeasureAllocations(t *testing.T) {
	if os.Getenv("SAFELIGHT_MEASURE") == "" {
		t.Skip("SAFELIGHT_MEASURE is not set")
	}
	if count := countingAllocations(t); count != nil {
		measureAllocations(t, count)
	}
}

// countingAllocations starts the test again under a counting allocator that it compiles, and returns nil; there, it
// returns the bytes that are allocated, and their peak, which may be set.
func countingAllocations(t *testing.T) *[2]int64 {
	t.Helper()
	if name := os.Getenv(allocationsFile); name != "" {
		shared, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		page, err := syscall.Mmap(int(shared.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		return (*[2]int64)(unsafe.Pointer(&page[0]))
	}
	folder := t.TempDir()
	library, shared := filepath.Join(folder, "allocations.so"), filepath.Join(folder, "count")
	if out, err := exec.CommandContext(t.Context(), "cc", "-O2", "-shared", "-fPIC", "-o", library,
		"testdata/allocations.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(shared, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=0", "-test.v",
		fmt.Sprint("-test.short=", testing.Short()))
	again.Env = append(os.Environ(), allocationsFile+"="+shared, "LD_PRELOAD="+library)
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	if err := again.Run(); err != nil {
		t.Fatal(err)
	}
	return nil
}

// allocationMeter measures jobs and writes a row for each.
type allocationMeter struct {
	studio goldenStudio
	count  *[2]int64 // bytes that are allocated, and their peak
	rows   *csv.Writer
}

func measureAllocations(t *testing.T, count *[2]int64) {
	out, err := os.Create(filepath.Join("..", "cost", "testdata", "allocations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	m := allocationMeter{newGoldenStudio(t), count, csv.NewWriter(out)}
	defer m.rows.Flush()
	_ = m.rows.Write([]string{
		"group",
		"source",
		"format",
		"width",
		"height",
		"pages",
		"bands",
		"bytes",
		"alpha",
		"depth",
		"orientation",
		"whole",
		"path",
		"allocated",
	})
	m.layers(t)
	for _, c := range goldenCases() {
		if !strings.Contains(c.path, "raw()") {
			m.job(t, "golden", c.source, c.path, 16, func() imaging.Source {
				src, err := m.studio.source(c.source)
				if err != nil {
					t.Fatal(err)
				}
				return src
			})
		}
	}
	sources := allocationSources(t, m.studio.engine)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		paths, runs := append(slices.Clone(measuredPaths), previewPath), 4
		switch {
		case strings.HasPrefix(name, "moving"):
			paths = movingPaths
		case strings.HasPrefix(name, "12mp"):
			paths, runs = append(slices.Clone(largePaths), previewPath), 3
		}
		for _, path := range paths {
			m.job(t, "matrix", name, path, runs, func() imaging.Source { return sourceOf(sources[name]) })
		}
	}
}

// layers writes the headers of the sources of layers.
func (m allocationMeter) layers(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(m.studio.sources)) {
		h, err := m.studio.engine.Survey(t.Context(), sourceOf(m.studio.sources[name]), imaging.DefaultLimits())
		if err == nil {
			m.write("layer", name, h, "", 0)
		}
	}
}

// job measures one job; the first run, which fills caches, does not count.
func (m allocationMeter) job(t *testing.T, group, source, path string, runs int, open func() imaging.Source) {
	r, err := imaging.Parse("unsafe/" + path + "/" + source)
	if err != nil {
		t.Fatal(err)
	}
	limits := imaging.DefaultLimits()
	limits.AllowPDF, limits.Timeout = true, 0
	p, err := planned(t, m.studio.engine, open(), r.Operations, limits)
	if err != nil {
		t.Logf("%s %s: %v", source, path, err)
		return
	}
	var peaks []int64
	for n := range runs {
		src := open()
		before := m.count[0]
		m.count[1] = before
		if _, err := m.studio.engine.Process(t.Context(), src, r.Operations, limits); err != nil {
			t.Logf("%s %s: %v", source, path, err)
			return
		}
		if n > 0 {
			peaks = append(peaks, m.count[1]-before)
		}
	}
	slices.Sort(peaks)
	m.write(group, source, p.Request.Header, path, peaks[len(peaks)/2])
}

func (m allocationMeter) write(group, source string, h imaging.Header, path string, peak int64) {
	_ = m.rows.Write([]string{
		group,
		source,
		string(h.Format),
		strconv.Itoa(h.Width),
		strconv.Itoa(h.Height),
		strconv.Itoa(h.Pages),
		strconv.Itoa(h.Bands),
		strconv.FormatInt(
			h.Bytes,
			10,
		),
		strconv.FormatBool(h.Alpha),
		strconv.Itoa(h.Depth),
		strconv.Itoa(h.Orientation),
		strconv.FormatBool(h.Whole),
		path,
		strconv.FormatInt(peak, 10),
	})
}

// allocationSources returns photographs of three sizes in every format, and the kinds of files that decoders treat in
// ways of their own.
func allocationSources(t *testing.T, e *Engine) map[string][]byte {
	all := map[string][]byte{}
	for name, size := range map[string][2]int{"small": {640, 480}, "2mp": {1600, 1200}, "12mp": {4000, 3000}} {
		photo := jpegOf(t, photograph(size[0], size[1]))
		all[name+".jpg"] = photo
		for _, format := range []string{"png", "webp", "avif", "tiff", "jxl", "jp2", "gif"} {
			all[name+"."+format] = processed(e, "filters:format("+format+")", photo, t).Data
		}
	}
	clear := photograph(1600, 1200)
	for n := 3; n < len(clear.Pix); n += 4 {
		clear.Pix[n] = uint8(min(255, n%8000/16))
	}
	all["alpha.png"] = pngOf(t, clear)
	all["alpha.webp"] = processed(e, "filters:format(webp)", all["alpha.png"], t).Data
	all["moving.gif"] = animation(t, 400, 300, 12)
	all["moving.webp"] = processed(e, "filters:format(webp)", all["moving.gif"], t).Data
	all["turned.jpg"] = withOrientation(all["2mp.jpg"], 6)
	all["cmyk.jpg"] = processed(e, "filters:to_colorspace(cmyk):format(jpeg)", all["2mp.jpg"], t).Data
	deep := stdimage.NewNRGBA64(clear.Rect)
	draw.Draw(deep, deep.Rect, clear, stdimage.Point{}, draw.Src)
	all["deep.png"] = pngOf(t, deep)
	for format, name := range map[imaging.Format]string{
		imaging.JPEG: "progressive.jpg", imaging.PNG: "interlaced.png"} {
		file := memorySource(bytes.Clone(all["2mp.jpg"]))
		img, err := file.load(loaderName(imaging.JPEG), "")
		if err != nil {
			t.Fatal(err)
		}
		if all[name], err = img.saveUntil(nil, format, "interlace=true"); err != nil {
			t.Fatal(err)
		}
		img.close()
		file.close()
	}
	return all
}
