package imaging

import (
	"fmt"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// stepsOf says what each filter of a plan does: what it skips, its rectangle, radii and pending part, and the picture
// after it.
func stepsOf(p Plan) string {
	var list []string
	for _, s := range p.Filters {
		text := s.Call.Name
		if s.Skip {
			text += " skipped"
		}
		if s.Rect != (Rect{}) {
			text += fmt.Sprint(" ", s.Rect)
		}
		if s.Radii != [2]float64{} {
			text += fmt.Sprint(" ", s.Radii)
		}
		if s.Pending != "" {
			text += " pending " + string(s.Pending)
		}
		text += fmt.Sprintf(" to %dx%d", s.After.Width, s.After.Height)
		if s.After.Frames != 1 {
			text += fmt.Sprintf(" in %d frames", s.After.Frames)
		}
		if s.After.Alpha {
			text += " clear"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestPlanFilters(t *testing.T) {
	opaque := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	clear := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 4, Alpha: true}
	for _, c := range []struct {
		path string
		h    Header
		want string
	}{
		{"filters:background_color(red)", clear, "background_color to 100x80"},
		{"filters:background_color(ff000080)", clear, "background_color to 100x80"},
		{"filters:background_color(none)", clear, "background_color skipped to 100x80 clear"},
		{"filters:background_color(auto)", clear, "background_color pending colour to 100x80"},
		{"filters:background_color(red)", opaque, "background_color to 100x80"},
		{"filters:rotate(0)", opaque, "rotate skipped to 100x80"},
		{"filters:rotate(90)", opaque, "rotate to 80x100"},
		{"filters:rotate(180)", opaque, "rotate to 100x80"},
		{"filters:blur(0.4):blur(0.39):blur(0,0.2):blur(0,0.19)", opaque,
			"blur to 100x80; blur skipped to 100x80; blur to 100x80; blur skipped to 100x80"},
		{"filters:sharpen(0):sharpen(1):pixelate(1):pixelate(2)", opaque,
			"sharpen skipped to 100x80; sharpen to 100x80; pixelate skipped to 100x80; pixelate to 100x80"},
		{"filters:crop(1,1,1,1)", opaque, "crop {1 1 1 1} to 1x1"},
		{"filters:crop(0.5,0.5,0.25,0.5)", opaque, "crop {50 40 25 40} to 25x40"},
		{"filters:crop(0,0,0.5,0.5)", opaque, "crop {0 0 50 40} to 50x40"},
		{"filters:crop(10,20,1000,1000)", opaque, "crop {10 20 90 60} to 90x60"},
		{"filters:crop(0,0,100,80)", opaque, "crop skipped {0 0 100 80} to 100x80"},
		{"filters:crop(0,0,99,80)", opaque, "crop {0 0 99 80} to 99x80"},
		{"filters:crop(100,0,5,5):rotate(90)", opaque, "crop skipped to 100x80; rotate to 80x100"},
		{"filters:padding(red,1,2,3,4)", opaque, "padding {1 2 100 80} to 104x86"},
		{"filters:padding(red,5)", clear, "padding {5 5 100 80} to 110x90"},
		{"filters:padding(none,5,6)", opaque, "padding {5 6 100 80} to 110x92 clear"},
		{"filters:padding(auto,5,6)", clear, "padding {5 6 100 80} pending colour to 110x92"},
		{"filters:padding(ff000080,5,6)", opaque, "padding {5 6 100 80} to 110x92 clear"},
		{"fit-in/120x100/5x6:7x9/filters:fill(red)", opaque, "fill {15 16 100 80} to 132x115"},
		{"fit-in/120x100/5x6:7x9/left/top/filters:fill(none)", opaque, "fill {5 6 100 80} to 132x115 clear"},
		{"fit-in/120x100/5x6:7x9/right/bottom/filters:fill(auto)", opaque,
			"fill {25 26 100 80} pending colour to 132x115"},
		{"fit-in/120x100/filters:fill(blur)", opaque, "fill {10 10 100 80} to 120x100"},
		{"fit-in/120x100/filters:fill(blur)", clear, "fill {10 10 100 80} to 120x100 clear"},
		{"fit-in/120x100/filters:rotate(90):fill(red)", opaque, "rotate to 80x100; fill {10 10 80 100} to 100x120"},
		{"fit-in/120x100/filters:proportion(50):fill(red)", opaque, "proportion to 50x40; fill {5 5 50 40} to 60x50"},
		{"fit-in/120x/filters:proportion(50):fill(red)", opaque, "proportion to 50x40; fill {5 0 50 40} to 60x40"},
		{"fit-in/x100/filters:proportion(50):fill(red)", opaque, "proportion to 50x40; fill {0 5 50 40} to 50x50"},
		{"filters:proportion(0):proportion(0.5):proportion(1):proportion(100)", opaque,
			"proportion skipped to 100x80; proportion to 50x40; proportion skipped to 50x40; proportion skipped to " +
				"50x40"},
		{"filters:proportion(99):proportion(2)", opaque, "proportion to 99x79; proportion to 2x2"},
		{"filters:round_corner(0):round_corner(0,5):round_corner(5,0)", opaque,
			"round_corner skipped to 100x80; round_corner skipped to 100x80; round_corner skipped to 100x80"},
		{"filters:round_corner(5)", opaque, "round_corner [5 5] to 100x80 clear"},
		{"filters:round_corner(5,7,red)", clear, "round_corner [5 7] to 100x80"},
		{"filters:round_corner(500,700,auto)", opaque, "round_corner [50 40] pending colour to 100x80"},
		{"filters:round_corner(5,5,ff000080)", opaque, "round_corner [5 5] to 100x80 clear"},
		{"filters:label(Hi,1,1)", opaque, "label pending size to 100x80"},
		{"filters:text(%20,1,1)", opaque, "text skipped to 100x80"},
	} {
		p, err := planOf(t, c.path, c.h, DefaultLimits())
		if got := stepsOf(p); err != nil || got != c.want {
			t.Errorf("%s, alpha %v, %v:\n%q", c.path, c.h.Alpha, err, got)
		}
	}
}

// TestMetaIsStrictAboutPalette checks that in /meta a wrong argument of palette() is an error, as of every filter that
// describes.
func TestMetaIsStrictAboutPalette(t *testing.T) {
	h := Header{Format: JPEG, Width: 200, Height: 100, Pages: 1, Bands: 3}
	for filters, fails := range map[Filters]bool{"palette(x)": true, "blur(x)": false, "palette()": false} {
		for _, describe := range []bool{true, false} {
			_, err := NewPlan(
				h, Operations{Filters: filters}, DefaultLimits(),
				PlanOptions{Writable: allFormats, Describe: describe},
			)
			if (err != nil) != (fails && describe) || err != nil && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%s, /meta %v: %v", filters, describe, err)
			}
		}
	}
}
