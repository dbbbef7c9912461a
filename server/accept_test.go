package server

import (
	"slices"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestBrowsers holds what is negotiated for the Accept headers that browsers send for images.
func TestBrowsers(t *testing.T) {
	all := []imaging.Format{imaging.JPEG, imaging.PNG, imaging.WebP, imaging.GIF, imaging.AVIF, imaging.JXL}
	for _, c := range []struct {
		name, accept string
		formats      []imaging.Format
		shown        []imaging.Format
	}{
		{"Chrome 130, Edge 130", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
			[]imaging.Format{imaging.AVIF, imaging.WebP}, []imaging.Format{imaging.WebP, imaging.AVIF, imaging.SVG}},
		{"Firefox 132", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
			[]imaging.Format{imaging.AVIF, imaging.WebP}, []imaging.Format{imaging.WebP, imaging.AVIF, imaging.SVG}},
		{"Firefox with JPEG XL", "image/avif,image/jxl,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
			[]imaging.Format{imaging.AVIF, imaging.WebP, imaging.JXL},
			[]imaging.Format{imaging.WebP, imaging.AVIF, imaging.JXL, imaging.SVG}},
		{"Safari 18",
			"image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
			[]imaging.Format{imaging.AVIF, imaging.WebP, imaging.JXL},
			[]imaging.Format{imaging.WebP, imaging.AVIF, imaging.JXL, imaging.SVG}},
		{"Safari 15", "image/webp,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5",
			[]imaging.Format{imaging.WebP}, []imaging.Format{imaging.WebP, imaging.SVG}},
		{"Safari 13", "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", nil,
			[]imaging.Format{imaging.SVG}},
		{"Internet Explorer 11", "image/png, image/svg+xml, image/jxr, image/*;q=0.8, */*;q=0.5", nil,
			[]imaging.Format{imaging.SVG}},
		{"curl", "*/*", nil, nil},
		{"a program", "application/json, image/*", nil, nil},
		{"nothing", "", nil, nil},
		{"JPEG XL first", "image/jxl, image/avif;q=0.9, image/webp;q=0.9, image/*;q=0.5",
			[]imaging.Format{imaging.JXL, imaging.AVIF, imaging.WebP},
			[]imaging.Format{imaging.WebP, imaging.AVIF, imaging.JXL}},
		{"JPEG preferred", "image/jpeg, image/webp;q=0.5", nil, []imaging.Format{imaging.WebP}},
		{"refused", "image/avif;q=0, image/webp", []imaging.Format{imaging.WebP}, []imaging.Format{imaging.WebP}},
	} {
		if got := acceptedFormats(c.accept, all); !slices.Equal(got, c.formats) {
			t.Errorf("%s: negotiates %v, expected %v", c.name, got, c.formats)
		}
		if got := shownFormats(c.accept); !slices.Equal(got, c.shown) || (got == nil) != (c.shown == nil) {
			t.Errorf("%s: shows %v, expected %v", c.name, got, c.shown)
		}
	}
	if got := acceptedFormats("image/avif,image/jxl", []imaging.Format{imaging.JPEG, imaging.JXL}); !slices.Equal(got,
		[]imaging.Format{imaging.JXL}) {
		t.Errorf("%v although this build does not write AVIF", got)
	}
}
