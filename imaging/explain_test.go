package imaging

import (
	"strings"
	"testing"
)

// TestExplain holds what a URL is said to do: nothing that it does not ask for, and everything that it does.
func TestExplain(t *testing.T) {
	for path, want := range map[string]string{
		"x":                     `Load the image "x"`,
		"color:red":             `Load a solid canvas in "red"`,
		"https://example.com/a": `Load the remote image "https://example.com/a"`,
		"trim:5/x":              `Load the image "x"; Trim the border that matches the color of the top-left corner, tolerance 5`,
		"trim:bottom-right/x":   `Load the image "x"; Trim the border that matches the color of the bottom-right corner, tolerance 0`,
		"5x0:0x0/x":             `Load the image "x"; Crop the region from 5, 0 to the right edge, the bottom edge`,
		"0x5:0x0/x":             `Load the image "x"; Crop the region from 0, 5 to the right edge, the bottom edge`,
		"0x0:0.25x0/x":          `Load the image "x"; Crop the region from 0, 0 to 0.25, the bottom edge`,
		"0x0:0x5/x":             `Load the image "x"; Crop the region from 0, 0 to the right edge, 5`,
		"100x0/x":               `Load the image "x"; Resize it to width 100, keeping the aspect ratio`,
		"0x100/x":               `Load the image "x"; Resize it to height 100, keeping the aspect ratio`,
		"100x50/x":              `Load the image "x"; Fill 100 x 50, cropping to the middle center`,
		"100x50/left/bottom/x":  `Load the image "x"; Fill 100 x 50, cropping to the bottom left`,
		"100x50/smart/x":        `Load the image "x"; Fill 100 x 50, cropping around the most salient region`,
		"fit-in/100x50/x":       `Load the image "x"; Fit it inside 100 x 50`,
		"stretch/100x50/x":      `Load the image "x"; Stretch it to 100 x 50`,
		"-0x0/x":                `Load the image "x"; Flip it horizontally`,
		"0x-0/x":                `Load the image "x"; Flip it vertically`,
		"0x0/5x0:0x0/x":         `Load the image "x"; Pad it with 5 pixels left, 0 top, 0 right, 0 bottom`,
		"0x0/0x5:0x0/x":         `Load the image "x"; Pad it with 0 pixels left, 5 top, 0 right, 0 bottom`,
		"0x0/0x0:5x0/x":         `Load the image "x"; Pad it with 0 pixels left, 0 top, 5 right, 0 bottom`,
		"0x0/0x0:0x5/x":         `Load the image "x"; Pad it with 0 pixels left, 0 top, 0 right, 5 bottom`,
		"filters:max_age(5)/x":  `Load the image "x"; Let clients and CDNs cache the response for 5 seconds`,
		"filters:text(Hi,5,9,sans,red,0,,,,,,,,navy,,,none,,black)/x": `Load the image "x"; Draw Hi at 5, 9, box navy, shadow black`,
		"filters:nope(5)/x":             `Load the image "x"`,
		"meta/x":                        `Load the image "x"; Return metadata as JSON`,
		"meta/filters:blurhash(99,1)/x": `Load the image "x"; Fail: an argument of a metadata filter is invalid; Return metadata as JSON`,
	} {
		r, err := Parse("unsafe/" + path)
		if got := strings.Join(r.Explain(), "; "); err != nil || got != want {
			t.Errorf("%s:\n%s\n%s, %v", path, got, want, err)
		}
	}
	calls, _, err := Filters("quality(auto):quality(50):brightness(2.5)").Calls(true)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"auto", "50", "2.5"} {
		if got := calls[n].Explain(); !strings.Contains(got, " "+want) || strings.Contains(got, "{") {
			t.Errorf("%q does not say %s", got, want)
		}
	}
}
