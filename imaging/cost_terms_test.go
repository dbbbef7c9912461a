package imaging

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// text returns the amounts by name, to three digits.
func (t terms) text() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if name != "job" || t[name] != 1 {
			list = append(list, fmt.Sprintf("%s %.3g", name, t[name]))
		}
	}
	return strings.Join(list, ", ")
}

// TestCostTerms holds what is counted of a job: megapixels, megabytes, thousands of pixels of a row, frames. Every job has
// one term more, "job".
func TestCostTerms(t *testing.T) {
	jpeg := Header{Format: JPEG, Width: 2000, Height: 1000, Pages: 1, Bands: 3, Bytes: 3e6}
	clear := Header{Format: PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 4, Alpha: true, Bytes: 1e6}
	grey := Header{Format: PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 2, Bytes: 1e6}
	moving := Header{Format: GIF, Width: 1000, Height: 100, Pages: 10, Bands: 4, Alpha: true, Bytes: 1e6}
	webp := Header{Format: WebP, Width: 1000, Height: 1000, Pages: 1, Bands: 3, Bytes: -1}
	with := func(h Header, change func(*Header)) Header { change(&h); return h }
	for _, c := range []struct {
		path        string
		h           Header
		cpu, memory string
	}{
		{"filters:raw()", jpeg, "", "bytes 6"},
		{"", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 2", "bytes 3, read.jpeg 2, strip 2, write.jpeg 2"},
		{"", with(jpeg, func(h *Header) { h.Bands = 0 }), "bytes.jpeg 3, read.jpeg 2, write.jpeg 2", "bytes 3, read.jpeg 2, strip 2, write.jpeg 2"},
		{"500x250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.125", "bytes 3, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *Header) { h.Bands = 4 }), "bytes.jpeg 3, cmyk 0.5, read.jpeg 2, resize 0.5, write.jpeg 0.125", "bytes 3, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *Header) { h.Whole = true }), "bytes.jpeg 3, read.jpeg 2, resize 0.5, whole.jpeg 2, write.jpeg 0.125", "bytes 3, strip 2, whole.jpeg 6, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *Header) { h.Orientation = 3 }), "bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.125", "bytes 3, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *Header) { h.Orientation = 6 }), "bytes.jpeg 3, read.jpeg 2, resize 2, turn 2, write.jpeg 0.125", "bytes 3, held 6, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"-500x250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, turn 0.5, write.jpeg 0.125", "bytes 3, held 1.5, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"500x-250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, turn 0.5, write.jpeg 0.125", "bytes 3, held 1.5, read.jpeg 2, strip 2, write.jpeg 0.125"},
		{"filters:orient(90)", jpeg, "bytes.jpeg 3, read.jpeg 2, turn 2, write.jpeg 2", "bytes 3, held 6, read.jpeg 2, strip 2, write.jpeg 2"},
		{"2000x2000", clear, "alpha 1, bytes.png 1, enlarge 4, read.png 1, resize 1, write.png 4", "bytes 1, read.png 1, strip 1, write.png 4"},
		{"500x500", grey, "alpha 1, bytes.png 1, read.png 1, resize 1, write.png 0.25", "bytes 1, read.png 1, strip 1, write.png 0.25"},
		{"500x500", with(clear, func(h *Header) { h.Bands, h.Alpha = 4, false }), "bytes.png 1, read.png 1, resize 1, write.png 0.25", "bytes 1, read.png 1, strip 1, write.png 0.25"},
		{"trim/500x500", clear, "alpha 1, bytes.png 1, read.png 1, resize 1, trim 1, write.png 0.25", "bytes 1, held 4, read.png 1, strip 1, write.png 0.25"},
		{"500x1000/smart", clear, "bytes.png 1, read.png 1, smart 1, write.png 0.5", "bytes 1, held 4, read.png 1, strip 1, write.png 0.5"},
		{"500x500", webp, "read.webp 1, resize 1, write.webp 0.25", "read.webp 3, strip 1, write.webp 0.25"},
		{"filters:format(webp)", moving, "bytes.gif 1, frames 10, read.gif 1, write.webp 1", "bytes 1, frames 1, scaled 4, strip 1, write.webp 1"},
		{"500x50", moving, "alpha 1, bytes.gif 1, frames 10, read.gif 1, resize 1, write.thorough.gif 0.25", "bytes 1, frames 1, quantizer 1, scaled 1, strip 1, write.thorough.gif 0.25"},
		{"500x50", with(moving, func(h *Header) { h.Pages = 1 }), "alpha 0.1, bytes.gif 1, read.gif 0.1, resize 0.1, write.thorough.gif 0.025", "bytes 1, quantizer 1, read.gif 0.1, strip 1, write.thorough.gif 0.025"},
		{"filters:blur(3)", clear, "blur 1, bytes.png 1, read.png 1, write.png 1", "bytes 1, filter 4, read.png 1, strip 1, write.png 1"},
		{"filters:blur(0.1)", clear, "bytes.png 1, read.png 1, write.png 1", "bytes 1, read.png 1, strip 1, write.png 1"},
		{"filters:sharpen(3):brightness(20)", clear, "bytes.png 1, heavy 1, light 1, read.png 1, write.png 1", "bytes 1, filter 4, read.png 1, strip 1, write.png 1"},
		{"filters:equalize():crop(0,0,100,100)", clear, "bytes.png 1, light 1, read.png 1, write.png 0.01", "bytes 1, read.png 1, strip 1, write.png 0.01"},
		{"filters:grayscale():padding(red,1000,0,0,0):pixelate(9)", clear, "bytes.png 1, heavy 2, light 3, read.png 1, write.png 2", "bytes 1, filter 8, read.png 1, strip 1, write.png 2"},
		{"filters:image(200x100/logo)", jpeg, "alpha 0.0008, bytes.jpeg 3, enlarge 0.02, layer 2, read.jpeg 2, read.png 0.0008, resize 0.0008, write.jpeg 2", "bytes 3, layer 8.08, read.jpeg 2, read.png 0.0008, strip 2.04, write.jpeg 2"},
		{"filters:image(trim/logo)", jpeg, "bytes.jpeg 3, layer 2, read.jpeg 2, read.png 0.0008, trim 0.0008, write.jpeg 2", "bytes 3, held 0.0032, layer 8, read.jpeg 2, read.png 0.0008, strip 2.04, write.jpeg 2"},
		{"filters:image(missing)", jpeg, "bytes.jpeg 3, layer 2, read.jpeg 2, write.jpeg 2", "bytes 3, layer 8, read.jpeg 2, strip 2, write.jpeg 2"},
		{"filters:image(anim):format(webp)", jpeg, "bytes.jpeg 3, frames 3, layer 6, read.gif 0.0027, read.jpeg 2, write.webp 6", "bytes 3, frames 0.0027, layer 24, read.jpeg 2, scaled 0.0108, strip 2.03, write.webp 6"},
		{"filters:format(webp):lossless()", jpeg, "bytes.jpeg 3, read.jpeg 2, write.lossless.webp 2", "bytes 3, read.jpeg 2, strip 2, write.lossless.webp 2"},
		{"filters:max_bytes(1000)", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 8", "bytes 3, read.jpeg 2, strip 2, write.jpeg 2"},
		{"filters:max_bytes(1000)", clear, "bytes.png 1, read.png 1, write.png 1", "bytes 1, read.png 1, strip 1, write.png 1"},
		{"filters:quality(auto)", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 3.8", "bytes 3, read.jpeg 2, strip 2, write.jpeg 2"},
		{"300x300/filters:quality(auto)", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.63", "bytes 3, read.jpeg 2, strip 2, write.jpeg 0.09"},
		{"filters:format(best)", clear, "bytes.png 1, read.png 1, write.png 1", "bytes 1, read.png 1, strip 1, write.png 1"},
	} {
		p, err := planOf(t, c.path, c.h, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		cpu, memory := p.terms()
		if cpu["job"] != 1 || memory["job"] != 1 || cpu.text() != c.cpu || memory.text() != c.memory {
			t.Errorf("%s of %+v:\n{%q, %q}", c.path, c.h, cpu.text(), memory.text())
		}
	}
}

func TestCostOfMeta(t *testing.T) {
	h := Header{Format: JPEG, Width: 2000, Height: 1000, Pages: 1, Bands: 3, Bytes: 3e6}
	for path, pixels := range map[string]bool{"500x250": false, "trim": true, "filters:palette()": true, "filters:trim()": true, "filters:blur(1)": false} {
		r, err := Parse("unsafe/meta/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(h, r.Operations, DefaultLimits(), PlanOptions{Writable: allFormats, Describe: true})
		if err != nil {
			t.Fatal(err)
		}
		cpu, memory := p.terms()
		if cpu["read.jpeg"] > 0 != pixels || memory["strip"] > 0 != pixels || cpu["write.jpeg"] > 0 || memory["write.jpeg"] > 0 {
			t.Errorf("%s decodes: %v, expected %v; nothing is encoded: %v, %v", path, cpu["read.jpeg"] > 0, pixels, cpu, memory)
		}
	}
}

// TestMetaIsStrictAboutPalette holds that in /meta a wrong argument of palette() is an error, as of every filter that describes.
func TestMetaIsStrictAboutPalette(t *testing.T) {
	h := Header{Format: JPEG, Width: 200, Height: 100, Pages: 1, Bands: 3}
	for filters, fails := range map[Filters]bool{"palette(x)": true, "blur(x)": false, "palette()": false} {
		for _, describe := range []bool{true, false} {
			_, err := NewPlan(h, Operations{Filters: filters}, DefaultLimits(), PlanOptions{Writable: allFormats, Describe: describe})
			if (err != nil) != (fails && describe) || err != nil && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%s, /meta %v: %v", filters, describe, err)
			}
		}
	}
}

func TestCostOfLinearScaling(t *testing.T) {
	limits := DefaultLimits()
	limits.Linear = true
	h := Header{Format: PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 3}
	for path, want := range map[string]float64{"500x500": 1, "": 0} {
		p, err := planOf(t, path, h, limits)
		if err != nil {
			t.Fatal(err)
		}
		if cpu, _ := p.terms(); cpu["linear"] != want {
			t.Errorf("%q: %v", path, cpu)
		}
	}
}

// TestCostIsSumOfTerms holds the units of a cost.
func TestCostIsSumOfTerms(t *testing.T) {
	p, err := planOf(t, "filters:raw()", Header{Format: JPEG, Width: 10, Height: 10, Pages: 1, Bands: 3, Bytes: 10e6}, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	c := p.Cost()
	if ms, mb := c.CPU.Seconds()*1000, float64(c.Memory)/1e6; fmt.Sprintf("%.3f", ms) != fmt.Sprintf("%.3f", cpuRates["job"]) || fmt.Sprintf("%.3f", mb) != fmt.Sprintf("%.3f", memoryRates["job"]+20*memoryRates["bytes"]) {
		t.Errorf("%.3f ms and %.3f MB", ms, mb)
	}
}
