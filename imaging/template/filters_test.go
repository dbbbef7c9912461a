package template

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func TestFiltersOfATemplate(t *testing.T) {
	envelope := func(filters string) []byte {
		return []byte(
			`{"transformations":{"imagePath":"a.png","brightness":5,"roundCornerRadius":9,"filters":` + filters + `}}`,
		)
	}
	for filters, want := range map[string]string{
		`[]`: "filters:brightness(5):round_corner(9)/a.png",
		`[{"name":"pixelate","args":"8"},{"name":"rgb","args":"10,0,-10"}]`: "filters:brightness(5):pixelate(8):rgb(10,0,-10):round_corner(9)/a.png",
	} {
		parsed, err := Parse(envelope(filters))
		if err != nil {
			t.Errorf("%s: %v", filters, err)
			continue
		}
		request, err := parsed.Request(Options{})
		if have := request.Path(); err != nil || have != want {
			t.Errorf("%s: %s, %v, expected %s", filters, have, err, want)
		}
		if len(parsed.UnknownFields()) != 0 || !strings.Contains(string(parsed.JSON()), `"filters"`) {
			t.Errorf("%s: unknown %v in %s", filters, parsed.UnknownFields(), parsed.JSON())
		}
	}
	for filters, pointer := range map[string]string{
		`{}`: "/transformations/filters", `[1]`: "/transformations/filters/0",
		`[{"name":"pixelate","args":"8"},{"name":"nothing","args":""}]`: "/transformations/filters/1",
		`[{"name":"pixelate","args":"8):blur(9"}]`:                      "/transformations/filters/0",
		`[{"name":"a/b","args":""}]`:                                    "/transformations/filters/0",
		`[{"name":"pixelate","args":"many"}]`:                           "/transformations/filters/0",
		`[{"name":"","args":""}]`:                                       "/transformations/filters/0",
	} {
		_, err := Parse(envelope(filters))
		if fault.CodeOf(err) != fault.Invalid || fault.Of(err).Field != "templateJson"+pointer {
			t.Errorf("%s: %v, expected INVALID at %s", filters, err, pointer)
		}
	}
}

// TestSizesFollowListedFilters checks that filters of the list that turn the source count in the sizes of the picture.
func TestSizesFollowListedFilters(t *testing.T) {
	for filters, want := range map[string]imaging.Size{
		`[]`: {Width: 400, Height: 300}, `[{"name":"orient","args":"90"}]`: {Width: 300, Height: 400},
		`[{"name":"straighten","args":"5"}]`:                                {Width: 359, Height: 269},
		`[{"name":"straighten","args":"5"},{"name":"orient","args":"270"}]`: {Width: 269, Height: 359},
	} {
		parsed, err := Parse(
			[]byte(
				`{"transformations":{"imagePath":"a.png","originalDimensions":{"width":400,"height":300},"filters":` +
					filters + `}}`,
			),
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Transformations.outer(imaging.Size{}); got != want {
			t.Errorf("%s: %v, expected %v", filters, got, want)
		}
	}
}
