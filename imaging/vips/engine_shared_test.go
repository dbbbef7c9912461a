package vips

import (
	"bytes"
	stdimage "image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// shared returns the pictures beside the repository, and skips the test where they are not.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../shared/images")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("../shared/images is not here")
	}
	return dir
}

// process runs a path like `300x0/filters:...` on data.
func process(e *Engine, path string, data []byte, t testing.TB) (*imaging.Result, error) {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/img")
	if err != nil {
		t.Fatal(err)
	}
	limits := imaging.DefaultLimits()
	limits.Timeout = 0 // a busy machine takes as long as it takes
	return e.Process(t.Context(), sourceOf(data), r.Operations, limits)
}

// processed is process that must succeed.
func processed(e *Engine, path string, data []byte, t testing.TB) *imaging.Result {
	t.Helper()
	r, err := process(e, path, data, t)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

func decoded(t *testing.T, data []byte) stdimage.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestSharedPictures makes a 300-wide picture of every file in every format.
func TestSharedPictures(t *testing.T) {
	dir, e := shared(t), open(t)
	// without what a server that was started there keeps in its hidden folders
	files, err := filepath.Glob(dir + "/[a-z]*.*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	for n, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for k, format := range []string{"jpeg", "webp", "png", "avif"} {
			if leftOut(n + k) {
				continue
			}
			name := filepath.Base(file) + " as " + format
			r, err := process(e, "300x0/filters:format("+format+")", data, t)
			if strings.HasPrefix(name, "corrupt") {
				if c := fault.CodeOf(err); err != nil && c != fault.CorruptImage && c != fault.UnsupportedType {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if r.Width != 300 || string(r.Format) != format || imaging.SniffFormat(r.Data) != r.Format {
				t.Errorf("%s: %d x %d %s", name, r.Width, r.Height, r.Format)
			}
			if animated := strings.HasPrefix(name, "rotating_earth") && format == "webp"; animated && r.Pages != 44 {
				t.Errorf("%s has %d frames, expected 44", name, r.Pages)
			}
		}
	}
}

// TestOrientationsAgree compares one picture in all eight EXIF orientations.
func TestOrientationsAgree(t *testing.T) {
	dir, e := shared(t), open(t)
	var first stdimage.Image
	for n := 1; n <= 8; n++ {
		data, err := os.ReadFile(filepath.Join(dir, "exif_landscape_"+strconv.Itoa(n)+".jpg"))
		if err != nil {
			t.Fatal(err)
		}
		img := decoded(t, processed(e, "300x0/filters:format(png)", data, t).Data)
		if first == nil {
			first = img
		}
		if d := difference(first, img); img.Bounds() != first.Bounds() || d > 4 {
			t.Errorf("orientation %d is %v, a mean of %.1f from the first", n, img.Bounds(), d)
		}
	}
}

// difference is the mean absolute difference of two pictures of one size, in levels of 255.
func difference(a, b stdimage.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 255
	}
	sum, n := 0.0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(r1) - float64(r2), float64(g1) - float64(g2),
				float64(b1) - float64(b2)} {
				sum, n = sum+math.Abs(d)/257, n+1
			}
		}
	}
	return sum / float64(n)
}

func means(img stdimage.Image) (m [3]float64) {
	n := 0.0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			m[0], m[1], m[2], n = m[0]+float64(r)/257, m[1]+float64(g)/257, m[2]+float64(b)/257, n+1
		}
	}
	return [3]float64{m[0] / n, m[1] / n, m[2] / n}
}

// TestColours compares mean colours with those of libvips' own command.
func TestColours(t *testing.T) {
	dir, e := shared(t), open(t)
	vips, err := exec.LookPath("vips")
	if err != nil {
		t.Skip("the vips command is not installed (libvips-tools)")
	}
	for _, name := range []string{"cmyk_icc.jpg", "cmyk_orientation_exif.jpg", "test_icc_prophoto.jpg"} {
		file, out := filepath.Join(dir, name), filepath.Join(t.TempDir(), "out.png")
		if b, err := exec.Command(vips, "icc_transform", file, out, "srgb", "--embedded", "--input-profile", "cmyk").
			CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, b)
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := means(decoded(t, processed(e, "300x0/filters:strip_icc():format(png)", data, t).Data))
		for b, m := range means(decoded(t, want)) {
			if math.Abs(m-got[b]) > 3 {
				t.Errorf("%s: band %d has mean %.1f, libvips' command %.1f", name, b, got[b], m)
			}
		}
	}
}

// TestHugePicture checks that a picture near the limit works, and one byte of memory each pixel is not needed.
func TestHugePicture(t *testing.T) {
	dir, e := shared(t), open(t)
	data, err := os.ReadFile(filepath.Join(dir, "huge_9643x10328.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	if r := processed(e, "fit-in/400x400", data, t); r.Height != 400 {
		t.Errorf("%d x %d", r.Width, r.Height)
	}
	limits := imaging.DefaultLimits()
	limits.MaxSourcePixels = 9643*10328 - 1
	_, err = e.Process(t.Context(), sourceOf(data), imaging.Operations{Width: 10}, limits)
	if fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("over the limit: %v", err)
	}
}
