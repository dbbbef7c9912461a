package vips

import (
	stdimage "image"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

// heavyPaths are the steps that change pixels, with arguments at which they take much memory, and some of them in a
// row.
var heavyPaths = []string{
	"filters:background_color(auto)", "filters:blur(1)", "filters:blur(15)", "filters:blur(60)",
	"filters:brightness(10)", "filters:contrast(10)",
	"filters:curve(64,40,192,215)", "filters:exposure(1)", "filters:highlights(-50)", "filters:shadows(50)",
	"filters:vibrance(40)", "filters:white_balance(5000,9)",
	"filters:exposure(1):curve(r,64,40):vibrance(40)",
	"filters:crop(10,10,300,200)",
	"fit-in/4100x4100/filters:fill(red)", "fit-in/4100x1000/filters:fill(blur)", "filters:fill(auto)",
	"filters:grayscale()", "filters:hue(40)", "filters:invert()",
	"filters:image(fit-in/300x300/color:red,10,10,50)", "filters:image(/400x300/color:red,0,0,50,overlay)",
	"filters:image(/100x100/color:red,repeat,repeat,50)",
	"filters:label(Hello,10,10,200,red)", "filters:modulate(10,20,30)", "filters:padding(ff000080,100)",
	"filters:padding(none,100)", "filters:pixelate(9)", "filters:proportion(50)",
	"filters:rgb(10,20,30)", "filters:rotate(90)", "filters:rotate(180)", "filters:round_corner(90)",
	"filters:round_corner(90,50,red)", "filters:saturation(20)",
	"filters:sharpen(0.5)", "filters:sharpen(2)", "filters:sharpen(10)",
	"filters:text(Hello,10,10,sans%20100,red,50,overlay)", "filters:trim(5)",
	"filters:watermark(/100x100/color:red,repeat,repeat,50)", "filters:straighten(7)", "filters:orient(90)",
	"filters:to_colorspace(p3)", "filters:to_colorspace(cmyk)",
	"-0x0", "0x-0", "trim", "300x300/smart", "stretch/2000x700", "fit-in/200x200",
	"filters:blur(4):sharpen(2):saturation(20)", "filters:sharpen(2):grayscale()",
	"filters:sharpen(1):blur(4):rotate(90)",
	"fit-in/300x300/filters:sharpen(1):saturation(20)",
}

// TestHeavyPaths checks that there is one for each filter that changes pixels.
func TestHeavyPaths(t *testing.T) {
	all := strings.Join(heavyPaths, " ")
	for _, f := range imaging.FilterTable() {
		if f.Step != "" && !strings.Contains(all, f.Name+"(") {
			t.Errorf("no path has %s", f.Name)
		}
	}
}

// TestMemoryOfFilters checks that no estimate of memory is below what is allocated: of each filter over a picture with
// transparency, large and small, and of JPEGs that are scaled as they are decoded, at extreme sides.
func TestMemoryOfFilters(t *testing.T) {
	count := countingAllocations(t)
	if count == nil {
		return
	}
	m := allocationMeter{studio: goldenStudio{engine: open(t)}, count: count}
	for name, size := range map[string][2]int{"large": {3000, 500}, "small": {400, 300}} {
		data := pngOf(t, clouds(size[0], size[1]))
		for n, path := range heavyPaths {
			if !leftOut(n) {
				m.holds(t, name, data, path, 1)
			}
		}
	}
	sources := map[string][2]int{"wide": {16000, 120}, "high": {120, 16000}, "photo": {2400, 1800}}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		data := jpegOf(t, photograph(sources[name][0], sources[name][1]))
		for n, path := range []string{"fit-in/1000x1000", "fit-in/100x100", "fit-in/2000x2000/filters:format(webp)",
			"fit-in/300x300/filters:format(png)", "stretch/900x30", "filters:proportion(60)"} {
			if !leftOut(n) {
				m.holds(t, name, data, path, 2)
			}
		}
		m.holdsShared(t, name, data)
	}
}

// clouds is a photograph with transparency that changes.
func clouds(width, height int) *stdimage.NRGBA {
	img := photograph(width, height)
	for n := 3; n < len(img.Pix); n += 4 {
		img.Pix[n] = uint8(min(255, n%8000/16))
	}
	return img
}

// holds compares the job with its estimate.
func (m allocationMeter) holds(t *testing.T, name string, data []byte, path string, threads int) {
	t.Helper()
	if !strings.Contains(path, "format(") {
		path += map[bool]string{true: ":format(jpeg)",
			false: "/filters:format(jpeg)"}[strings.Contains(path, "filters:")]
	}
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil {
		t.Fatal(err)
	}
	limits := imaging.DefaultLimits()
	limits.Timeout, limits.Threads = 0, threads
	p, err := planned(t, m.studio.engine, sourceOf(data), r.Operations, limits)
	if err != nil {
		t.Errorf("%s %s: %v", name, path, err)
		return
	}
	m.below(t, name+" "+path, cost.Of(p).Memory-int64(len(data)), func() error {
		_, err := m.studio.engine.Process(t.Context(), sourceOf(data), r.Operations, limits)
		return err
	})
}

// below fails the test if a job allocates more than the estimate.
func (m allocationMeter) below(t *testing.T, what string, estimate int64, run func() error) {
	t.Helper()
	var peak int64
	// The first run fills caches, too, and buffers that wait for each other's threads make a run differ.
	for n := 0; n == 0 || n < 6 && peak > estimate; n++ {
		before := m.count[0]
		m.count[1] = before
		if err := run(); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		peak = m.count[1] - before
	}
	if testing.Verbose() {
		t.Logf("%s: %.1f of %.1f MB", what, float64(peak)/1e6, float64(estimate)/1e6)
	}
	if peak > estimate {
		t.Errorf("%s: estimated at %.3f MB, took %.3f MB", what, float64(estimate)/1e6, float64(peak)/1e6)
	}
}

// holdsShared is holds for one decode at three scales.
func (m allocationMeter) holdsShared(t *testing.T, name string, data []byte) {
	t.Helper()
	var loads []imaging.Load
	limits := imaging.DefaultLimits()
	h, err := m.studio.engine.Survey(t.Context(), sourceOf(data), limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, shrink := range []int{2, 4, 8} {
		up := func(n int) int { return (n + shrink - 1) / shrink }
		loads = append(
			loads,
			imaging.Load{Frames: 1, Shrink: shrink, Scale: 1, Box: 1, Width: up(h.Width), Height: up(h.Height)},
		)
	}
	var estimate int64
	m.studio.engine.planned = func(c imaging.Cost) { estimate = c.Memory }
	defer func() { m.studio.engine.planned = nil }()
	decode := func() error {
		list, err := m.studio.engine.Decode(t.Context(), sourceOf(data), loads, limits)
		for _, p := range list {
			p.Free()
		}
		return err
	}
	if err := decode(); err != nil {
		t.Errorf("%s decoded at three scales: %v", name, err)
		return
	}
	m.below(t, name+" decoded at three scales", estimate-int64(len(data)), decode)
}
