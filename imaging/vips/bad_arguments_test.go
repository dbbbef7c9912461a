package vips

import (
	"bytes"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// skippedFilters has, for every filter that takes an argument, arguments with which it cannot be followed. One that
// takes none gets one too many, and is followed.
var skippedFilters = map[string][]string{
	"background_color": {
		"",
		"nocolour",
		"12",
	}, "bitdepth": {"", "3", "x"}, "blur": {"", "x", "1,y", "NaN", "1e3"}, "brightness": {"", "bright"},
	"compression": {
		"",
		"1.5",
		"best",
	}, "contrast": {"", "x"},
	"curve": {
		"", "r", "1", "1,2,3", "x,1", "c,1,2", "9,9,9,9", "9,1,8,2", "1e2,4", "NaN,3", "1,1,,2", "r,g,1,2",
		"1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9", "300,10,400,20", "[(0,0),(255,255)]",
	},
	"exposure": {"", "x", "NaN"}, "highlights": {"", "x"}, "shadows": {"", "x"}, "vibrance": {"", "x"},
	"white_balance": {"", "warm", "5000,x"}, "crop": {"", "1,2,3", "a,b,c,d", "1,2,3,-x"}, "dpi": {"", "x"},
	"expire": {"", "tomorrow"},
	"fill": {
		"nocolour",
	}, "fallback_format": {""}, "focal": {"", "middle", "1x2:1x2", "-1,2"}, "format": {""}, "hue": {"", "red"},
	"image": {
		"",
		"logo.png,north",
		"logo.png,0,0,half",
	}, "label": {"", "a,left,left", "a,0,0,big", "a,0,0,10,nocolour", "%00"}, "max_age": {"", "1.5", "day"},
	"max_bytes": {
		"",
		"1k",
	}, "max_frames": {"", "all"}, "modulate": {"", "1", "1,2", "1,2,x"}, "orient": {"", "45", "left"},
	"padding": {"", "red", "red,x", "nocolour,3"},
	"page": {
		"",
		"last",
	}, "palette": {"x"}, "pixelate": {"x", "2.5"}, "proportion": {"", "half"}, "quality": {"", "high", "80.5"},
	"rgb": {"", "1,2", "1,2,x"},
	"rotate": {
		"",
		"45",
		"left",
	}, "round_corner": {"", "x", "5,5,nocolour"}, "saturation": {"", "x"}, "sharpen": {"", "x"},
	"scaling": {"", "lanczos", "1"}, "speed": {"", "slow", "1"}, "straighten": {"", "x", "NaN", "Inf", "1e308", "45deg"},
	"text": {
		"",
		"a,0,0,sans,nocolour",
		"a,0,0,sans,red,0,normal,0,middle",
		"a,0,0,sans,red,0,normal,0,low,true,never",
		"%00",
	},
	"to_colorspace": {"", "lab"}, "trim": {"x", "1,left"}, "watermark": {"", "logo.png,x", "logo.png,0,0,x"},
}

// clampedFilters are followed as near as can be.
var clampedFilters = []string{
	"exposure(6)", "exposure(-9)", "highlights(101)", "shadows(-101)", "vibrance(200)", "white_balance(100)",
	"white_balance(20000,0)", "white_balance(5000,-101)", "curve(-5,0)", "curve(r,10,300)",
	"blur(-3)", "blur(5000)", "brightness(200)", "brightness(-101)", "contrast(1000)", "compression(12)", "hue(99999)",
	"rgb(0,0,300)", "saturation(101)", "sharpen(-1)", "trim(500)", "quality(0)", "quality(101)",
	"modulate(0,500,0)", "proportion(-3)", "proportion(150)", "pixelate(0)", "max_frames(0)", "page(0)", "dpi(0)",
	"round_corner(-1)", "padding(red,-5)", "crop(-5,0,20,20)", "image(logo.png,0,0,120)",
	"image(logo.png,0,0,0,strange)",
	"watermark(logo.png,0,0,-1)", "watermark(logo.png,0,0,0,wide)", "watermark(logo.png,0,0,0,none,-4)",
	"text(a,0,0,sans,red,400)", "text(a,0,0,sans,red,0,normal,broad)", "text(%20)", "label(a,0,0,9999)", "max_bytes(0)",
	"max_age(-1)", "palette(99)", "straighten(90)", "straighten(-999999999)",
}

// badRun processes a filter strictly and not.
func badRun(t *testing.T, s goldenStudio, filter string) (lax *imaging.Result, laxErr, strictErr error) {
	t.Helper()
	r, err := imaging.Parse("unsafe/filters:" + filter + "/scene.png")
	if err != nil || r.Operations.Filters == "" && filter != "" {
		t.Fatalf("%s is no filter: %v", filter, err)
	}
	run := func(strict bool) (*imaging.Result, error) {
		src, err := s.source("scene.png")
		if err != nil {
			t.Fatal(err)
		}
		limits := imaging.DefaultLimits()
		limits.Strict = strict
		return s.engine.Process(t.Context(), src, r.Operations, limits)
	}
	lax, laxErr = run(false)
	_, strictErr = run(true)
	return lax, laxErr, strictErr
}

// TestBadArguments gives every filter arguments that are wrong: skipped with a warning, and fault.Invalid in
// strict mode, naming the filter both times.
func TestBadArguments(t *testing.T) {
	s := newGoldenStudio(t)
	plain, err, _ := badRun(t, s, "preview()")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range imaging.FilterTable() {
		if row.Meta {
			continue
		}
		bad := skippedFilters[row.Name]
		skipped := len(row.Parameters) > 0 && row.Name != "attachment"
		if skipped && len(bad) == 0 {
			t.Errorf("the filter %s has no case with a bad argument", row.Name)
		}
		if !skipped {
			bad = []string{"1,2,3"}
		}
		for _, args := range bad {
			filter := row.Name + "(" + args + ")"
			r, err, strict := badRun(t, s, filter)
			if err != nil || len(r.Warnings) == 0 || r.Warnings[0].Filter != row.Name {
				t.Errorf("%s: %v, expected a picture and a warning", filter, err)
				continue
			}
			if skipped && !bytes.Equal(r.Data, plain.Data) {
				t.Errorf("%s: not skipped, %v", filter, r.Warnings)
			}
			expectInvalid(t, filter, row.Name, strict)
		}
	}
	r, err, strict := badRun(t, s, "unheard_of(1)")
	if err != nil || len(r.Warnings) != 1 || !bytes.Equal(r.Data, plain.Data) {
		t.Errorf("an unknown filter: %v", err)
	}
	expectInvalid(t, "unheard_of(1)", "unheard_of", strict)
}

func expectInvalid(t *testing.T, filter, name string, err error) {
	t.Helper()
	if f := fault.Of(err); err == nil || f.Code != fault.Invalid || !bytes.Contains([]byte(f.Message), []byte(name)) {
		t.Errorf("%s in strict mode: %v, expected %s and the filter's name", filter, err, fault.Invalid)
	}
}

func TestArgumentsOutOfRange(t *testing.T) {
	s := newGoldenStudio(t)
	for _, filter := range clampedFilters {
		r, err, strict := badRun(t, s, filter)
		if err != nil || len(r.Warnings) == 0 {
			t.Errorf("%s: %v, expected a picture and a warning", filter, err)
		}
		name := filter[:bytes.IndexByte([]byte(filter), '(')]
		expectInvalid(t, filter, name, strict)
	}
}

// TestMetadataFiltersAreStrict checks that in /meta a bad argument is an error whatever the mode.
func TestMetadataFiltersAreStrict(t *testing.T) {
	s := newGoldenStudio(t)
	bad := map[string]string{"blurhash": "blurhash(0,3)"}
	var names []string
	for _, row := range imaging.FilterTable() {
		if !row.Meta {
			continue
		}
		names = append(names, row.Name)
		filter, ok := bad[row.Name]
		if !ok {
			filter = row.Name + "(1)"
		}
		for _, strict := range []bool{false, true} {
			src, err := s.source("scene.png")
			if err != nil {
				t.Fatal(err)
			}
			limits := imaging.DefaultLimits()
			limits.Strict = strict
			_, err = s.engine.Info(
				t.Context(), src,
				imaging.InfoRequest{Operations: imaging.Operations{Filters: imaging.Filters(filter)}}, limits,
			)
			expectInvalid(t, filter, row.Name, err)
		}
	}
	if !slices.Contains(names, "sha256") {
		t.Errorf("the metadata filters are %v", names)
	}
}
