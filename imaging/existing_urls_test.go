package imaging_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	. "github.com/safelight/safelight/imaging"
)

// TestExistingURLs holds what URLs of thumbor and imagor mean here, and that they are written back as what they mean.
func TestExistingURLs(t *testing.T) {
	for _, c := range []struct {
		path string
		want Request
	}{
		{"unsafe/debug/300x200/a.jpg", Request{Unsafe: true,
			Image: "a.jpg", Operations: Operations{Width: 300, Height: 200}}},
		{"unsafe/debug/meta/a.jpg", Request{Unsafe: true, Meta: true, Image: "a.jpg"}},
		{"unsafe/debug/debug/a.jpg", Request{Unsafe: true, Image: "debug/a.jpg"}},
		{"unsafe/300xorig/a.jpg", Request{Unsafe: true,
			Image: "a.jpg", Operations: Operations{Width: 300, HeightOriginal: true}}},
		{"unsafe/fit-in/-origx200/a.jpg", Request{
			Unsafe: true, Image: "a.jpg", Operations: Operations{
				Fit: Fit{In: true}, WidthOriginal: true, Height: 200, HFlip: true}}},
		{"unsafe/origxorig/3x4/a.jpg", Request{Unsafe: true,
			Image: "a.jpg", Operations: Operations{WidthOriginal: true, HeightOriginal: true,
				PaddingLeft: 3, PaddingTop: 4, PaddingRight: 3, PaddingBottom: 4}}},
		{"unsafe/original/a.jpg", Request{Unsafe: true, Image: "original/a.jpg"}},
		{"params/adaptive-full-fit-in/300x200/a.jpg", Request{Params: true, Image: "a.jpg",
			Operations: Operations{Fit: Fit{In: true, Adaptive: true, Full: true}, Width: 300, Height: 200}}},
		{"params/00000000300x00000200/a.jpg", Request{
			Params: true, Image: "a.jpg", Operations: Operations{Width: 300, Height: 200}}},
		{"params/adaptive-full-fit-inn/a.jpg", Request{Params: true, Hash: "adaptive-full-fit-inn", Image: "a.jpg"}},
	} {
		got, err := Parse(c.path)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q)\n got %+v, %v\nwant %+v", c.path, got, err, c.want)
		}
		if again, err := Parse(got.Path()); err != nil || again != got {
			t.Errorf("Parse(%q) of %q = %+v, %v", got.Path(), c.path, again, err)
		}
	}
}

// TestFocalSeparators checks that any of x, : and , separates the numbers of focal().
func TestFocalSeparators(t *testing.T) {
	for args, want := range map[string]Region{
		"150:150":          {Left: 150, Top: 150, Right: 150, Bottom: 150, Point: true},
		"150x150":          {Left: 150, Top: 150, Right: 150, Bottom: 150, Point: true},
		"0.5:0.25":         {Left: .5, Top: .25, Right: .5, Bottom: .25, Point: true, Fraction: true},
		"589,401,1000,814": {Left: 589, Top: 401, Right: 1000, Bottom: 814},
		"589:401:1000:814": {Left: 589, Top: 401, Right: 1000, Bottom: 814},
		"589x401,1000x814": {Left: 589, Top: 401, Right: 1000, Bottom: 814},
		"589x401:1000x814": {Left: 589, Top: 401, Right: 1000, Bottom: 814},
		"0, 0, 1, 1":       {Right: 1, Bottom: 1, Fraction: true},
	} {
		calls, warnings, err := Filters("focal(" + args + ")").Calls(true)
		if err != nil || len(warnings) > 0 || len(calls) != 1 || calls[0].Arg("region").Region != want {
			t.Errorf("focal(%s): %+v, %v, %v, expected %+v", args, calls, warnings, err, want)
		}
	}
	for _, args := range []string{"1", "1,2,3", "1,2,3,4,5", "5,5,1,1", "a,b", "1,,2", "-1,3"} {
		if _, _, err := Filters("focal(" + args + ")").Calls(true); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("focal(%s): %v, expected %s", args, err, fault.Invalid)
		}
	}
}

// TestHidingFiltersAreNeverSkipped checks that a picture is not shown whole where the URL hides a part of it.
func TestHidingFiltersAreNeverSkipped(t *testing.T) {
	for _, filters := range []Filters{"redact(10,10,50,50)", "blur(2):redact_oval(0.1,0.1,0.2,0.2,blur)"} {
		if _, _, err := filters.Calls(false); fault.CodeOf(err) != fault.Invalid ||
			!strings.Contains(fault.Of(err).Message, "redact") {
			t.Errorf("%s: %v, expected %s that names it", filters, err, fault.Invalid)
		}
	}
	layered := Operations{Filters: "image(/filters:redact(1,1,2,2)/a.jpg,0,0)"}
	if _, err := Layers(layered, DefaultLimits()); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("in a layer: %v, expected %s", err, fault.Invalid)
	}
}

// TestPlannedSizes holds the sizes that existing URLs get.
func TestPlannedSizes(t *testing.T) {
	for _, c := range []struct {
		source Size
		path   string
		want   Size
	}{
		{Size{202, 259}, "full-fit-in/500x400", Size{500, 641}},
		{Size{202, 259}, "full-fit-in/500x400/filters:no_upscale()", Size{202, 259}},
		{Size{202, 259}, "adaptive-full-fit-in/518x404", Size{404, 518}},
		{Size{202, 259}, "fit-in/500x400", Size{202, 259}},
		{Size{800, 600}, "300xorig", Size{300, 600}},
		{Size{800, 600}, "origx200", Size{800, 200}},
		{Size{800, 600}, "fit-in/origx300", Size{400, 300}},
		{Size{800, 600}, "10x10:110x60/origx20", Size{100, 20}},
		{Size{800, 600}, "stretch/origx20", Size{800, 20}},
		{Size{800, 600}, "origxorig", Size{800, 600}},
		{Size{80, 60}, "80x60/3x9:12x6/filters:fill(red)", Size{95, 75}},
		{Size{80, 60}, "80x60/3x9:12x6/filters:rotate(90):fill(red)", Size{75, 95}},
		{Size{80, 60}, "80x60/3x9:12x6/filters:rotate(270):rotate(90):fill(red)", Size{95, 75}},
		{Size{80, 60}, "80x60/3x9:12x6/filters:rotate(180):fill(red)", Size{95, 75}},
	} {
		r, err := Parse("unsafe/" + c.path + "/a.jpg")
		if err != nil {
			t.Fatal(err)
		}
		h := Header{
			Format:      PNG,
			Width:       c.source.Width,
			Height:      c.source.Height,
			Pages:       1,
			Bands:       3,
			Depth:       8,
			Orientation: 1,
		}
		p, err := NewPlan(h, r.Operations, DefaultLimits(), PlanOptions{Writable: []Format{PNG}})
		if err != nil || p.Result.Size() != c.want {
			t.Errorf("%s of %v: %v, %v, expected %v", c.path, c.source, p.Result.Size(), err, c.want)
		}
	}
}

// TestExplainTurns holds what /params says of turns to the direction they have.
func TestExplainTurns(t *testing.T) {
	r, err := Parse("unsafe/300xorig/filters:orient(90):rotate(270)/a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Rotate counter-clockwise by 90 degrees before all other operations",
		"Rotate counter-clockwise by 270 degrees after resizing",
		"Fill 300 x its own, cropping to the middle center"} {
		if lines := r.Explain(); !slices.Contains(lines, want) {
			t.Errorf("%q is missing from %q", want, lines)
		}
	}
}

// TestLimitIsNamed checks that a result over a limit names that limit.
func TestLimitIsNamed(t *testing.T) {
	h := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Depth: 8, Orientation: 1}
	for path, want := range map[string]string{
		"99999x99999":               "a side can have at most 16383",
		"fit-in/99999x99999":        "", // not enlarged
		"full-fit-in/99999x99999":   "a side can have at most 16383",
		"10000x10000":               "at most 50000000 pixels",
		"9000x9000/filters:blur(9)": "at most 50000000 pixels",
	} {
		r, err := Parse("unsafe/" + path + "/a.jpg")
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewPlan(h, r.Operations, DefaultLimits(), PlanOptions{Writable: []Format{JPEG}})
		if want == "" && err != nil ||
			want != "" && (fault.CodeOf(err) != fault.TooLarge || !strings.Contains(fault.Of(err).Message, want)) {
			t.Errorf("%s: %v, expected %q", path, err, want)
		}
	}
}
