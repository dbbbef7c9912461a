package imaging_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

func TestMisplaced(t *testing.T) {
	for image, want := range map[string]string{
		"300x200":                     "300x200 is an operation",
		"photo.jpg/300x200":           "300x200 is an operation",
		"a/photo.jpg/fit-in/3x2":      "fit-in is an operation",
		"300x200/photo.jpg":           "300x200 is an operation", // after smart
		"photo.jpg/filters:blur(3)":   "filters:blur(3) is an operation",
		"grayscale/photo.jpg":         "grayscale is a filter: write filters:grayscale(...) before the image",
		"blur(3)/photo.jpg":           "blur is a filter: write filters:blur(3) before the image",
		"filters:blur(3/photo.jpg":    "The filters are malformed, expected filters:NAME(ARGUMENTS)",
		"filters:blur/photo.jpg":      "The filters are malformed",
		"filters:a()b()/photo.jpg":    "The filters are malformed",
		"filters:blur(3)/photo.jpg":   "filters:blur(3) is an operation", // after other filters
		"unsafe/300x200/photo.jpg":    "unsafe replaces the signature",
		"params/300x200/photo.jpg":    "params is the first part of a URL",
		"photos/left/a.jpg":           "",
		"photos/blur/a.jpg":           "",
		"a.jpg":                       "",
		"color:red":                   "",
		"https://a.example/300x2/a":   "",
		"photos/2020/300x200/cat.jpg": "",
	} {
		if got := imaging.Misplaced(image); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, expected %q", image, got, want)
		}
	}
}

// TestEncodeUnsafe: what a client sends is signed, and a path that was encoded already stays as it is.
func TestEncodeUnsafe(t *testing.T) {
	for path, want := range map[string]string{
		"300x200/filters:blur(3)/a/b-c_d.jpg": "300x200/filters:blur(3)/a/b-c_d.jpg",
		"my photo.jpg":                        "my%20photo.jpg",
		"my%20photo.jpg":                      "my%20photo.jpg",
		"Müller.jpg":                          "M%C3%BCller.jpg",
		"100%.jpg":                            "100%25.jpg",
		"a#b?c.jpg":                           "a%23b%3Fc.jpg",
	} {
		got := imaging.EncodeUnsafe(path)
		if got != want || imaging.EncodeUnsafe(got) != got {
			t.Errorf("%s: %s, expected %s", path, got, want)
		}
		one, err := imaging.Parse("unsafe/" + path)
		other, err2 := imaging.Parse("unsafe/" + got)
		if err != nil || err2 != nil || one != other {
			t.Errorf("%s and %s are different requests: %v, %v", path, got, err, err2)
		}
	}
}
