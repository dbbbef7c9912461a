package vips

import (
	"testing"

	"github.com/safelight/safelight/imaging"
)

func TestLayout(t *testing.T) {
	fitIn := imaging.Fit{In: true}
	full := imaging.Fit{In: true, Full: true}
	adaptive := imaging.Fit{In: true, Adaptive: true}
	for name, c := range map[string]struct {
		width, height int
		ops           imaging.Operations
		grow          growth
		want          layout
	}{
		"natural":               {800, 600, imaging.Operations{}, growDefault, layout{800, 600, 800, 600}},
		"width only":            {800, 600, imaging.Operations{Width: 300}, growDefault, layout{300, 225, 300, 225}},
		"height only":           {800, 600, imaging.Operations{Height: 300}, growDefault, layout{400, 300, 400, 300}},
		"width only enlarges":   {80, 60, imaging.Operations{Width: 160}, growDefault, layout{160, 120, 160, 120}},
		"no_upscale":            {80, 60, imaging.Operations{Width: 160}, growNever, layout{80, 60, 80, 60}},
		"fill crops":            {800, 600, imaging.Operations{Width: 200, Height: 200}, growDefault, layout{267, 200, 200, 200}},
		"fill enlarges":         {80, 60, imaging.Operations{Width: 200, Height: 200}, growDefault, layout{267, 200, 200, 200}},
		"fill, no_upscale":      {80, 60, imaging.Operations{Width: 50, Height: 200}, growNever, layout{80, 60, 50, 60}},
		"stretch":               {800, 600, imaging.Operations{Width: 100, Height: 500, Stretch: true}, growDefault, layout{100, 500, 100, 500}},
		"stretch, no_upscale":   {80, 60, imaging.Operations{Width: 40, Height: 500, Stretch: true}, growNever, layout{40, 60, 40, 60}},
		"fit-in":                {800, 600, imaging.Operations{Width: 200, Height: 200, Fit: fitIn}, growDefault, layout{200, 150, 200, 150}},
		"fit-in never enlarges": {80, 60, imaging.Operations{Width: 200, Height: 200, Fit: fitIn}, growDefault, layout{80, 60, 80, 60}},
		"fit-in, upscale":       {80, 60, imaging.Operations{Width: 200, Height: 200, Fit: fitIn}, growAlways, layout{200, 150, 200, 150}},
		"fit-in, one side":      {800, 600, imaging.Operations{Height: 300, Fit: fitIn}, growDefault, layout{400, 300, 400, 300}},
		"full-fit-in":           {800, 600, imaging.Operations{Width: 200, Height: 200, Fit: full}, growDefault, layout{267, 200, 267, 200}},
		"adaptive turns":        {600, 800, imaging.Operations{Width: 400, Height: 200, Fit: adaptive}, growDefault, layout{200, 267, 200, 267}},
		"adaptive stays":        {800, 600, imaging.Operations{Width: 400, Height: 200, Fit: adaptive}, growDefault, layout{267, 200, 267, 200}},
		"never below a pixel":   {1000, 1, imaging.Operations{Width: 10}, growDefault, layout{10, 1, 10, 1}},
	} {
		if got := layoutOf(c.width, c.height, c.ops, c.grow); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestCropRegion(t *testing.T) {
	for name, c := range map[string]struct {
		ops  imaging.Operations
		want region
		ok   bool
	}{
		"none":      {imaging.Operations{}, region{}, false},
		"pixels":    {imaging.Operations{CropLeft: 10, CropTop: 20, CropRight: 110, CropBottom: 70}, region{10, 20, 100, 50}, true},
		"edge":      {imaging.Operations{CropLeft: 10, CropTop: 20}, region{10, 20, 390, 180}, true},
		"fractions": {imaging.Operations{CropLeft: 0.25, CropTop: 0.5, CropRight: 1, CropBottom: 0.75}, region{100, 100, 300, 50}, true},
		"clamped":   {imaging.Operations{CropLeft: 300, CropTop: 20, CropRight: 9000, CropBottom: 40}, region{300, 20, 100, 20}, true},
		"empty":     {imaging.Operations{CropLeft: 500, CropTop: 0, CropRight: 600, CropBottom: 10}, region{400, 0, 0, 10}, true},
	} {
		got, ok := cropRegion(c.ops, 400, 200)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %v, want %+v, %v", name, got, ok, c.want, c.ok)
		}
	}
}

func TestAlignmentAndFocus(t *testing.T) {
	if left, top := alignment(imaging.Operations{HAlign: imaging.HAlignRight, VAlign: imaging.VAlignTop}, 30, 50); left != 30 || top != 0 {
		t.Errorf("right, top: %d, %d", left, top)
	}
	if left, top := alignment(imaging.Operations{}, 30, 50); left != 15 || top != 25 {
		t.Errorf("centre: %d, %d", left, top)
	}
	for point, want := range map[float64]int{0: 0, 50: 30, 95: 60} {
		if got := around(point, 40, 100); got != want {
			t.Errorf("around(%g) = %d, want %d", point, got, want)
		}
	}
}
