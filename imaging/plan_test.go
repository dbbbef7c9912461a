package imaging

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

var allFormats = []Format{JPEG, PNG, WebP, GIF, AVIF, TIFF, JXL, JP2}

func planOf(t testing.TB, path string, h Header, l Limits) (Plan, error) {
	t.Helper()
	r, err := Parse("unsafe/" + path + "/x")
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return NewPlan(h, r.Operations, l, PlanOptions{Writable: allFormats, Layers: map[string]Header{
		"logo": {Format: PNG, Width: 40, Height: 20, Pages: 1, Bands: 4, Alpha: true},
		"anim": {Format: GIF, Width: 30, Height: 30, Pages: 3, Bands: 4, Alpha: true},
	}})
}

func TestPlanSizes(t *testing.T) {
	for path, want := range map[string]Shape{
		"":                                   {800, 600, 1, false},
		"300x":                               {300, 225, 1, false},
		"x300":                               {400, 300, 1, false},
		"200x200":                            {200, 200, 1, false},
		"1000x900":                           {1000, 900, 1, false},
		"1000x900/filters:no_upscale()":      {800, 600, 1, false},
		"stretch/100x500":                    {100, 500, 1, false},
		"100x500/filters:stretch()":          {100, 500, 1, false},
		"fit-in/200x200":                     {200, 150, 1, false},
		"fit-in/2000x2000":                   {800, 600, 1, false},
		"fit-in/2000x2000/filters:upscale()": {2000, 1500, 1, false},
		"full-fit-in/200x200":                {267, 200, 1, false},
		"adaptive-fit-in/200x400":            {267, 200, 1, false},
		"10x10:311x211/fit-in/30x30":         {30, 20, 1, false},
		"0.5x0.5:1x1":                        {400, 300, 1, false},
		"filters:rotate(90)":                 {600, 800, 1, false},
		"filters:proportion(50):padding(red,1,2)":       {402, 304, 1, false},
		"filters:crop(10,20,100,50)":                    {100, 50, 1, false},
		"fit-in/400x400/5x6/filters:fill(red)":          {410, 412, 1, false},
		"filters:round_corner(9):format(png)":           {800, 600, 1, true},
		"filters:round_corner(9)":                       {800, 600, 1, false},
		"filters:image(anim):format(webp)":              {800, 600, 3, false},
		"filters:image(anim,900,0):format(webp)":        {800, 600, 1, false},
		"filters:image(anim):max_frames(2):format(gif)": {800, 600, 2, false},
		"filters:image(anim)":                           {800, 600, 1, false},
		"filters:image(logo,0,0,0,mask):format(png)":    {800, 600, 1, true},
		"filters:orient(90)":                            {600, 800, 1, false},
	} {
		p, err := planOf(t, path, Header{Format: JPEG, Width: 800, Height: 600, Pages: 1, Bands: 3}, DefaultLimits())
		if err != nil || p.Result != want || p.Pending != "" {
			t.Errorf("%s: %+v, %v, expected %+v", path, p.Result, err, want)
		}
	}
}

func TestPlanLoads(t *testing.T) {
	turned := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Orientation: 6}
	for _, c := range []struct {
		path string
		h    Header
		want Load
	}{
		{"300x", turned, Load{0, 1, 4, 1, 1, 0, 1000, 750}},
		{"1200x", turned, Load{0, 1, 1, 1, 1, 0, 4000, 3000}},
		{"trim/300x", turned, Load{0, 1, 1, 1, 1, 0, 4000, 3000}},
		{"0x0:1000x1000/300x", turned, Load{0, 1, 2, 1, 1, 0, 2000, 1500}},
		{"100x", Header{Format: PNG, Width: 801, Height: 400, Pages: 1}, Load{0, 1, 1, 1, 1, 0, 801, 400}},
		{"50x/filters:preview()", Header{Format: PNG, Width: 801, Height: 400, Pages: 1},
			Load{0, 1, 1, 1, 8, 0, 101, 50}},
		{"50x/filters:preview()", Header{Format: PNG, Width: 801, Height: 400, Pages: 1, Alpha: true, Depth: 16},
			Load{0, 1, 1, 1, 1, 0, 801, 400}},
		{"100x", Header{Format: WebP, Width: 800, Height: 400, Pages: 1}, Load{0, 1, 1, 0.25, 1, 0, 200, 100}},
		{"100x", Header{Format: WebP, Width: 800, Height: 400, Pages: 9}, Load{0, 9, 1, 1, 1, 0, 800, 400}},
		{"filters:page(7)", Header{Format: GIF, Width: 8, Height: 4, Pages: 5}, Load{4, 1, 1, 1, 1, 0, 8, 4}},
		{"filters:format(png)", Header{Format: GIF, Width: 8, Height: 4, Pages: 5}, Load{0, 1, 1, 1, 1, 0, 8, 4}},
		{"filters:max_frames(3)", Header{Format: GIF, Width: 8, Height: 4, Pages: 5}, Load{0, 3, 1, 1, 1, 0, 8, 4}},
		{"200x/filters:dpi(144)", Header{Format: SVG, Width: 100, Height: 50, Pages: 1},
			Load{0, 1, 1, 2, 1, 144, 200, 100}},
	} {
		p, err := planOf(t, c.path, c.h, DefaultLimits())
		if err != nil || p.Load != c.want {
			t.Errorf("%s of %s: %+v, %v, expected %+v", c.path, c.h.Format, p.Load, err, c.want)
		}
	}
}

// TestPlanRefuses checks that limits are checked before anything is decoded, whatever the numbers.
func TestPlanRefuses(t *testing.T) {
	jpeg := Header{Format: JPEG, Width: 100, Height: 10_000, Pages: 1, Bands: 3}
	gif := Header{Format: GIF, Width: 10, Height: 10, Pages: 3000, Bands: 4}
	few := DefaultLimits()
	few.MaxFrames = 10
	for _, c := range []struct {
		path   string
		h      Header
		limits Limits
		want   string
	}{
		{"1000000000x", jpeg, DefaultLimits(), "a side can have at most 16383"},
		{"1000000000x", jpeg, Limits{}, "a side can have at most 10000000"},
		{"1000000000x/filters:format(png)", Header{Format: PNG, Width: 1, Height: 1 << 31, Pages: 1}, Limits{},
			"a side can have at most"},
		{"16383x16383", jpeg, DefaultLimits(), "at most 50000000 pixels"},
		{"", Header{Format: PNG, Width: 1 << 31, Height: 1 << 31, Pages: 1}, DefaultLimits(),
			"2147483648x2147483648 pixels; at most 100000000 pixels"},
		{"", Header{Format: GIF, Width: 1 << 31, Height: 1 << 31, Pages: 1 << 31}, Limits{MaxSourcePixels: 1 << 62},
			"pixels are allowed"},
		{"", gif, DefaultLimits(), "3000 frames; at most 1000"},
		{"", Header{Format: GIF, Width: 10, Height: 10, Pages: 4097, Bands: 4}, DefaultLimits(),
			"more than 4096 frames; at most 1000"}, // libvips counts no further
		{"", Header{Format: GIF, Width: 1000, Height: 1000, Pages: 4097, Bands: 4}, Limits{MaxSourcePixels: 1e8},
			"1000x1000 pixels in more than 4096 frames; at most"},
		{"", Header{Format: WebP, Width: 10, Height: 10, Pages: 5000, Bands: 4}, DefaultLimits(),
			"5000 frames; at most 1000"},
		{"filters:page(11)", gif, few, "11 frames; at most 10"}, // the decoder goes through those before
		{"filters:padding(red,2147483647)", jpeg, Limits{}, "a side can have at most"},
		{"fit-in/10x10/1000000000x1000000000/filters:fill(red)", jpeg, Limits{}, "a side can have at most"},
		{"10x2000000/filters:format(png)", Header{Format: PNG, Width: 20000, Height: 1, Pages: 1}, Limits{},
			"before it is cut"},
		{"filters:image(9000x9000/color:red)", jpeg, DefaultLimits(), "at most 50000000 pixels"},
		{"filters:watermark(9000x1/color:red,0,0,0,1000)", jpeg, Limits{MaxResultSide: 10_000}, ""},
		{"filters:watermark(100x1/color:red,0,0,0,none,1000)", jpeg, Limits{MaxResultSide: 20000},
			"a side can have at most 20000"},
		{"20000x10/filters:format(webp)", jpeg, Limits{}, "a side of a webp file can have at most 16383"},
		{"20000x10", Header{Format: WebP, Width: 100, Height: 100, Pages: 1}, Limits{}, ""}, // nobody asked for WebP
		{"10000x1000/filters:format(avif):lossless()", jpeg, Limits{}, ""},
		{"10000x3000/filters:format(avif):lossless()", jpeg, Limits{}, "as avif it can have at most 24000000 pixels"},
		{"filters:page(10)", gif, few, ""},
	} {
		_, err := planOf(t, c.path, c.h, c.limits)
		switch {
		case c.want == "" && err != nil,
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				fault.CodeOf(err) != fault.TooLarge):
			t.Errorf("%s of %dx%d: %v, expected %q", c.path, c.h.Width, c.h.Height, err, c.want)
		}
	}
}

// TestDescribedSizesHaveNoLimit says what a result would be that is too large to be made.
func TestDescribedSizesHaveNoLimit(t *testing.T) {
	h := Header{Format: JPEG, Width: 100, Height: 100, Pages: 1, Bands: 3}
	p, err := NewPlan(h, Operations{Width: 40_000}, DefaultLimits(), PlanOptions{Writable: allFormats, Describe: true})
	if err != nil || p.Result.Width != 40_000 || p.Result.Height != 40_000 {
		t.Errorf("%+v, %v", p.Result, err)
	}
}

// TestDescribedPixelsAreOfASmallerCopy looks at the pixels of what is too large to be made: at few of them, and it says
// the size of all.
func TestDescribedPixelsAreOfASmallerCopy(t *testing.T) {
	tight := DefaultLimits()
	tight.MaxResultSide, tight.MaxResultPixels = 100, 3000
	for _, c := range []struct {
		path   string
		h      Header
		limits Limits
		size   Size
		shrink int
		scaled Size
	}{
		{"filters:blurhash(4,3)", Header{Format: JPEG, Width: 9643, Height: 10328}, DefaultLimits(), Size{9643, 10328},
			4, Size{956, 1024}},
		{"filters:phash()", Header{Format: JPEG, Width: 8000, Height: 10000, Orientation: 6}, DefaultLimits(),
			Size{10000, 8000}, 4, Size{1024, 819}},
		{"filters:phash()", Header{Format: PNG, Width: 20000, Height: 3}, DefaultLimits(), Size{20000, 3}, 1,
			Size{1024, 1}},
		{"20000x20000/filters:avgcolor()", Header{Format: PNG, Width: 100, Height: 50}, DefaultLimits(),
			Size{20000, 20000}, 1, Size{2048, 1024}},
		{"0.1x0.1:0.9x0.9/filters:thumbhash()", Header{Format: JPEG, Width: 1000, Height: 500}, tight, Size{800, 400},
			4, Size{77, 38}},
		{"filters:dominant()", Header{Format: GIF, Width: 100, Height: 100, Pages: 3}, tight, Size{100, 100}, 1,
			Size{31, 31}},
		{"filters:dominant()", Header{Format: GIF, Width: 30, Height: 30, Pages: 3}, tight, Size{30, 30}, 1,
			Size{30, 30}},
	} {
		r, err := Parse("unsafe/" + c.path + "/a")
		if err != nil {
			t.Fatal(err)
		}
		c.h.Bands, c.h.Pages = 3, max(c.h.Pages, 1)
		p, err := NewPlan(c.h, r.Operations, c.limits, PlanOptions{Writable: allFormats, Describe: true})
		if err != nil || p.Result.Size() != c.size || p.Load.Shrink != c.shrink || p.Scaled != c.scaled {
			t.Errorf("%s of %+v: %v, result %v, shrink %d, scaled %v; expected %v, %d, %v",
				c.path, c.h, err, p.Result.Size(), p.Load.Shrink, p.Scaled, c.size, c.shrink, c.scaled)
		}
	}
	r, _ := Parse("unsafe/filters:blur(3):blurhash(4,3)/a") // a blur of 3 pixels is one of all pixels
	h := Header{Format: JPEG, Width: 9643, Height: 10328, Pages: 1, Bands: 3}
	if _, err := NewPlan(h, r.Operations, DefaultLimits(),
		PlanOptions{Writable: allFormats, Describe: true}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a filter that changes all pixels of a picture over the limits: %v, expected %s", err, fault.TooLarge)
	}
}

func TestPlanWaits(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	p, err := planOf(t, "trim/50x/filters:trim():rotate(90):padding(auto,5)", h, DefaultLimits())
	if err != nil || p.Pending != PendingTrim || p.Result != (Shape{}) || len(p.Filters) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if p, err = p.WithTrim(Rect{10, 10, 40, 20}); err != nil || p.Pending != PendingTrim || len(p.Filters) != 1 ||
		p.Scaled != (Size{50, 25}) {
		t.Fatalf("after the first trim: %+v, %v", p, err)
	}
	if p, err = p.WithTrim(Rect{0, 5, 50, 10}); err != nil || p.Pending != "" || p.Result != (Shape{20, 60, 1, false}) {
		t.Fatalf("after the second trim: %+v, %v", p.Result, err)
	}
	if s := p.Filters[2]; s.Pending != PendingColour || s.Rect != (Rect{5, 5, 10, 50}) {
		t.Errorf("the padding waits for its colour: %+v", s)
	}
	p, _ = planOf(t, "20x70/smart", h, DefaultLimits())
	if p.Window.Pending != PendingAttention || p.Result.Width != 20 {
		t.Errorf("%+v", p.Window)
	}
	if p = p.WithAttention(Point{7, 0}); p.Window != (Window{Rect: Rect{7, 0, 20, 70}}) {
		t.Errorf("%+v", p.Window)
	}
	whole, err := planOf(t, "trim/filters:trim()", h, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = whole.Assumed(); err != nil || whole.Result.Size() != (Size{100, 80}) {
		t.Errorf("%+v, %v", whole.Result, err)
	}
}

func TestLayerPlaces(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for filter, want := range map[string]Rect{
		"image(logo)":                        {0, 0, 40, 20},
		"image(logo,5,7)":                    {5, 7, 40, 20},
		"image(logo,-5,-7)":                  {55, 53, 40, 20},
		"image(logo,center,bottom)":          {30, 60, 40, 20},
		"image(logo,r-4,t-2)":                {64, 0, 36, 18},
		"image(logo,repeat,10)":              {0, 10, 100, 20},
		"image(f-20xf/logo,0,0)":             {0, 0, 80, 80},
		"image(filters:rotate(90)/logo,1,1)": {1, 1, 20, 40},
		"watermark(logo,-10,-10,0,50)":       {40, 45, 50, 25},
		"watermark(20x10/logo,0,0,0,50)":     {0, 0, 50, 25},
	} {
		p, err := planOf(t, "filters:"+filter, h, DefaultLimits())
		if err != nil || covered(p.Filters[0].Layer.Place) != want {
			t.Errorf("%s: %+v, %v, expected %v", filter, p.Filters, err, want)
		}
	}
	p, err := planOf(t, "filters:image(missing)", h, DefaultLimits())
	if err != nil || fault.CodeOf(p.Complete()) != fault.NotFound || p.Filters[0].Pending != PendingSize {
		t.Errorf("a missing layer: %v, %v", err, p.Complete())
	}
}

// stage is how far two plans of one source go together.
type stage int

const (
	sharesNothing stage = iota
	sharesDecoded       // the decoded picture is the same
	sharesPlaced        // and so is what is cut, scaled and mirrored of it, before the filters
)

func sharedBy(a, b Plan) stage {
	switch {
	case a.Load != b.Load:
		return sharesNothing
	case a.PlacedKey() != b.PlacedKey():
		return sharesDecoded
	}
	return sharesPlaced
}

func TestPlansShare(t *testing.T) {
	h := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3}
	for _, c := range []struct {
		a, b string
		want stage
	}{
		{"300x", "300x/filters:blur(3)", sharesPlaced},
		{"300x", "300x225", sharesPlaced},
		{"300x", "310x", sharesDecoded},
		{"300x", "1200x", sharesNothing},
		{"300x/filters:saturation(3)", "300x/filters:contrast(4):quality(3)", sharesPlaced},
		{"300x", "300x/filters:contrast(4)", sharesDecoded}, // the profile goes
		{"trim/300x", "trim/300x/filters:blur(1)", sharesPlaced},
		{"trim/300x", "trim/200x", sharesDecoded},
		{"300x100/smart", "300x100", sharesDecoded},
		// of the same decoded pixels, but not the same part
		{"101x101:501x501/50x", "102x102:502x502/50x", sharesDecoded},
	} {
		a, err1 := planOf(t, c.a, h, DefaultLimits())
		b, err2 := planOf(t, c.b, h, DefaultLimits())
		if got := sharedBy(a, b); err1 != nil || err2 != nil || got != c.want {
			t.Errorf("%s and %s: %d, expected %d, %v %v", c.a, c.b, got, c.want, err1, err2)
		}
	}
}

// randomPath is some path, most of which make sense.
func randomPath(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	n := func(max int) int { return r.IntN(max) }
	path := ""
	add := func(s string) {
		if s != "" {
			path += s + "/"
		}
	}
	add(pick("", "", "", "trim", "trim:bottom-right:10"))
	if n(3) == 0 {
		add(
			pick(
				fmt.Sprintf("%dx%d:%dx%d", n(40), n(40), n(90), n(90)),
				fmt.Sprintf("0.%dx0.%d:0.%dx1", n(9), n(9), n(10)), "5x0:0x0",
			),
		)
	}
	add(pick("", "", "fit-in", "full-fit-in", "adaptive-fit-in", "stretch"))
	if n(4) > 0 {
		add(
			pick("", "-") + pick("", fmt.Sprint(n(200))) + "x" +
				pick("", "-") + pick("", fmt.Sprint(n(200)), fmt.Sprint(n(200))),
		)
		add(pick("", "", fmt.Sprintf("%dx%d", n(9), n(9)), fmt.Sprintf("%dx%d:%dx%d", n(9), n(9), n(9), n(9))))
	}
	add(pick("", "", "left", "right"))
	add(pick("", "", "top", "bottom"))
	add(pick("", "", "", "smart"))
	var filters []string
	for range n(5) {
		filters = append(filters, pick(
			fmt.Sprintf(
				"rotate(%s)",
				pick("0", "90", "180", "270"),
			),
			fmt.Sprintf("orient(%s)", pick("90", "180", "270")),
			fmt.Sprintf(
				"proportion(%d)",
				n(101),
			),
			fmt.Sprintf("padding(%s,%d,%d)", pick("red", "none", "auto", "ff000080"), n(20), n(20)),
			fmt.Sprintf(
				"crop(%d,%d,%d,%d)", n(50), n(50), n(80), n(80),
			),
			fmt.Sprintf("crop(0.%d,0.1,0.%d,0.6)", n(9), n(9)),
			"trim()",
			"fill("+pick("auto", "blue", "none", "blur", "00000040")+")",
			fmt.Sprintf("round_corner(%d,%d,%s)", n(30), n(30), pick("none", "red", "auto")),
			"background_color("+pick("red", "auto", "none")+")",
			"upscale()",
			"no_upscale()",
			"stretch()",
			fmt.Sprintf("focal(%dx%d:%dx%d)", n(20), n(20), 21+n(40), 21+n(40)),
			"grayscale()",
			"brightness(20)",
			fmt.Sprintf("page(%d)", 1+n(4)),
			fmt.Sprintf("max_frames(%d)", 1+n(4)),
			fmt.Sprintf("pixelate(%d)", n(20)),
			fmt.Sprintf(
				"image(%s,%s,%s,%d,%s)",
				pick(
					"logo", "anim", "20x20/logo", "fxf-10/anim", "filters:rotate(90):trim()/logo",
					"color:red", "30x30/color:ff000080",
				),
				pick(
					"0", "-5", "center", "repeat", "right", "200", "0.5",
				),
				pick("0", "7", "bottom", "repeat", "t-15"),
				n(100),
				pick("normal", "multiply", "mask", "mask-out"),
			),
			fmt.Sprintf(
				"watermark(%s,%d,%d,10,%s,%s)", pick("logo", "30x/logo", "anim"), n(60)-30, n(60)-30,
				pick("none", "50", "20"), pick("none", "30"),
			),
			fmt.Sprintf("text(Hi,%d,%d,sans-%d)", n(40), n(40), 1+n(30)),
			"strip_icc()",
			"quality(50)",
			"preview()",
		))
	}
	if n(2) == 0 {
		filters = append(filters, "format("+pick("jpeg", "png", "webp", "gif")+")")
	}
	if len(filters) > 0 {
		add("filters:" + strings.Join(filters, ":"))
	}
	return strings.TrimSuffix(path, "/")
}

func randomHeader(r *rand.Rand) Header {
	h := Header{
		Format:      allFormats[r.IntN(4)],
		Width:       1 + r.IntN(300),
		Height:      1 + r.IntN(300),
		Pages:       1,
		Bands:       3 + r.IntN(2),
		Orientation: r.IntN(9),
		Depth:       8,
	}
	h.Alpha = h.Bands == 4 && h.Format != JPEG
	if h.Format == GIF || h.Format == WebP && r.IntN(2) == 0 {
		h.Pages = 1 + r.IntN(5)
	}
	if r.IntN(10) == 0 {
		h.Width, h.Height = r.IntN(1<<31), r.IntN(1<<31)
	}
	return h
}

// TestRandomPlans plans 100,000 random paths of random headers, 2,000 with -short: no plan breaks the limits, loses a
// pixel between two steps or changes on the way through JSON and gob.
func TestRandomPlans(t *testing.T) {
	paths := 100_000
	if testing.Short() {
		paths = 2000
	}
	r := rand.New(rand.NewPCG(10, 21))
	limits := DefaultLimits()
	planned := 0
	for n := range paths {
		path, h := randomPath(r), randomHeader(r)
		if n%3 == 0 {
			limits.MaxResultSide, limits.MaxResultPixels = 500, 100_000
		} else {
			limits = DefaultLimits()
		}
		p, err := planOf(t, path, h, limits)
		for err == nil && p.Pending == PendingTrim {
			p, err = p.WithTrim(Rect{0, 0, 1 + r.IntN(3), 1 + r.IntN(3)})
		}
		if err != nil {
			if c := fault.CodeOf(err); c != fault.TooLarge {
				t.Fatalf("%s of %+v: %v", path, h, err)
			}
			continue
		}
		planned++
		if problem := brokenPlan(p, limits); problem != "" {
			t.Fatalf("%s of %+v: %s", path, h, problem)
		}
		if again, err := p.Request.Plan(); err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%s of %+v: another plan the second time", path, h)
		}
		if n%50 == 0 {
			roundTrips(t, p)
		}
	}
	if planned < paths*6/10 {
		t.Errorf("only %d of %d paths could be planned", planned, paths)
	}
}

// brokenPlan says what is wrong with a plan.
func brokenPlan(p Plan, l Limits) string {
	in := func(r Rect, s Size) bool {
		return r == Rect{} ||
			r.Left >= 0 && r.Top >= 0 && r.Width > 0 && r.Height > 0 && r.Left+r.Width <= s.Width &&
				r.Top+r.Height <= s.Height
	}
	turned := Size{p.Load.Width, p.Load.Height}.turned(p.Turn.Degrees + p.Turn.Orient)
	switch {
	case p.Result.Width < 1 || p.Result.Height < 1 || p.Result.Frames < 1:
		return fmt.Sprintf("the result is %+v", p.Result)
	case p.Result.Width > l.MaxResultSide || p.Result.Height > l.MaxResultSide ||
		p.Result.Pixels() > l.MaxResultPixels || p.Result.Frames > l.MaxFrames:
		return fmt.Sprintf("the result %+v is over the limits", p.Result)
	case Product(p.Load.Width, p.Load.Height, p.Load.Frames) > l.MaxSourcePixels:
		return fmt.Sprintf("%+v is decoded", p.Load)
	case p.Trim == nil && !in(p.Crop, turned) || !in(p.Window.Rect, p.Scaled):
		return fmt.Sprintf("crop %v of %v, window %v of %v", p.Crop, turned, p.Window.Rect, p.Scaled)
	}
	before := p.Scaled
	if p.Window.Rect != (Rect{}) {
		before = Size{p.Window.Rect.Width, p.Window.Rect.Height}
	}
	for n, s := range p.Filters {
		if s.Before.Size() != before || s.After.Width < 1 || s.After.Height < 1 {
			return fmt.Sprintf("step %d goes from %+v, expected %+v, to %+v", n, s.Before, before, s.After)
		}
		if l := s.Layer; l != nil && l.Width > 0 && !l.Place.Seen.Empty() && !in(covered(l.Place), before) {
			return fmt.Sprintf("the layer of step %d lies at %+v of %+v", n, l.Place, before)
		}
		before = s.After.Size()
	}
	if before != p.Result.Size() {
		return fmt.Sprintf("the last step leaves %v of %+v", before, p.Result)
	}
	return ""
}

// roundTrips checks that a plan can be sent to another process.
func roundTrips(t *testing.T, p Plan) {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fromJSON, fromGob Plan
	if err := json.Unmarshal(text, &fromJSON); err != nil || !reflect.DeepEqual(fromJSON, p) {
		t.Fatalf("JSON makes another plan, %v:\n%s", err, text)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(&fromGob); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(fromGob) // gob makes no difference between empty and nil
	if err != nil || !bytes.Equal(again, text) {
		t.Fatalf("gob makes another plan, %v:\n%s\n%s", err, again, text)
	}
}

func BenchmarkPlan(b *testing.B) {
	h := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3}
	for _, path := range []string{"300x200", "fit-in/800x600/5x5/filters:fill(red):blur(3):rotate(90):quality(70)",
		"filters:image(fxf/filters:blur(2)/logo,center,center):text(Hello,1,1)"} {
		r, err := Parse("unsafe/" + path + "/x")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewPlan(h, r.Operations, DefaultLimits(),
					PlanOptions{Writable: allFormats, Layers: map[string]Header{"logo": h}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGray holds which results have one channel: those of gray sources and grayscale() that no filter tints.
func TestGray(t *testing.T) {
	gray := Header{Format: PNG, Width: 80, Height: 60, Pages: 1, Bands: 1, Depth: 8}
	for filters, want := range map[string]bool{
		"": true, "brightness(20)": true, "saturation(50)": true, "hue(90)": true, "vibrance(40)": true,
		"invert()":             true,
		"curve(64,20,128,140)": true, "curve(r,64,20,128,140)": false, "white_balance(3000)": false,
		"rgb(9,0,0)":                      false,
		"white_balance(3000):grayscale()": true, "text(Hi,0,0)": false, "fill(red)": false,
		"fill(888888)": true, "round_corner(9,9,red)": false, "white_balance(6500)": true,
	} {
		p, err := planOf(t, "filters:"+filters+":format(png)", gray, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Encode[0].Gray; got != want {
			t.Errorf("%q: one channel is %v, expected %v", filters, got, want)
		}
	}
}

// covered returns the area of the parent that a layer covers.
func covered(p Placement) Rect { return Rect{p.Left, p.Top, p.Seen.Width, p.Seen.Height} }
