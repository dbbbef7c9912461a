package vips

import (
	"bytes"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestDamageWithThreads checks that threads change nothing about a damaged file: libvips' caches of lines are black
// where their input failed, and of two threads only one heard of it, so that a black picture was a success about every
// second time.
func TestDamageWithThreads(t *testing.T) {
	e, times := open(t), 15
	if testing.Short() {
		times = 4
	}
	jpegData, pngData := jpegOf(t, photograph(1920, 1080)), pngOf(t, photograph(1200, 900))
	webp := processed(e, "filters:format(webp)", pngData, t).Data
	tiff := processed(e, "filters:format(tiff)", pngData, t).Data
	for name, data := range map[string][]byte{
		"jpeg": jpegData[:len(jpegData)/3], "png": pngData[:len(pngData)/3], "webp": webp[:len(webp)/2],
		"tiff": tiff[:len(tiff)/3],
	} {
		for _, path := range []string{"37x0/filters:format(png)", "400x0/filters:format(png)",
			"300x300/smart/filters:format(png)", "200x0/filters:blur(3):format(png)"} {
			request, err := imaging.Parse("unsafe/" + path + "/img")
			if err != nil {
				t.Fatal(err)
			}
			ops, limits := request.Operations, imaging.DefaultLimits()
			want, wantErr := e.Process(t.Context(), sourceOf(data), ops, limits)
			limits.Threads = 2
			for range times {
				got, err := e.Process(t.Context(), sourceOf(data), ops, limits)
				if (err == nil) != (wantErr == nil) {
					t.Errorf("%s %s: %v, expected %v", name, path, err, wantErr)
					break
				}
				if err == nil && (len(got.Warnings) != len(want.Warnings) || !bytes.Equal(got.Data, want.Data)) {
					t.Errorf(
						"%s %s: %d bytes and warnings %v, expected %d bytes and %v", name, path,
						len(got.Data), got.Warnings, len(want.Data), want.Warnings,
					)
					break
				}
			}
		}
	}
}
