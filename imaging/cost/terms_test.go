package cost

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

var allFormats = []imaging.Format{
	imaging.JPEG,
	imaging.PNG,
	imaging.WebP,
	imaging.GIF,
	imaging.AVIF,
	imaging.TIFF,
	imaging.JXL,
	imaging.JP2,
	imaging.HEIF,
}

func planOf(t testing.TB, path string, h imaging.Header, l imaging.Limits) (imaging.Plan, error) {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return imaging.NewPlan(
		h,
		r.Operations,
		l,
		imaging.PlanOptions{Writable: allFormats, Layers: map[string]imaging.Header{
			"logo": {Format: imaging.PNG, Width: 40, Height: 20, Pages: 1, Bands: 4, Alpha: true},
			"anim": {Format: imaging.GIF, Width: 30, Height: 30, Pages: 3, Bands: 4, Alpha: true},
			"scan": {Format: imaging.PNG, Width: 3000, Height: 3000, Pages: 1, Bands: 3, Bytes: 40e6},
		}},
	)
}

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

// TestCPUTerms holds what is counted of a job: megapixels, megabytes, frames. Every job has one term more, "job".
func TestCPUTerms(t *testing.T) {
	jpeg := imaging.Header{Format: imaging.JPEG, Width: 2000, Height: 1000, Pages: 1, Bands: 3, Bytes: 3e6}
	clear := imaging.Header{Format: imaging.PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 4, Alpha: true, Bytes: 1e6}
	grey := imaging.Header{Format: imaging.PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 2, Bytes: 1e6}
	moving := imaging.Header{
		Format: imaging.GIF,
		Width:  1000,
		Height: 100,
		Pages:  10,
		Bands:  4,
		Alpha:  true,
		Bytes:  1e6,
	}
	webp := imaging.Header{Format: imaging.WebP, Width: 1000, Height: 1000, Pages: 1, Bands: 3, Bytes: -1}
	with := func(h imaging.Header, change func(*imaging.Header)) imaging.Header { change(&h); return h }
	for _, c := range []struct {
		path string
		h    imaging.Header
		cpu  string
	}{
		{"", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 2"},
		{"", with(jpeg, func(h *imaging.Header) { h.Bands = 0 }), "bytes.jpeg 3, read.jpeg 2, write.jpeg 2"},
		{"500x250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *imaging.Header) { h.Bands = 4 }),
			"bytes.jpeg 3, cmyk 0.5, read.jpeg 2, resize 0.5, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *imaging.Header) { h.Whole = true }),
			"bytes.jpeg 3, read.jpeg 2, resize 0.5, whole.jpeg 2, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *imaging.Header) { h.Orientation = 3 }),
			"bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.125"},
		{"500x250", with(jpeg, func(h *imaging.Header) { h.Orientation = 6 }),
			"bytes.jpeg 3, read.jpeg 2, resize 2, turn 2, write.jpeg 0.125"},
		{"-500x250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, turn 0.5, write.jpeg 0.125"},
		{"500x-250", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, turn 0.5, write.jpeg 0.125"},
		{"filters:orient(90)", jpeg, "bytes.jpeg 3, read.jpeg 2, turn 2, write.jpeg 2"},
		{"2000x2000", clear, "bytes.png 1, enlarge 4, read.png 1, resize 1, write.large.png 4"},
		{"500x500", grey, "bytes.png 1, read.png 1, resize 1, write.png 0.25"},
		{"500x500", with(clear, func(h *imaging.Header) { h.Bands, h.Alpha = 4, false }),
			"bytes.png 1, read.png 1, resize 1, write.png 0.25"},
		{"trim/500x500", clear, "bytes.png 1, read.png 1, resize 1, write.png 0.25"},
		{"500x1000/smart", clear, "bytes.png 1, read.png 1, smart 1, write.png 0.5"},
		{"500x500", webp, "read.webp 1, resize 1, write.webp 0.25"},
		{"filters:format(webp)", moving, "bytes.gif 1, read.gif 1, write.webp 1"},
		{"500x50", moving, "bytes.gif 1, read.gif 1, resize 1, write.thorough.gif 0.25"},
		{"500x50", with(moving, func(h *imaging.Header) { h.Pages = 1 }),
			"bytes.gif 1, read.gif 0.1, resize 0.1, write.thorough.gif 0.025"},
		{"filters:blur(3)", clear, "blur 1, bytes.png 1, read.png 1, write.png 1"},
		{"filters:blur(0.1)", clear, "bytes.png 1, read.png 1, write.png 1"},
		{"filters:sharpen(3):brightness(20)", clear, "bytes.png 1, heavy 1, light 1, read.png 1, write.png 1"},
		{"filters:equalize():crop(0,0,100,100)", clear, "bytes.png 1, light 1, read.png 1, write.png 0.01"},
		{"filters:grayscale():padding(red,1000,0,0,0):pixelate(9)", clear,
			"bytes.png 1, heavy 2, light 3, read.png 1, write.png 2"},
		{"filters:image(200x100/logo)", jpeg, "bytes.jpeg 3, enlarge 0.02, layer 2, read.jpeg 2, read.png 0.0008, " +
			"resize 0.0008, write.jpeg 2"},
		{"filters:image(trim/logo)", jpeg, "bytes.jpeg 3, layer 2, read.jpeg 2, read.png 0.0008, write.jpeg 2"},
		{"filters:image(logo,0,0,0,normal,black,100)", jpeg,
			"around 0.0048, bytes.jpeg 3, layer 2, read.jpeg 2, read.png 0.0008, write.jpeg 2"},
		{"filters:image(missing)", jpeg, "bytes.jpeg 3, layer 2, read.jpeg 2, write.jpeg 2"},
		{"filters:image(anim):format(webp)", jpeg, "bytes.jpeg 3, layer 6, read.gif 0.0027, read.jpeg 2, write.webp 6"},
		{"filters:format(webp):lossless()", jpeg, "bytes.jpeg 3, read.jpeg 2, write.lossless.webp 2"},
		{"filters:max_bytes(1000)", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 8"},
		{"filters:max_bytes(1000)", clear, "bytes.png 1, read.png 1, write.png 1"},
		{"filters:quality(auto)", jpeg, "bytes.jpeg 3, read.jpeg 2, write.jpeg 3.8"},
		{"300x300/filters:quality(auto)", jpeg, "bytes.jpeg 3, read.jpeg 2, resize 0.5, write.jpeg 0.63"},
		{"filters:compression(0)", clear, "bytes.png 1, read.png 1, write.png 0.3"},
		{"filters:format(best)", clear, "bytes.png 1, read.png 1, write.png 1"},
	} {
		p, err := planOf(t, c.path, c.h, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.Assumed(); err != nil {
			t.Fatal(err)
		}
		if cpu := cpuTerms(p); cpu["job"] != 1 || cpu.text() != c.cpu {
			t.Errorf("%s of %+v: %q, expected %q", c.path, c.h, cpu.text(), c.cpu)
		}
	}
}

func TestCostOfMeta(t *testing.T) {
	h := imaging.Header{Format: imaging.JPEG, Width: 2000, Height: 1000, Pages: 1, Bands: 3, Bytes: 3e6}
	for path, pixels := range map[string]bool{"500x250": false, "trim": true, "filters:palette()": true,
		"filters:trim()": true, "filters:blur(1)": false} {
		r, err := imaging.Parse("unsafe/meta/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := imaging.NewPlan(
			h, r.Operations, imaging.DefaultLimits(),
			imaging.PlanOptions{Writable: allFormats, Describe: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.Assumed(); err != nil {
			t.Fatal(err)
		}
		cpu, memory := cpuTerms(p), terms{}
		for _, phase := range footprintOf(p, 0).ended {
			maps.Copy(memory, phase)
		}
		if cpu["read.jpeg"] > 0 != pixels || memory["bytes"] > 3e6 != pixels || cpu["write.jpeg"] > 0 ||
			memory["coefficients.jpeg"] > 0 {
			t.Errorf(
				"%s decodes: %v, expected %v; nothing is encoded: %v, %v", path, cpu["read.jpeg"] > 0, pixels,
				cpu, memory,
			)
		}
	}
}

// TestCostOfRaw holds the units of a cost, and that untouched bytes are held twice.
func TestCostOfRaw(t *testing.T) {
	p, err := planOf(
		t, "filters:raw()",
		imaging.Header{Format: imaging.JPEG, Width: 10, Height: 10, Pages: 1, Bands: 3, Bytes: 10e6},
		imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if c := Of(p); fmt.Sprintf("%.3f", c.CPU.Seconds()*1000) != fmt.Sprintf("%.3f", cpuRates["job"]) ||
		c.Memory != 28e6 {
		t.Errorf("%+v", c)
	}
}
