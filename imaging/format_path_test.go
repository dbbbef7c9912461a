package imaging

import "testing"

// TestCanonicalPaths checks that a path says what was asked for, and nothing else.
func TestCanonicalPaths(t *testing.T) {
	for want, o := range map[string]Operations{
		"x":                      {},
		"trim/x":                 {Trim: true},
		"trim:5/x":               {Trim: true, TrimTolerance: 5},
		"trim:bottom-right/x":    {Trim: true, TrimBy: CornerBottomRight},
		"5x0:0x0/x":              {CropLeft: 5},
		"0x5:0x0/x":              {CropTop: 5},
		"0x0:5x0/x":              {CropRight: 5},
		"0x0:0x0.25/x":           {CropBottom: 0.25},
		"5x0/x":                  {Width: 5},
		"0x5/x":                  {Height: 5},
		"-0x0/x":                 {HFlip: true},
		"0x-0/x":                 {VFlip: true},
		"0x0/1x0:0x0/x":          {PaddingLeft: 1},
		"0x0/0x1:0x0/x":          {PaddingTop: 1},
		"0x0/0x0:1x0/x":          {PaddingRight: 1},
		"0x0/0x0:0x1/x":          {PaddingBottom: 1},
		"0x0/1x2/x":              {PaddingLeft: 1, PaddingTop: 2, PaddingRight: 1, PaddingBottom: 2},
		"0x0/1x2:1x3/x":          {PaddingLeft: 1, PaddingTop: 2, PaddingRight: 1, PaddingBottom: 3},
		"0x0/1x2:3x2/x":          {PaddingLeft: 1, PaddingTop: 2, PaddingRight: 3, PaddingBottom: 2},
		"right/x":                {HAlign: HAlignRight},
		"top/x":                  {VAlign: VAlignTop},
		"adaptive-full-fit-in/x": {Fit: Fit{In: true, Full: true, Adaptive: true}},
		"stretch/smart/x":        {Stretch: true, Smart: true},
		"filters:blur(3)/x":      {Filters: "blur(3)"},
	} {
		if got := o.Path("x"); got != want {
			t.Errorf("%+v: %s, expected %s", o, got, want)
		}
		r, err := Parse("unsafe/" + want)
		if err != nil || r.Operations != o {
			t.Errorf("%s is read as %+v, %v, expected %+v", want, r.Operations, err, o)
		}
	}
	if got := (Operations{Width: 5}).String(); got != "5x0/" {
		t.Errorf("without an image: %s", got)
	}
}
