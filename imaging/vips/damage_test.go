package vips

import (
	"bytes"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// lastMCU returns the JPEG with its last data overwritten, and its end in place.
func lastMCU(file []byte) []byte {
	out := bytes.Clone(file)
	for n := len(out) - 10; n < len(out)-2; n++ {
		out[n] = 0x55
	}
	return out
}

// TestDamagedJPEGIsDecodedOnce checks that a damaged JPEG takes one job, which shows what libjpeg makes of it and
// warns: jobs that are done again would decode it up to four times.
func TestDamagedJPEGIsDecodedOnce(t *testing.T) {
	open(t)
	jobs := 0
	e, err := New(Config{PreviewBytes: 1 << 20, Planned: func(imaging.Cost) { jobs++ }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	photo := jpegOf(t, photograph(640, 480))
	progressive := libvipsMakes(t, e, photo, imaging.JPEG, "interlace=true")
	gray := processed(e, "filters:grayscale():format(jpeg)", photo, t).Data
	large := jpegOf(t, photograph(2900, 2100))
	for name, data := range map[string][]byte{
		"last MCU":             lastMCU(photo),
		"cut off":              photo[:len(photo)*9/10],
		"no end":               photo[:len(photo)-2],
		"progressive, cut off": progressive[:len(progressive)*9/10],
		"gray, cut off":        gray[:len(gray)*9/10],
		"large, cut off":       large[:len(large)*9/10],
	} {
		for _, path := range []string{"100x", "100x100/smart", "", "filters:preview():brightness(5)",
			"filters:preview():brightness(6)", "300x0/filters:format(webp)"} {
			jobs = 0
			src := sourceOf(data)
			src.Version = name
			r, err := e.Process(t.Context(), src, opsOf(t, path), imaging.DefaultLimits())
			if err != nil {
				t.Errorf("%s through %q: %v", name, path, err)
				continue
			}
			if jobs != 1 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "is corrupt") {
				t.Errorf("%s through %q: %d jobs and %v, expected one with a warning", name, path, jobs, r.Warnings)
			}
		}
	}
}

// TestDamagedJPEGShowsWhatIsWhole compares a JPEG that is cut off with the whole one, above the cut.
func TestDamagedJPEGShowsWhatIsWhole(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, photograph(640, 480))
	for _, path := range []string{"filters:format(png)", "320x240/filters:format(png)"} {
		whole := decoded(t, processed(e, path, photo, t).Data)
		part := decoded(t, processed(e, path, photo[:len(photo)*3/4], t).Data)
		for y := range whole.Bounds().Dy() / 2 {
			for x := range whole.Bounds().Dx() {
				if whole.At(x, y) != part.At(x, y) {
					t.Fatalf("%s: the pixel at %d,%d is %v, expected %v", path, x, y, part.At(x, y), whole.At(x, y))
				}
			}
		}
	}
}

// TestLosslessJPEG refuses lossless JPEGs wherever their header is read.
func TestLosslessJPEG(t *testing.T) {
	e := open(t)
	data := jpegOf(t, gradient(64, 48, false))
	data[bytes.Index(data, []byte{0xFF, 0xC0})+1] = 0xC3
	_, processErr := process(e, "20x", data, t)
	_, infoErr := e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{}, imaging.DefaultLimits())
	_, surveyErr := e.Survey(t.Context(), sourceOf(data), imaging.DefaultLimits())
	for way, err := range map[string]error{"Process": processErr, "Info": infoErr, "Survey": surveyErr} {
		if fault.CodeOf(err) != fault.UnsupportedType {
			t.Errorf("%s: %v, expected %s", way, err, fault.UnsupportedType)
		}
	}
}
