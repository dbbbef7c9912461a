package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// layered processes main with pictures to lay over it.
func layered(
	t *testing.T,
	e *Engine,
	path string,
	main []byte,
	layers map[string][]byte,
	limits imaging.Limits,
) (*imaging.Result, error) {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/main")
	if err != nil {
		t.Fatal(err)
	}
	src := imaging.Source{
		Name:   "main",
		Size:   int64(len(main)),
		Reader: bytes.NewReader(main),
		Layers: map[string]imaging.Source{},
	}
	for name, data := range layers {
		src.Layers[name] = imaging.Source{Name: name, Size: int64(len(data)), Reader: bytes.NewReader(data)}
	}
	return e.Process(t.Context(), src, r.Operations, limits)
}

func at(img stdimage.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

func near(a, b color.NRGBA, within int) bool {
	d := func(x, y uint8) bool { return int(x)-int(y) <= within && int(y)-int(x) <= within }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B) && d(a.A, b.A)
}

var (
	base  = color.NRGBA{200, 100, 40, 255}
	cover = color.NRGBA{60, 180, 220, 255}
)

// TestBlendModes compares the modes with the formulas of W3C Compositing and Blending Level 1.
func TestBlendModes(t *testing.T) {
	e := open(t)
	hard := func(b, s float64) float64 {
		if s <= .5 {
			return 2 * b * s
		}
		return 2*b + 2*s - 2*b*s - 1
	}
	formulas := map[string]func(b, s float64) float64{
		"normal":      func(_, s float64) float64 { return s },
		"multiply":    func(b, s float64) float64 { return b * s },
		"screen":      func(b, s float64) float64 { return b + s - b*s },
		"overlay":     func(b, s float64) float64 { return hard(s, b) },
		"darken":      math.Min,
		"lighten":     math.Max,
		"color-dodge": func(b, s float64) float64 { return math.Min(1, b/(1-s)) },
		"color-burn":  func(b, s float64) float64 { return 1 - math.Min(1, (1-b)/s) },
		"hard-light":  hard,
		"soft-light": func(b, s float64) float64 {
			if s <= .5 {
				return b - (1-2*s)*b*(1-b)
			}
			d := math.Sqrt(b)
			if b <= .25 {
				d = ((16*b-12)*b + 4) * b
			}
			return b + (2*s-1)*(d-b)
		},
		"difference": func(b, s float64) float64 { return math.Abs(b - s) },
		"exclusion":  func(b, s float64) float64 { return b + s - 2*b*s },
		"add":        func(b, s float64) float64 { return math.Min(1, b+s) },
		"unheard-of": func(_, s float64) float64 { return s },
	}
	main, over := pngOf(t, flat(20, 20, base)), pngOf(t, flat(8, 8, cover))
	for mode, f := range formulas {
		r, err := layered(
			t, e, "filters:image(over,4,6,0,"+mode+")", main, map[string][]byte{"over": over},
			imaging.DefaultLimits(),
		)
		if err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		mix := func(b, s uint8) uint8 { return uint8(math.Round(255 * f(float64(b)/255, float64(s)/255))) }
		want := color.NRGBA{mix(base.R, cover.R), mix(base.G, cover.G), mix(base.B, cover.B), 255}
		img := decoded(t, r.Data)
		if got := at(img, 8, 10); !near(got, want, 2) {
			t.Errorf("%s: %v, expected %v", mode, got, want)
		}
		for _, p := range [][2]int{{3, 10}, {12, 10}, {8, 5}, {8, 14}} {
			if got := at(img, p[0], p[1]); got != base {
				t.Errorf("%s: outside the layer at %v: %v", mode, p, got)
			}
		}
	}
}

func TestMasks(t *testing.T) {
	e := open(t)
	main, over := pngOf(t, flat(20, 20, base)), map[string][]byte{"over": pngOf(t, flat(10, 20, cover))}
	for filter, want := range map[string][2]uint8{ // alpha at the left and at the right
		"image(over,0,0,0,mask)": {255, 0}, "image(over,0,0,0,mask-out)": {0, 255}, "image(over,50,0,0,mask)": {0, 0},
		"image(over,0,0,40,mask)": {153, 0}, "image(over,50,0,0,mask-out)": {255, 255},
	} {
		r, err := layered(t, e, "filters:"+filter, main, over, imaging.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		img := decoded(t, r.Data)
		if l, r := at(img, 4, 10).A, at(img, 15, 10).A; l != want[0] || r != want[1] {
			t.Errorf("%s: alpha %d and %d, expected %d", filter, l, r, want)
		}
	}
}

// TestPlaces finds the layer, of 10 x 6 on 100 x 80, by the box around the changed pixels.
func TestPlaces(t *testing.T) {
	e := open(t)
	main, over := pngOf(t, flat(100, 80, base)), map[string][]byte{"over": pngOf(t, flat(10, 6, cover))}
	for filter, want := range map[string]stdimage.Rectangle{
		"image(over)":                    stdimage.Rect(0, 0, 10, 6),
		"image(over,5,7)":                stdimage.Rect(5, 7, 15, 13),
		"image(over,-5,-7)":              stdimage.Rect(85, 67, 95, 73),
		"image(over,20p,-10p)":           stdimage.Rect(20, 66, 30, 72),
		"image(over,0.5,0.25)":           stdimage.Rect(50, 20, 60, 26),
		"image(over,center,center)":      stdimage.Rect(45, 37, 55, 43),
		"image(over,right,bottom)":       stdimage.Rect(90, 74, 100, 80),
		"image(over,left,top)":           stdimage.Rect(0, 0, 10, 6),
		"image(over,left-4,t-2)":         stdimage.Rect(0, 0, 6, 4),
		"image(over,r-4,b-2)":            stdimage.Rect(94, 76, 100, 80),
		"image(over,repeat,10)":          stdimage.Rect(0, 10, 100, 16),
		"image(over,30,repeat)":          stdimage.Rect(30, 0, 40, 80),
		"image(over,repeat,repeat)":      stdimage.Rect(0, 0, 100, 80),
		"image(over,200,0)":              {},
		"watermark(over,-10,-10,0,50)":   stdimage.Rect(40, 40, 90, 70),
		"watermark(over,0,0,0,none,50)":  stdimage.Rect(0, 0, 67, 40),
		"watermark(over,0,0,0,50,10)":    stdimage.Rect(0, 0, 13, 8),
		"watermark(20x12/over,0,0,0,10)": stdimage.Rect(0, 0, 10, 6),
		"image(fxf-30/over,0,0)":         stdimage.Rect(0, 0, 100, 50),
		"image(f-20x/over,center,0)":     stdimage.Rect(10, 0, 90, 48),
		"image(30x20/color:red,1,1)":     stdimage.Rect(1, 1, 31, 21),
	} {
		r, err := layered(t, e, "filters:"+filter, main, over, imaging.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		img, box := decoded(t, r.Data), stdimage.Rectangle{}
		for y := range 80 {
			for x := range 100 {
				if at(img, x, y) != base {
					box = box.Union(stdimage.Rect(x, y, x+1, y+1))
				}
			}
		}
		if box != want {
			t.Errorf("%s: %v, expected %v", filter, box, want)
		}
	}
}

// TestNested lays a layer with a layer and filters of its own.
func TestNested(t *testing.T) {
	e := open(t)
	layers := map[string][]byte{
		"a": pngOf(t, flat(50, 50, cover)),
		"b": pngOf(t, flat(10, 10, color.NRGBA{0, 0, 0, 255})),
	}
	r, err := layered(
		t, e, "filters:image(20x20/filters:image(fx0/filters:invert()/b,0,0):rotate(90)/a,10,10,50)",
		pngOf(t, flat(60, 60, base)), layers, imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	img, want := decoded(t, r.Data), color.NRGBA{228, 178, 148, 255}
	if got := at(img, 20, 20); !near(got, want, 2) || at(img, 9, 20) != base || at(img, 31, 20) != base {
		t.Errorf("the middle is %v, expected half white over the base, %v", got, want)
	}
}

// TestLayersMove lays still and moving pictures over still and moving ones.
func TestLayersMove(t *testing.T) {
	e := open(t)
	moving, still := animation(t, 40, 40, 4), pngOf(t, flat(10, 10, color.NRGBA{255, 0, 255, 255}))
	for _, c := range []struct {
		path       string
		main, over []byte
		pages      int
	}{
		{"filters:image(over,5,5)", moving, still, 4},
		{"filters:image(over,5,5):format(webp)", moving, animation(t, 10, 10, 3), 4},
		{"filters:image(over,5,5):format(webp)", still, moving, 4},
		{"filters:image(over,5,5):format(webp):max_frames(2)", still, moving, 2},
		{"filters:image(over,5,5):format(png)", still, moving, 1},
		{"filters:text(moving,1,1,sans-8)", moving, still, 4},
		{"20x20/filters:image(over,2,2):blur(2):rotate(90)", moving, still, 4},
	} {
		r, err := layered(t, e, c.path, c.main, map[string][]byte{"over": c.over}, imaging.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		info, err := e.Info(
			t.Context(), imaging.Source{Name: "r", Size: int64(len(r.Data)), Reader: bytes.NewReader(r.Data)},
			imaging.InfoRequest{}, imaging.DefaultLimits(),
		)
		if err != nil || r.Pages != c.pages || info.Pages != c.pages {
			t.Errorf("%s: %d pages, in the file %d, expected %d, %v", c.path, r.Pages, info.Pages, c.pages, err)
		}
	}
}

func TestLayerErrors(t *testing.T) {
	e := open(t)
	main := pngOf(t, flat(20, 20, base))
	few := imaging.DefaultLimits()
	few.MaxLayers, few.MaxDepth, few.MaxResultPixels = 2, 1, 100_000
	for path, want := range map[string]fault.Code{
		"filters:image(missing,0,0)":                                   fault.NotFound,
		"filters:image(..%2Fsecret,0,0)":                               fault.Invalid,
		"filters:image(bad,0,0)":                                       fault.UnsupportedType,
		"filters:image(cut,0,0)":                                       fault.CorruptImage,
		"filters:text(a):text(b):text(c)":                              fault.TooLarge,
		"filters:image(filters:image(color:red)/main2,0,0)":            fault.TooLarge,
		"filters:image(9000x9000/color:red,0,0)":                       fault.TooLarge,
		"filters:text(x,0,0,sans-5000)":                                fault.TooLarge,
		"filters:text(" + strings.Repeat("x", 2000) + ",0,0,sans-300)": fault.TooLarge,
		"filters:text(" + strings.Repeat("x", 6000) + ",0,0,sans-3)":   fault.TooLarge,
		"filters:image(color:auto,0,0)":                                fault.Invalid,
	} {
		layers := map[string][]byte{"bad": []byte("no picture"), "cut": main[:20], "main2": main}
		r, err := layered(t, e, path, main, layers, few)
		if fault.CodeOf(err) != want {
			t.Errorf("%.60s: %v, %v, expected %s", path, r != nil, err, want)
		}
	}
}

// TestText looks for ink where it belongs, in its colour.
func TestText(t *testing.T) {
	e := open(t)
	main := pngOf(t, flat(300, 200, color.NRGBA{255, 255, 255, 255}))
	ink := func(path string) (box stdimage.Rectangle, darkest color.NRGBA) {
		t.Helper()
		r, err := layered(t, e, path, main, nil, imaging.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return box, darkest
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: %v", path, r.Warnings)
		}
		img := decoded(t, r.Data)
		darkest = color.NRGBA{255, 255, 255, 255}
		for y := range 200 {
			for x := range 300 {
				c := at(img, x, y)
				if c.R < 250 || c.G < 250 || c.B < 250 {
					box = box.Union(stdimage.Rect(x, y, x+1, y+1))
				}
				if int(c.R)+int(c.G)+int(c.B) < int(darkest.R)+int(darkest.G)+int(darkest.B) {
					darkest = c
				}
			}
		}
		return box, darkest
	}
	small, _ := ink("filters:text(Hello,20,30,sans-20)")
	large, dark := ink("filters:text(Hello,20,30,sans-bold-40,red)")
	if small.Min.X < 20 || small.Min.Y < 30 || small.Dx() < 30 || large.Dx() < 3*small.Dx()/2 {
		t.Errorf("20 points lie at %v, 40 bold ones at %v", small, large)
	}
	if !near(dark, color.NRGBA{255, 0, 0, 255}, 6) {
		t.Errorf("red text is %v", dark)
	}
	if _, faint := ink("filters:text(Hello,20,30,sans-40,black,60)"); faint.R < 140 || faint.R > 165 {
		t.Errorf("text of alpha 60 is %v, expected about 153", faint)
	}
	one, _ := ink("filters:text(aaa%20bbb%20ccc%20ddd,0,0,sans-20)")
	wrapped, _ := ink("filters:text(aaa%20bbb%20ccc%20ddd,0,0,sans-20,black,0,normal,80)")
	percent, _ := ink("filters:text(aaa%20bbb%20ccc%20ddd,0,0,sans-20,black,0,normal,f-220)")
	if wrapped.Dx() > 80 || wrapped.Dy() < 2*one.Dy() || percent != wrapped {
		t.Errorf("one line %v, wrapped %v, by f-220 %v", one, wrapped, percent)
	}
	low, _ := ink("filters:text(aaaaaa%20bb,0,0,sans-20,black,0,normal,95)")
	high, _ := ink("filters:text(aaaaaa%20bb,0,0,sans-20,black,0,normal,95,high)")
	if low.Dy() != high.Dy() || low.Dy() < 30 || high.Dx() < low.Dx() {
		t.Errorf("aligned low %v, high %v", low, high)
	}
	seen := map[string]string{}
	for _, more := range []string{"low", "centre", "high", "low,true", "low,false,char", "low,false,none",
		"low,false,word,40", "low,false,word,0,50"} {
		r, err := layered(
			t, e, "filters:text(aaaaaa%20bb%20ccccccccccccc,0,0,sans-20,black,0,normal,95,"+more+")", main,
			nil, imaging.DefaultLimits(),
		)
		if err != nil {
			t.Fatal(more, err)
		}
		if other, same := seen[string(r.Data)]; same {
			t.Errorf("%s looks like %s", more, other)
		}
		seen[string(r.Data)] = more
	}
	markup, _ := ink("filters:text(" + imaging.EncodeText("<b>&amp;</b> \x01\"'") + ",0,0,sans-20)")
	letter, _ := ink("filters:text(b64:YQ,0,0,sans-20)")
	if markup.Dx() < 5*letter.Dx() {
		t.Errorf("markup is drawn over %v: its characters should be seen", markup)
	}
	label, _ := ink("filters:label(Hello%0Athere,10,10,30,blue)")
	if label.Dy() > 45 || label.Dx() < 100 {
		t.Errorf("the label lies at %v, expected one line", label)
	}
	if bottom, _ := ink("filters:label(Hello,right,bottom,30)"); bottom.Max.X < 298 || bottom.Max.Y < 198 {
		t.Errorf("the label at the corner lies at %v", bottom)
	}
}
