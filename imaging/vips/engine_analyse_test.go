package vips

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	stdimage "image"
	"image/color"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func TestPaletteFilter(t *testing.T) {
	e := open(t)
	src := pngOf(t, gradient(300, 200, false))
	for filters, want := range map[string]int{"palette()": paletteSize, "palette(3)": 3, "palette(16)": 16,
		"palette(2):palette(4)": 4} {
		if got := told(t, e, filters, src).Palette; len(got) != want {
			t.Errorf("%s: %v", filters, got)
		}
	}
	for _, filter := range []string{"palette(99)", "palette(1)", "palette(x)", "palette(3,4)"} {
		_, err := e.Info(
			t.Context(), sourceOf(src),
			imaging.InfoRequest{Operations: imaging.Operations{Filters: imaging.Filters(filter)}},
			imaging.DefaultLimits(),
		)
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), "palette") {
			t.Errorf("%s in /meta: %v, expected %s", filter, err, fault.Invalid)
		}
	}
	clear := told(t, e, "palette():dominant()", pngOf(t, flat(10, 10, clearPixel)))
	if b, _ := json.Marshal(clear); !strings.Contains(string(b), `"palette":[]`) || clear.DominantColor != nil {
		t.Errorf("nothing visible: %s", b)
	}
	b, _ := json.Marshal(told(t, e, "palette():dominant()", pngOf(t, striped(40, []int{30, 10}, whitePixel, redPixel))))
	if !strings.Contains(
		string(b),
		`"palette":[{"r":255,"g":255,"b":255,"share":0.75},{"r":200,"g":30,"b":30,"share":0.25}],"dominant_color":{"r":255,"g":255,"b":255}`,
	) {
		t.Errorf("%s", b)
	}
	if got := told(t, e, "palette():background_color(red)", pngOf(t, flat(10, 10, clearPixel))).
		Palette; len(got) != 1 ||
		got[0].RGB != (imaging.RGB{R: 255}) {
		t.Errorf("over a background: %v", got)
	}
	first := told(t, e, "palette(3)", animation(t, 64, 48, 3)).Palette // the second frame's ground is another
	if len(first) != 3 || first[0].RGB != (imaging.RGB{R: 40, G: 80, B: 200}) {
		t.Errorf("first frame: %v", first)
	}
}

// TestSeenInSRGB checks that colours are sRGB's when the result keeps another space.
func TestSeenInSRGB(t *testing.T) {
	e := open(t)
	src := pngOf(t, flat(40, 40, redPixel))
	p3 := processed(e, "filters:to_colorspace(p3)", src, t).Data
	for name, info := range map[string]*imaging.Info{
		"sRGB": told(t, e, "dominant():avgcolor()", src), "kept P3": told(t, e, "dominant():avgcolor()", p3),
		"to P3":   told(t, e, "dominant():avgcolor():to_colorspace(p3)", src),
		"to CMYK": told(t, e, "dominant():avgcolor():to_colorspace(cmyk):format(jpeg)", src),
	} {
		for _, c := range []*imaging.RGB{info.DominantColor, info.AverageColor} {
			// CMYK has no such red
			if math.Abs(float64(c.R)-200)+math.Abs(float64(c.G)-30)+math.Abs(float64(c.B)-30) > 25 {
				t.Errorf("%s: %v", name, *c)
			}
		}
	}
}

// scene is a picture of soft discs at random.
func scene(seed uint64) *stdimage.NRGBA {
	const width, height = 800, 600
	r := rand.New(rand.NewPCG(seed, 1))
	img := flat(width, height, color.NRGBA{128, 128, 128, 255})
	for range 25 {
		x0, y0, radius := r.IntN(width), r.IntN(height), 40+r.IntN(160)
		c := color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
		for y := max(y0-radius, 0); y < min(y0+radius, height); y++ {
			for x := max(x0-radius, 0); x < min(x0+radius, width); x++ {
				if (x-x0)*(x-x0)+(y-y0)*(y-y0) < radius*radius {
					img.SetNRGBA(x, y, c)
				}
			}
		}
	}
	return img
}

// apart counts the bits in which two perceptual hashes differ.
func apart(t *testing.T, a, b string) int {
	t.Helper()
	x, err1 := strconv.ParseUint(a, 16, 64)
	y, err2 := strconv.ParseUint(b, 16, 64)
	if err1 != nil || err2 != nil || len(a) != 16 || len(b) != 16 {
		t.Fatalf("no hashes: %q %q", a, b)
	}
	return bits.OnesCount64(x ^ y)
}

// TestPHashOfScenes checks that small bad copies have nearly the hash, and other pictures another.
func TestPHashOfScenes(t *testing.T) {
	e := open(t)
	hashes := make([]string, 8)
	for n := range hashes {
		src := pngOf(t, scene(uint64(n+10)))
		hashes[n] = told(t, e, "phash()", src).PHash
		for _, path := range []string{"300x0/filters:format(jpeg):quality(60)",
			"120x90/filters:format(webp):quality(40)", "filters:format(jpeg):quality(10)", "stretch/200x200"} {
			if d := apart(t, hashes[n], told(t, e, "phash()", processed(e, path, src, t).Data).PHash); d > 6 {
				t.Errorf("scene %d, %s: %d bits", n, path, d)
			}
		}
		for k := range n {
			if d := apart(t, hashes[n], hashes[k]); d <= 20 {
				t.Errorf("scenes %d and %d: %d bits", n, k, d)
			}
		}
		if d := apart(t, hashes[n], told(t, e, "phash():rotate(180)", src).PHash); d <= 20 {
			t.Errorf("scene %d upside down: %d bits", n, d)
		}
	}
	black, clear := told(
		t, e, "phash()", pngOf(t, flat(50, 50, color.NRGBA{A: 255})),
	).PHash, told(t, e, "phash()", pngOf(t, flat(50, 50, clearPixel))).PHash
	if black != "0000000000000000" || clear != black {
		t.Errorf("black %s, clear %s", black, clear)
	}
}

func TestPHashOfSharedPictures(t *testing.T) {
	dir, e := shared(t), open(t)
	var hashes []string
	names := []string{
		"exif_landscape_1.jpg",
		"large.jpg",
		"northern_cardinal_bird.jpg",
		"smart-crop.jpg",
		"test.webp",
		"test.png",
		"test3.heic",
		"vertical.jpg",
		"test_exif_full.jpg",
	}
	for n, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, told(t, e, "phash()", data).PHash)
		small := processed(e, "300x0/filters:format(jpeg):quality(60)", data, t).Data
		if d := apart(t, hashes[n], told(t, e, "phash()", small).PHash); d > 6 {
			t.Errorf("%s, 300 pixels wide: %d bits", name, d)
		}
		for k := range n {
			if d := apart(t, hashes[n], hashes[k]); d <= 20 {
				t.Errorf("%s and %s: %d bits", name, names[k], d)
			}
		}
	}
}

// TestLQIP checks that the placeholder is short, bare, and a small copy of the picture.
func TestLQIP(t *testing.T) {
	e := open(t)
	exif := "\xE1Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x31\x00\x02\x00\x00\x00\x04abc\x00\x00\x00\x00\x00"
	loaded := withSegments(jpegOf(t, scene(3)), exif, app1(packet), app13(iim(2, 90, "Oslo")))
	for name, data := range map[string][]byte{
		"scene": pngOf(t, scene(1)), "noise": pngOf(t, noise(400, 300)), "hard": pngOf(t, noise(16, 16)),
		"flat": pngOf(t, flat(40, 40, redPixel)), "narrow": pngOf(t, gradient(900, 3, false)),
		"one pixel": pngOf(t, flat(1, 1, redPixel)),
		"alpha":     pngOf(t, gradient(300, 200, true)), "animation": animation(t, 64, 48, 3), "loaded": loaded,
		"P3": processed(e, "filters:to_colorspace(p3):format(jpeg)", loaded, t).Data,
	} {
		uri := told(t, e, "lqip()", data).LQIP
		kind, encoded, _ := strings.Cut(uri, ";base64,")
		file, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(uri) > maxLQIP || kind != "data:image/webp" && kind != "data:image/jpeg" {
			t.Errorf("%s: %d bytes, %.40q, %v", name, len(uri), uri, err)
			continue
		}
		for _, mark := range []string{"Exif", "EXIF", "XMP ", "ICCP", "ICC_PROFILE", "http", "Photoshop", "ANIM"} {
			if bytes.Contains(file, []byte(mark)) {
				t.Errorf("%s: %q is in it", name, mark)
			}
		}
		want, got := told(t, e, "avgcolor()", data), told(t, e, "avgcolor()", file)
		if got.Width > 16 || got.Height > 16 || max(got.Width, got.Height) < min(12, want.Width) ||
			name == "alpha" && got.Bands != 4 {
			t.Errorf("%s: %d x %d, %d bands", name, got.Width, got.Height, got.Bands)
		}
		a, b := want.AverageColor, got.AverageColor
		if d := math.Abs(float64(a.R)-float64(b.R)) + math.Abs(float64(a.G)-float64(b.G)) +
			math.Abs(float64(a.B)-float64(b.B)); d > 40 {
			t.Errorf("%s: the mean %v became %v", name, *a, *b)
		}
	}
}

// TestPlain checks that nothing of the source's header gets into a placeholder, whatever its format.
func TestPlain(t *testing.T) {
	open(t)
	src := memorySource(withSegments(jpegOf(t, gradient(40, 30, false)), app1(packet), app13(iim(2, 90, "Oslo"))))
	defer src.close()
	img, err := src.load(loaderName(imaging.JPEG), "")
	if err != nil {
		t.Fatal(err)
	}
	defer img.close()
	small, err := img.plain(16)
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	if !img.carries() || small.carries() || small.width() != 16 || small.height() != 12 {
		t.Errorf("%v became %v, %d x %d", img.fields(), small.fields(), small.width(), small.height())
	}
}
