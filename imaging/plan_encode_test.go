package imaging

import (
	"fmt"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestPlanEncode(t *testing.T) {
	photo := Header{Format: JPEG, Width: 800, Height: 600, Pages: 1, Bands: 3}
	clear := Header{Format: PNG, Width: 800, Height: 600, Pages: 1, Bands: 4, Alpha: true}
	for _, c := range []struct {
		path string
		h    Header
		want Encode
	}{
		{"", photo, Encode{Format: JPEG, Quality: 80, Effort: -1, Compression: -1}},
		{"filters:quality(1)", photo, Encode{Format: JPEG, Quality: 1, Effort: -1, Compression: -1}},
		{"filters:quality(auto)", photo, Encode{Format: JPEG, Quality: 80, AutoQuality: true, Effort: -1,
			Compression: -1}},
		{"filters:max_bytes(1000)", photo, Encode{
			Format: JPEG, Quality: 80, MaxBytes: 1000, Effort: -1, Compression: -1}},
		{"filters:compression(9):bitdepth(4):lossless()", photo,
			Encode{Format: JPEG, Quality: 80, Effort: -1, Compression: -1}},
		{"filters:strip_metadata()", photo, Encode{
			Format: JPEG, Quality: 80, Effort: -1, Compression: -1, StripAll: true, StripEXIF: true}},
		{"filters:strip_exif():preview()", photo, Encode{
			Format: JPEG, Quality: 80, Effort: -1, Compression: -1, StripEXIF: true}},
		{"filters:format(jpeg)", clear, Encode{Format: JPEG, Quality: 80, Effort: -1, Compression: -1, Flatten: true}},
		{"filters:quality(50)", clear, Encode{Format: PNG, Effort: -1, Compression: -1}},
		{"filters:compression(9):bitdepth(4)", clear,
			Encode{Format: PNG, Effort: -1, Compression: 9, Bits: 4, Palette: true}},
		{"filters:speed(fast)", clear, Encode{Format: PNG, Effort: -1, Compression: 3}},
		{"filters:speed(balanced)", clear, Encode{Format: PNG, Effort: -1, Compression: -1}},
		{"filters:speed(best):compression(5)", clear, Encode{Format: PNG, Effort: -1, Compression: 5}},
		{"filters:palette()", clear, Encode{Format: PNG, Effort: -1, Compression: -1, Palette: true}},
		{"filters:format(webp)", clear, Encode{Format: WebP, Quality: 80, Effort: 4, Compression: -1}},
		{"filters:format(webp):preview()", clear, Encode{Format: WebP, Quality: 80, Effort: 0, Compression: -1}},
		{"filters:format(webp):lossless()", clear,
			Encode{Format: WebP, Quality: 80, Effort: 4, Compression: -1, Lossless: true}},
		{"filters:format(webp):lossless():quality(auto)", clear,
			Encode{Format: WebP, Quality: 80, Effort: 4, Compression: -1, Lossless: true}},
		{"filters:format(jxl)", clear, Encode{Format: JXL, Quality: 80, Effort: 4, Compression: -1}},
		{"filters:format(jxl):preview()", clear, Encode{Format: JXL, Quality: 80, Effort: 4, Compression: -1}},
		{"filters:format(jxl):lossless()", clear, Encode{
			Format: JXL, Quality: 80, Effort: 3, Compression: -1, Lossless: true}},
	} {
		p, err := planOf(t, c.path, c.h, DefaultLimits())
		if len(p.Encode) > 0 {
			p.Encode[0].By = ByNone // TestRoute holds it
		}
		if err != nil || len(p.Encode) != 1 || p.Encode[0] != c.want || p.Format() != c.want.Format {
			t.Errorf("%s of %s: %+v, %v, expected %+v", c.path, c.h.Format, p.Encode, err, c.want)
		}
	}
	if got := (Plan{}).Format(); got != "" {
		t.Errorf("the format of a plan without one: %q", got)
	}
}

func TestEffortsOfTheOperator(t *testing.T) {
	h := Header{Format: JPEG, Width: 80, Height: 60, Pages: 1, Bands: 3}
	for path, want := range map[string]int{
		"format(webp)": 1, "format(webp):preview()": 0, "format(jpeg)": -1, "format(avif)": 9,
		"format(webp):speed(best)": 6, "format(webp):speed(balanced)": 4, "format(avif):speed(fast)": 1,
		"format(avif):speed(best)": 3, "format(jxl):speed(best)": 4,
		"format(jpeg):speed(best)": -1, "format(webp):speed(best):preview()": 0,
		"format(webp):speed(best):lossless()": 6,
	} {
		p, err := NewPlan(
			h, Operations{Filters: Filters(path)}, DefaultLimits(),
			PlanOptions{Writable: allFormats, Efforts: map[Format]int{WebP: 1, JPEG: 0, AVIF: 9}},
		)
		if err != nil || p.Encode[0].Effort != want {
			t.Errorf("%s: %+v, %v, expected effort %d", path, p.Encode, err, want)
		}
	}
}

// TestLargestFiles holds what formats can hold, to the pixel.
func TestLargestFiles(t *testing.T) {
	h := Header{Format: JPEG, Width: 100, Height: 100, Pages: 1, Bands: 3}
	for path, fits := range map[string]bool{
		"16383x10/filters:format(webp)":               true,
		"16384x10/filters:format(webp)":               false,
		"10x16383/filters:format(webp)":               true,
		"10x16384/filters:format(webp)":               false,
		"4000x2000/filters:format(webp):lossless()":   true,
		"4001x2000/filters:format(webp):lossless()":   false,
		"4001x2000/filters:format(webp)":              true,
		"6000x4000/filters:format(avif)":              true,
		"6001x4000/filters:format(avif)":              false,
		"16777216x1/filters:format(png)":              false,
		"10000000x1/filters:format(png):no_upscale()": true,
	} {
		if _, err := planOf(t, path, h, Limits{}); (err == nil) != fits ||
			err != nil && fault.CodeOf(err) != fault.TooLarge {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestCandidates holds which formats format(best) tries.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		path     string
		h        Header
		accept   []Format
		writable []Format
		want     []Format
	}{
		{"format(best)", Header{Format: JPEG, Bands: 3}, nil, allFormats, []Format{JPEG}},
		{"format(best)", Header{Format: JPEG, Bands: 3}, []Format{AVIF, WebP}, allFormats, []Format{JPEG, AVIF, WebP}},
		{"format(best)", Header{Format: PNG, Bands: 3}, []Format{WebP}, allFormats, []Format{JPEG, PNG, WebP}},
		{"format(best)", Header{Format: PNG, Bands: 4, Alpha: true}, []Format{WebP}, allFormats, []Format{PNG, WebP}},
		{"format(best)", Header{Format: GIF, Pages: 3, Bands: 4, Alpha: true}, []Format{AVIF, WebP}, allFormats,
			[]Format{GIF, WebP}},
		{"format(best):page(1)", Header{Format: GIF, Pages: 3, Bands: 3}, []Format{AVIF}, allFormats,
			[]Format{JPEG, PNG, AVIF}},
		{"format(best)", Header{Format: PNG, Bands: 3}, []Format{WebP}, []Format{JPEG}, []Format{JPEG}},
	} {
		c.h.Width, c.h.Height, c.h.Pages = 80, 60, max(c.h.Pages, 1)
		limits := DefaultLimits()
		limits.Accept = c.accept
		p, err := NewPlan(c.h, Operations{Filters: Filters(c.path)}, limits, PlanOptions{Writable: c.writable})
		var got []Format
		for _, e := range p.Encode {
			got = append(got, e.Format)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s of %+v for %v: %v, %v, expected %v", c.path, c.h, c.accept, got, err, c.want)
		}
	}
}

func TestColourPlan(t *testing.T) {
	h := Header{Format: JPEG, Width: 80, Height: 60, Pages: 1, Bands: 3}
	for path, want := range map[string]string{
		"":                                                         "{KeepProfile:true Target:jpeg Space:} 3 0",
		"50x50/filters:quality(5)":                                 "{KeepProfile:true Target:jpeg Space:} 3 0",
		"filters:strip_icc()":                                      "{KeepProfile:false Target:jpeg Space:} 3 0",
		"filters:strip_metadata()":                                 "{KeepProfile:false Target:jpeg Space:} 3 0",
		"filters:brightness(5)":                                    "{KeepProfile:false Target:jpeg Space:} 3 0",
		"filters:rotate(90)":                                       "{KeepProfile:true Target:jpeg Space:} 3 0",
		"filters:to_colorspace(p3)":                                "{KeepProfile:false Target:jpeg Space:p3} 3 0",
		"filters:to_colorspace(cmyk)":                              "{KeepProfile:false Target:jpeg Space:cmyk} 4 0",
		"filters:to_colorspace(srgb)":                              "{KeepProfile:false Target:jpeg Space:} 3 0",
		"filters:format(gif)":                                      "{KeepProfile:false Target:gif Space:} 3 0",
		"filters:to_colorspace(cmyk):format(tiff)":                 "{KeepProfile:false Target:tiff Space:cmyk} 4 0",
		"filters:to_colorspace(cmyk):format(png)":                  "{KeepProfile:false Target:png Space:} 3 1",
		"filters:to_colorspace(p3):format(gif)":                    "{KeepProfile:false Target:gif Space:} 3 1",
		"filters:round_corner(9):format(png)":                      "{KeepProfile:false Target:png Space:} 4 0",
		"filters:round_corner(9):to_colorspace(cmyk):format(tiff)": "{KeepProfile:false Target:tiff Space:cmyk} 4 0",
	} {
		p, err := planOf(t, path, h, DefaultLimits())
		if got := fmt.Sprintf("%+v %d %d", p.Colour, p.Bands(), len(p.Warnings)); err != nil || got != want {
			t.Errorf("%s: %s, %v, expected %s", path, got, err, want)
		}
	}
}
