package template_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/template"
)

// TestPaddingWithoutColor checks that padding on any side is warned of while nothing paints it.
func TestPaddingWithoutColor(t *testing.T) {
	for members, warned := range map[string]bool{
		`"paddingLeft":1`: true, `"paddingTop":1`: true, `"paddingRight":1`: true, `"paddingBottom":1`: true,
		`"paddingLeft":1,"fillColor":"red"`: false, `"paddingLeft":0`: false, `"width":5`: false,
	} {
		parsed, err := template.Parse([]byte(onPhoto(members)))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Warnings(); len(got) > 0 != warned {
			t.Errorf("%s: %q", members, got)
		}
	}
}

// TestTextWidths holds the widths that a text layer takes; an empty path is a width that is refused.
func TestTextWidths(t *testing.T) {
	for width, path := range map[string]string{
		`80`:   "filters:text(a,0,0,sans-20,black,0,normal,80)/p.jpg",
		`"80"`: "filters:text(a,0,0,sans-20,black,0,normal,80)/p.jpg",
		`1`:    "filters:text(a,0,0,sans-20,black,0,normal,1)/p.jpg",
		`"1"`:  "filters:text(a,0,0,sans-20,black,0,normal,1)/p.jpg",
		`0`:    "filters:text(a,0,0)/p.jpg", `0.5`: "filters:text(a,0,0,sans-20,black,0,normal,0.5)/p.jpg",
		`"0.5"`:  "filters:text(a,0,0,sans-20,black,0,normal,0.5)/p.jpg",
		`"1.0"`:  "filters:text(a,0,0,sans-20,black,0,normal,1.0)/p.jpg",
		`"80p"`:  "filters:text(a,0,0,sans-20,black,0,normal,80p)/p.jpg",
		`"f"`:    "filters:text(a,0,0,sans-20,black,0,normal,f)/p.jpg",
		`"full"`: "filters:text(a,0,0,sans-20,black,0,normal,full)/p.jpg",
		`"f-20"`: "filters:text(a,0,0,sans-20,black,0,normal,f-20)/p.jpg",
		`""`:     "filters:text(a,0,0)/p.jpg", `"f20"`: "", `"x"`: "", `"-5"`: "", `-5`: "", `"f-"`: "", `"f-20p"`: "",
		`"f--5"`: "", `"NaN"`: "",
	} {
		envelope := withLayers(`{"type":"text","text":"a","width":` + width + `}`)
		if path != "" {
			if got := request(t, envelope, template.Options{}).Path(); got != path {
				t.Errorf("%s: %s, expected %s", width, got, path)
			}
		} else if _, err := template.Parse([]byte(envelope)); fault.CodeOf(err) != fault.Invalid ||
			!strings.Contains(err.Error(), "/width") {
			t.Errorf("%s: %v", width, err)
		}
	}
}

func TestNULInText(t *testing.T) {
	for text, ok := range map[string]bool{`"a b"`: true, `"a\u0001b"`: true, `"a\u0000b"`: false, `5`: false} {
		if _, err := template.Parse([]byte(withLayers(`{"type":"text","text":` + text + `}`))); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestProportions holds how a proportion is written: a fraction of one percent or less is not taken for percent.
func TestProportions(t *testing.T) {
	for proportion, path := range map[string]string{
		"0": "p.jpg", "100": "p.jpg", "1": "p.jpg", "50": "filters:proportion(50)/p.jpg",
		"0.5": "filters:proportion(50)/p.jpg", "2": "filters:proportion(2)/p.jpg",
		"0.01": "filters:proportion(0.01)/p.jpg", "0.005": "filters:proportion(0.005)/p.jpg",
		"0.0101": "filters:proportion(1.01)/p.jpg",
	} {
		if got := request(t, onPhoto(`"proportion":`+proportion), template.Options{}).Path(); got != path {
			t.Errorf("%s: %s, expected %s", proportion, got, path)
		}
	}
}
