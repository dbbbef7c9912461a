package imaging

import (
	"strings"
	"testing"
)

// TestPlanExplain checks that an explanation has the sizes of the plan.
func TestPlanExplain(t *testing.T) {
	h := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Orientation: 6}
	for path, want := range map[string]string{
		"x":                                          `Load the image "x": 3000 x 4000 pixels; Write it as jpeg, 3000 x 4000 pixels`,
		"300x200/x":                                  `Load the image "x": 3000 x 4000 pixels; Fill 300 x 200, cropping to the middle center: 300 x 200 pixels; Write it as jpeg, 300 x 200 pixels`,
		"0x0:1000x500/fit-in/500x500/x":              `Load the image "x": 3000 x 4000 pixels; Crop the region from 0, 0 to 1000, 500: 1000 x 500 pixels; Fit it inside 500 x 500: 500 x 250 pixels; Write it as jpeg, 500 x 250 pixels`,
		"1x1:1001x501/fit-in/100x100/x":              `Load the image "x": 3000 x 4000 pixels; Crop the region from 1, 1 to 1001, 501: 1000 x 500 pixels; Fit it inside 100 x 100: 100 x 50 pixels; Write it as jpeg, 100 x 50 pixels`,
		"300x200/filters:padding(red,9)/x":           `Load the image "x": 3000 x 4000 pixels; Fill 300 x 200, cropping to the middle center: 300 x 200 pixels; Add a border of red: 9, 9, 9, 9 pixels: 318 x 218 pixels; Write it as jpeg, 318 x 218 pixels`,
		"300x0/filters:blur(2):format(best)/x":       `Load the image "x": 3000 x 4000 pixels; Resize it to width 300, keeping the aspect ratio: 300 x 400 pixels; Blur with a Gaussian of sigma 1; Encode as best; Write it in the format whose file is smallest, 300 x 400 pixels`,
		"trim/300x200/x":                             `Load the image "x": 3000 x 4000 pixels; Trim the border that matches the color of the top-left corner, tolerance 0; Fill 300 x 200, cropping to the middle center; All further sizes depend on the border that is trimmed`,
		"300x/filters:blur(2):straighten(-1.5)/x":    `Load the image "x": 3000 x 4000 pixels; Rotate clockwise by 1.5 degrees before cropping and resizing, and cut off the blank corners: 2899 x 3866 pixels; Resize it to width 300, keeping the aspect ratio: 300 x 400 pixels; Blur with a Gaussian of sigma 1; Write it as jpeg, 300 x 400 pixels`,
		"filters:straighten(5):straighten(0)/x":      `Load the image "x": 3000 x 4000 pixels; Write it as jpeg, 3000 x 4000 pixels`,
		"filters:straighten(0.0001)/x":               `Load the image "x": 3000 x 4000 pixels; Write it as jpeg, 3000 x 4000 pixels`,
		"filters:straighten(5):blur(1):orient(90)/x": `Load the image "x": 3000 x 4000 pixels; Rotate counter-clockwise by 90 degrees before all other operations: 4000 x 3000 pixels; Rotate counter-clockwise by 5 degrees before cropping and resizing, and cut off the blank corners: 3595 x 2696 pixels; Blur with a Gaussian of sigma 0.5; Write it as jpeg, 3595 x 2696 pixels`,
		"meta/300x200/x":                             `Load the image "x": 3000 x 4000 pixels; Fill 300 x 200, cropping to the middle center: 300 x 200 pixels; Return metadata as JSON`,
	} {
		r, err := Parse("unsafe/" + path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(
			h, r.Operations, Limits{Options: Options{Accept: []Format{WebP}}},
			PlanOptions{Writable: []Format{JPEG, PNG, WebP}, Describe: r.Meta},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Explain(r.Image), "; "); got != want {
			t.Errorf("%s:\n%s, expected\n%s", path, got, want)
		}
	}
}
