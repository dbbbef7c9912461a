package imaging

import (
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestStartOfLayers holds where a layer of 20 pixels starts on a side of 100.
func TestStartOfLayers(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "5": 5, "-5": 75, "-0.5": 30, "0.5": 50, "20p": 20, "-20p": 60, "left": 0, "left-7": -7, "left+7": 7,
		"right": 80, "right-7": 87, "center": 40, "center-7": 33,
		"left-7p": -7, "left+7p": 7, "right-7p": 87, "center-7p": 33, "center+7p": 47,
		"repeat": 0, "2.5": 3, "-2.5": 77, "200": 200,
	} {
		p, ok := ParsePosition(text, false)
		if got := startOf(p, 20, 100); !ok || got != want {
			t.Errorf("%s: %d, expected %d", text, got, want)
		}
	}
	for side, want := range map[int]int{20: 5, 30: 4, 33: 4, 34: 3, 100: 1, 101: 1, 1: 100} {
		if got := repeats(Position{Unit: UnitRepeat}, side, 100); got != want || repeats(Position{}, side, 100) != 1 {
			t.Errorf("%d pixels lie %d times on 100, expected %d", side, got, want)
		}
	}
}

// TestLayersOverEdges holds what is seen of a layer of 40x20 that leaves a parent of 100x80.
func TestLayersOverEdges(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want Placement
	}{
		{"0", "0", Placement{1, 1, Rect{0, 0, 40, 20}, 0, 0}},
		{"left-10", "top-5", Placement{1, 1, Rect{10, 5, 30, 15}, 0, 0}},
		{"right-10", "bottom-5", Placement{1, 1, Rect{0, 0, 30, 15}, 70, 65}},
		{"90", "70", Placement{1, 1, Rect{0, 0, 10, 10}, 90, 70}},
		{"repeat", "70", Placement{3, 1, Rect{0, 0, 100, 10}, 0, 70}},
		{"repeat", "repeat", Placement{3, 4, Rect{0, 0, 100, 80}, 0, 0}},
	} {
		x, _ := ParsePosition(c.x, false)
		y, _ := ParsePosition(c.y, true)
		l := LayerPlan{X: x, Y: y, Parent: Size{100, 80}}.WithSize(Size{40, 20})
		if l.Place != c.want || l.Width != 40 || l.Height != 20 {
			t.Errorf("%s, %s: %+v, expected %+v", c.x, c.y, l.Place, c.want)
		}
	}
}

func TestPlanLayers(t *testing.T) {
	opaque := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for path, want := range map[string]string{
		"filters:image(logo)":                                  "image to 100x80",
		"filters:image(logo,0,0,0,mask)":                       "image to 100x80 clear",
		"filters:image(logo,0,0,0,mask-out)":                   "image to 100x80 clear",
		"filters:image(logo,0,0,0,multiply)":                   "image to 100x80",
		"filters:image(logo,200,0,0,mask)":                     "image to 100x80 clear",
		"filters:image(logo,200,0,0,mask-out)":                 "image to 100x80",
		"filters:image(missing)":                               "image pending size to 100x80",
		"filters:image(trim/logo)":                             "image pending size to 100x80",
		"filters:image(anim):format(webp)":                     "image to 100x80 in 3 frames",
		"filters:image(anim,200,0):format(webp)":               "image to 100x80",
		"filters:image(anim):page(1):format(webp)":             "image to 100x80",
		"filters:image(anim):max_frames(2):format(webp)":       "image to 100x80 in 2 frames",
		"filters:image(filters:image(anim)/logo):format(webp)": "image to 100x80 in 3 frames",
		"filters:image(filters:image(missing)/logo)":           "image to 100x80",
		"filters:watermark(logo,0,0,0,50)":                     "watermark to 100x80",
		"filters:image(20x10/color:red,0,0)":                   "image to 100x80",
	} {
		p, err := planOf(t, path, opaque, DefaultLimits())
		if got := stepsOf(p); err != nil || got != want {
			t.Errorf("%s: %q, %v, expected %q", path, got, err, want)
		}
	}
}

// TestCanvasAlpha holds which canvases are transparent.
func TestCanvasAlpha(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for colour, alpha := range map[string]bool{"red": false, "ff000080": true, "none": true, "transparent": true,
		"ff0000ff": false} {
		p, err := planOf(t, "filters:image(20x10/color:"+colour+",0,0)", h, DefaultLimits())
		if err != nil || p.Filters[0].Layer.Plan.Result != (Shape{20, 10, 1, alpha}) {
			t.Errorf("%s: %+v, %v, expected alpha %v", colour, p.Filters, err, alpha)
		}
	}
}

func TestWatermarkRatios(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for ratios, want := range map[string]Size{
		"":           {40, 20},
		",none,none": {40, 20},
		",50":        {50, 25},
		",50,none":   {50, 25},
		",none,50":   {80, 40},
		",50,10":     {16, 8},
		",1000,none": {1000, 500},
		",1001,none": {40, 20}, // a warning
		",0,none":    {40, 20},
		",-5,none":   {40, 20},
		",x,none":    {40, 20},
		",0.5,none":  {1, 1},
	} {
		p, err := planOf(t, "filters:watermark(logo,0,0,0"+ratios+")", h, DefaultLimits())
		if l := p.Filters[0].Layer; err != nil || (Size{l.Width, l.Height}) != want {
			t.Errorf("%q: %dx%d, %v, expected %v", ratios, l.Width, l.Height, err, want)
		}
	}
	for layer, want := range map[string]Size{"20x/logo": {50, 25}, "x5/logo": {50, 25}, "20x20/logo": {50, 50},
		"logo": {50, 25}} {
		p, err := planOf(t, "filters:watermark("+layer+",0,0,0,50,none)", h, DefaultLimits())
		if l := p.Filters[0].Layer; err != nil || (Size{l.Width, l.Height}) != want ||
			(l.Bounds == Size{}) != (layer == "logo") {
			t.Errorf("%s: %dx%d in %v, %v, expected %v", layer, l.Width, l.Height, l.Bounds, err, want)
		}
	}
}

func TestMissingLayers(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for path, code := range map[string]fault.Code{
		"image(logo)": "", "text(x)": "", "text(x):image(missing)": fault.NotFound,
		"image(filters:image(missing)/logo)":            fault.NotFound,
		"image(filters:image(anim)/logo):brightness(5)": "", "image(5x5/color:red)": "",
	} {
		p, err := planOf(t, "filters:"+path, h, DefaultLimits())
		if err != nil || fault.CodeOf(p.Complete()) != code {
			t.Errorf("%s: %v, %v, expected %q", path, err, p.Complete(), code)
		}
	}
}
