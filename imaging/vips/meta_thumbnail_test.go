package vips

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	stdimage "image"
	"image/jpeg"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/embedded"
	"github.com/safelight/safelight/imaging/oklab"
)

const indexFilters = "blurhash(4,3):thumbhash():dominant():phash():sha256()"

// sampled is what the index asks for.
func sampled(t *testing.T, e *Engine, data []byte) (*imaging.Info, error) {
	t.Helper()
	o := imaging.Operations{Filters: indexFilters, Fit: imaging.Fit{In: true}, Width: 256, Height: 256}
	return e.Info(
		t.Context(), sourceOf(data), imaging.InfoRequest{Operations: o, Sample: true},
		imaging.DefaultLimits(),
	)
}

// thumbnailIn is a segment with an orientation and a thumbnail.
func thumbnailIn(orientation uint16, thumbnail []byte) string {
	b := []byte("Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	b = binary.BigEndian.AppendUint16(b, orientation)
	b = append(
		b,
		"\x00\x00\x00\x00\x00\x1A\x00\x02\x02\x01\x00\x04\x00\x00\x00\x01\x00\x00\x00\x38\x02\x02\x00\x04\x00\x00\x00\x01"...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(thumbnail)))
	return "\xE1" + string(append(append(b, 0, 0, 0, 0), thumbnail...))
}

// smaller is every nth pixel of a picture.
func smaller(img *stdimage.NRGBA, n int) *stdimage.NRGBA {
	out := stdimage.NewNRGBA(stdimage.Rect(0, 0, img.Rect.Dx()/n, img.Rect.Dy()/n))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetNRGBA(x, y, img.NRGBAAt(x*n, y*n))
		}
	}
	return out
}

// sameAnalysis checks that hashes and colors are those that libvips' scaling gives, but for its rounding.
func sameAnalysis(t *testing.T, name string, got, want *imaging.Info) {
	t.Helper()
	if d := apart(t, got.PHash, want.PHash); d > 2 {
		t.Errorf("%s: the perceptual hashes differ in %d bits, expected at most 2", name, d)
	}
	if got.DominantColor == nil || want.DominantColor == nil || !isMain(*got.DominantColor, want) {
		t.Errorf(
			"%s: the main color is %v, expected %v of %v", name, got.DominantColor, want.DominantColor,
			want.Palette,
		)
	}
	a, err1 := base64.StdEncoding.DecodeString(got.ThumbHash)
	b, err2 := base64.StdEncoding.DecodeString(want.ThumbHash)
	if err1 != nil || err2 != nil || len(a) != len(b) || len(a) < 5 || len(got.BlurHash) != len(want.BlurHash) {
		t.Errorf(
			"%s: the placeholders are %q %q, expected %q %q", name, got.ThumbHash, got.BlurHash,
			want.ThumbHash, want.BlurHash,
		)
		return
	}
	for shift := 0; shift < 18; shift += 6 { // the mean, in 64 steps
		x, y := int(a[shift/8])|int(a[shift/8+1])<<8, int(b[shift/8])|int(b[shift/8+1])<<8
		if d := x>>(shift%8)&63 - y>>(shift%8)&63; d < -1 || d > 1 {
			t.Errorf("%s: the mean of the ThumbHash is off by %d of 64 steps", name, d)
		}
	}
}

// isMain reports whether a color is the main one of a picture, or one that weighs about as much, as sky and street may.
func isMain(c imaging.RGB, of *imaging.Info) bool {
	weight := func(c imaging.PaletteColour) float64 { return c.Share * (1 + 2.5*oklab.Of(c.RGB).Chroma()) }
	heaviest := 0.0
	for _, of := range of.Palette {
		heaviest = max(heaviest, weight(of))
	}
	near := func(a, b imaging.RGB, by float64) bool { return oklab.Of(a).Squared(oklab.Of(b)) <= by*by }
	return near(c, *of.DominantColor, 0.02) || slices.ContainsFunc(of.Palette, func(p imaging.PaletteColour) bool {
		return weight(p) > 0.93*heaviest && near(c, p.RGB, 0.035) // its pixels are grouped again
	})
}

// TestSample compares what the index finds with what libvips' scaling gives of the picture, or of its thumbnail, and
// its size, EXIF data and sum with those of the file.
func TestSample(t *testing.T) {
	e := open(t)
	sources := map[string][]byte{
		"tiny": jpegOf(t, photograph(20, 16)),
		"long": jpegOf(t, photograph(1900, 200)),
		"dark": jpegOf(t, flat(600, 400, redPixel)),
	}
	for name, size := range map[string][2]int{"large": {4000, 3000}, "middle": {1600, 1067}, "upright": {900, 1200},
		"small": {300, 400}, "narrow": {2400, 300}} {
		sources[name] = jpegOf(t, photograph(size[0], size[1]))
	}
	files, _ := filepath.Glob("../../../shared/images/*.jp*g")
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil {
			sources[filepath.Base(f)] = data
		}
	}
	for name, data := range sources {
		fitted := imaging.Operations{
			Filters: indexFilters + ":palette(5)",
			Fit:     imaging.Fit{In: true},
			Width:   256,
			Height:  256,
		}
		if name == "long" {
			fitted = imaging.Operations{Filters: indexFilters + ":palette(5)"}
		}
		looked := data
		// those of CMYK are not looked at
		if _, _, thumbnail := embedded.Find(bytes.NewReader(data)); thumbnail != nil &&
			name != "cmyk_orientation_exif.jpg" {
			looked = withProfileOf(data, thumbnail.Data, uint16(told(t, e, "", data).Orientation))
		}
		want, wantErr := e.Info(
			t.Context(), sourceOf(looked), imaging.InfoRequest{Operations: fitted}, imaging.DefaultLimits(),
		)
		got, err := sampled(t, e, data)
		if wantErr != nil || err != nil {
			if (wantErr == nil) != (err == nil) {
				t.Errorf("%s: %v, expected %v", name, err, wantErr)
			}
			continue
		}
		file := told(t, e, "sha256()", data)
		if got.Width != file.Width || got.Height != file.Height || got.SHA256 != file.SHA256 ||
			got.Orientation != file.Orientation ||
			!reflect.DeepEqual(got.Exif, file.Exif) {
			t.Errorf(
				"%s: %dx%d %d %s %v, expected %dx%d %d %s %v", name, got.Width, got.Height, got.Orientation,
				got.SHA256, got.Exif, file.Width, file.Height, file.Orientation, file.SHA256, file.Exif,
			)
		}
		sameAnalysis(t, name, got, want)
	}
}

// TestSampleOfThumbnail checks that a fitting thumbnail is looked at instead of the picture, turned and in the color
// space that the file says.
func TestSampleOfThumbnail(t *testing.T) {
	e := open(t)
	whole := jpegOf(t, scene(4))
	p3 := processed(e, "filters:to_colorspace(p3):format(jpeg):quality(95)", pngOf(t, scene(4)), t).Data
	small := jpegOf(t, smaller(scene(9), 5))
	for orientation := range uint16(9) {
		for name, file := range map[string][]byte{"sRGB": whole, "P3": p3} {
			same := withProfileOf(file, small, orientation)
			want, err := e.Info(t.Context(), sourceOf(same), asking(indexFilters), imaging.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			data := withSegments(file, thumbnailIn(orientation, small))
			got, err := sampled(t, e, data)
			if err != nil {
				t.Fatalf("%s turned by %d: %v", name, orientation, err)
			}
			sameAnalysis(t, name, got, want)
			if header := told(t, e, "", data); got.Width != header.Width || got.Height != header.Height ||
				got.Width+got.Height != 1400 {
				t.Errorf(
					"%s turned by %d: %dx%d, expected %dx%d", name, orientation, got.Width, got.Height,
					header.Width, header.Height,
				)
			}
		}
	}
	plain := told(t, e, "phash()", whole)
	if d := apart(t, plain.PHash, told(t, e, "phash()", small).PHash); d < 10 {
		t.Fatalf("picture and thumbnail differ in %d bits only: this test sees nothing", d)
	}
	damaged := bytes.Clone(small)
	for n := len(damaged) / 2; n < len(damaged)/2+20; n++ {
		damaged[n] = 0xFF
	}
	var grey bytes.Buffer
	if err := jpeg.Encode(&grey, stdimage.NewGray(stdimage.Rect(0, 0, 160, 120)), nil); err != nil {
		t.Fatal(err)
	}
	claims := bytes.Clone(small) // to have 40,000 x 30,000 pixels
	frame := bytes.Index(claims, []byte("\xFF\xC0\x00\x11\x08"))
	copy(claims[frame+5:], "\x75\x30\x9C\x40")
	for name, thumbnail := range map[string][]byte{
		"damaged": damaged, "gray": grey.Bytes(), "cut off": small[:len(small)/2], "too large": claims} {
		got, err := sampled(t, e, withSegments(whole, thumbnailIn(1, thumbnail)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameAnalysis(t, name, got, plainSample(t, e, whole))
	}
}

func plainSample(t *testing.T, e *Engine, data []byte) *imaging.Info {
	t.Helper()
	info, err := sampled(t, e, data)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// withProfileOf is a picture with an orientation and the color profile of another file.
func withProfileOf(file, picture []byte, orientation uint16) []byte {
	segments := []string{thumbnailIn(orientation, nil)}
	for at := 2; at+4 < len(file) && file[at] == 0xFF && file[at+1] != 0xDA; {
		size := int(binary.BigEndian.Uint16(file[at+2:]))
		if file[at+1] == 0xE2 {
			segments = append(segments, string(file[at+1:at+2])+string(file[at+4:at+2+size]))
		}
		at += 2 + size
	}
	return withSegments(picture, segments...)
}

// TestSampleLimits checks that a file is as limited as for a result, but for the size of one.
func TestSampleLimits(t *testing.T) {
	e := open(t)
	data := withSegments(jpegOf(t, scene(4)), thumbnailIn(1, jpegOf(t, smaller(scene(4), 5))))
	ask := func(change func(*imaging.Limits)) error {
		limits := imaging.DefaultLimits()
		change(&limits)
		_, err := e.Info(
			t.Context(), sourceOf(data),
			imaging.InfoRequest{Operations: imaging.Operations{Filters: indexFilters}, Sample: true}, limits,
		)
		return err
	}
	if err := ask(func(l *imaging.Limits) { l.MaxResultSide, l.MaxResultPixels = 50, 2500 }); err != nil {
		t.Errorf("more than a result may have: %v", err)
	}
	if err := ask(func(l *imaging.Limits) { l.MaxSourcePixels = 800*600 - 1 }); err == nil {
		t.Error("more pixels than a source may have: no error")
	}
	if err := ask(func(l *imaging.Limits) { l.MaxSourceBytes = int64(len(data)) - 1 }); err == nil {
		t.Error("more bytes than a source may have: no error")
	}
}
