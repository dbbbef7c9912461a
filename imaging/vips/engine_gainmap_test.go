package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"os"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
	"github.com/safelight/safelight/imaging/gainmap"
)

// TestGainMap makes results of files by libultrahdr, whose maps are bright where the pictures are: at a disc and a bar,
// neither in the middle.
func TestGainMap(t *testing.T) {
	e := open(t)
	for _, name := range []string{"gray", "rgb"} {
		file, err := os.ReadFile("../gainmap/testdata/libuhdr-" + name + ".jpg")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			path          string
			width, height int // of the picture
			file          []byte
		}{
			{"", 160, 120, file}, {"80x60", 80, 60, file}, {"fit-in/90x90", 90, 68, file}, {"-120x-90", 120, 90, file},
			{"filters:orient(90)", 120, 160, file}, {"120x160/filters:orient(270)", 120, 160, file},
			{"fit-in/120x90/filters:rotate(90)", 90, 120, file},
			{"11x3:121x97/", 110, 94, file}, {"0.1x0.05:0.9x0.8/96x63", 96, 63, file},
			{"100x100/left/top", 100, 100, file}, {"120x120/right/bottom", 120, 120, file},
			{"filters:crop(10,4,140,80):quality(40)", 140, 80, file},
			{"320x240/filters:upscale():sharpen(1)", 320, 240, file}, {"filters:keep_metadata()", 160, 120, file},
			{"", 120, 160, withOrientation(file, 6)}, {"60x80", 60, 80, withOrientation(file, 8)},
			{"fit-in/120x120/filters:speed(best)", 120, 90, file},
			{"", 160, 120, withOrientation(file, 2)},
			{"0x0:0.6x1/filters:proportion(50)", 60, 40, withOrientation(file, 5)},
		} {
			r := processed(e, c.path+"/filters:format(jpeg)", c.file, t)
			m, err := gainmap.Find(bytes.NewReader(r.Data))
			if err != nil || m == nil || len(r.Warnings) > 0 {
				t.Errorf("%s of %s: no map, %v, %v", c.path, name, err, r.Warnings)
				continue
			}
			compareMap(t, name+" "+c.path, decodedJPEG(t, r.Data), decodedJPEG(t, m.File))
		}
		for _, path := range []string{"filters:brightness(5)", "filters:strip_metadata()", "filters:max_bytes(1500)"} {
			if m, _ := gainmap.Find(bytes.NewReader(processed(e, path, file, t).Data)); m != nil {
				t.Errorf("%s keeps the map", path)
			}
		}
		if r := processed(e, "filters:format(webp)", file, t); bytes.Contains(r.Data, []byte(container.MPFName)) {
			t.Error("a WebP has a list of pictures")
		}
	}
}

func decodedJPEG(t *testing.T, data []byte) stdimage.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// compareMap checks that the map is bright where the picture is, but for borders, and no finer than the picture.
func compareMap(t *testing.T, name string, picture, m stdimage.Image) {
	t.Helper()
	p, g := picture.Bounds(), m.Bounds()
	if g.Dx() > p.Dx() || g.Dy() > p.Dy() || 5*g.Dx() < p.Dx() && p.Dx() <= 160 ||
		g.Dx()*p.Dy()-g.Dy()*p.Dx() > 2*p.Dx() {
		t.Errorf("%s: a map of %v for %v", name, g, p)
	}
	level := func(img stdimage.Image, x, y int) uint8 { return color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y }
	bright, wrong := 0, 0
	for y := range g.Dy() {
		for x := range g.Dx() {
			inPicture := level(picture, (2*x+1)*p.Dx()/(2*g.Dx()), (2*y+1)*p.Dy()/(2*g.Dy())) > 150
			if inPicture {
				bright++
			}
			if inPicture != (level(m, x, y) > 100) {
				wrong++
			}
		}
	}
	if all := g.Dx() * g.Dy(); bright < all/50 || wrong > all/40 {
		t.Errorf("%s: of %d pixels of the map %d are bright in the picture, %d differ", name, all, bright, wrong)
	}
}

// TestDamagedGainMap makes results of files whose map is damaged, or claims what it is not: the picture comes without
// it.
func TestDamagedGainMap(t *testing.T) {
	e := open(t)
	file, err := os.ReadFile("../gainmap/testdata/libuhdr-gray.jpg")
	if err != nil {
		t.Fatal(err)
	}
	m, err := gainmap.Find(bytes.NewReader(file))
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	start := len(file) - len(m.File)
	cut := append([]byte(nil), file...)
	for n := start + bytes.Index(m.File, []byte{0xFF, 0xDA}) + 20; n < len(cut); n++ {
		cut[n] = 0
	}
	large := append([]byte(nil), file...) // a map of 65,500 pixels in each line
	at := start + bytes.Index(m.File, []byte{0xFF, 0xC0})
	large[at+7], large[at+8] = 0xFF, 0xDC
	for name, data := range map[string][]byte{"damaged": cut, "large": large} {
		r := processed(e, "80x60", data, t)
		found, _ := gainmap.Find(bytes.NewReader(r.Data))
		if found != nil || decodedJPEG(t, r.Data).Bounds().Dx() != 80 {
			t.Errorf("%s: the result has a map", name)
		}
		if warned := len(r.Warnings) == 1 && strings.Contains(r.Warnings[0].Message, "gain map"); warned != (name == "damaged") {
			t.Errorf("%s: %v", name, r.Warnings)
		}
	}
}

// withMap returns the photo with that gain map, a JPEG, which is described as that of a file of libultrahdr.
func withMap(t *testing.T, photo, scaled []byte) []byte {
	t.Helper()
	file, err := os.ReadFile("../gainmap/testdata/libuhdr-gray.jpg")
	if err != nil {
		t.Fatal(err)
	}
	m, err := gainmap.Find(bytes.NewReader(file))
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return m.Join(photo, scaled)
}

// TestProgressiveGainMap drops a progressive map, whose coefficients are all in memory, however small the result is.
func TestProgressiveGainMap(t *testing.T) {
	e := open(t)
	photo, scaled := jpegOf(t, photograph(400, 300)), jpegOf(t, photograph(200, 150))
	for options, want := range map[string]bool{"strip=true": true, "strip=true,interlace=true": false} {
		r := processed(e, "100x75", withMap(t, photo, libvipsMakes(t, e, scaled, imaging.JPEG, options)), t)
		if m, err := gainmap.Find(bytes.NewReader(r.Data)); err != nil || (m != nil) != want || len(r.Warnings) > 0 {
			t.Errorf(
				"a map saved with %s: the result has one: %v, expected %v; %v %v", options, m != nil, want,
				err, r.Warnings,
			)
		}
	}
}

// TestGainMapIsCounted checks that jobs are estimated by the size that the map's own header says.
func TestGainMapIsCounted(t *testing.T) {
	open(t)
	var estimate imaging.Cost
	e, err := New(Config{Planned: func(c imaging.Cost) { estimate = c }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	photo := jpegOf(t, photograph(1600, 1200))
	of := func(width, height int) imaging.Cost {
		processed(e, "1600x1200", withMap(t, photo, jpegOf(t, photograph(width, height))), t)
		return estimate
	}
	small, large := of(400, 300), of(1600, 1200)
	if large.CPU < small.CPU*5/4 || large.Memory < small.Memory+800*600*3 {
		t.Errorf("%+v with a map of 1600x1200, %+v with one of 400x300", large, small)
	}
}

// TestSharedGainMap checks that a result of shared pixels has the map that it has alone, whether the file is in memory
// or not.
func TestSharedGainMap(t *testing.T) {
	e, limits := open(t), imaging.DefaultLimits()
	photo := jpegOf(t, photograph(800, 600))
	data := withMap(t, photo, jpegOf(t, photograph(200, 150)))
	pixels, of, err := decodedTogether(t, e, inMemory("photo", data), []string{"100x", "300x"}, limits)
	if err != nil {
		t.Fatal(err)
	}
	for path, load := range of {
		alone, err := e.Process(t.Context(), inMemory("photo", data), opsOf(t, path), limits)
		if err != nil {
			t.Fatal(err)
		}
		p := pixels[load]
		with := imaging.Source{
			Name:    "photo",
			Size:    int64(len(data)),
			Version: "photo",
			Reader:  bytes.NewReader(data),
			Pixels:  &p,
		}
		together, err := e.Process(t.Context(), with, opsOf(t, path), limits)
		if err != nil || !bytes.Equal(together.Data, alone.Data) {
			t.Errorf("%s: other bytes, %v", path, err)
		}
		if m, err := gainmap.Find(bytes.NewReader(alone.Data)); m == nil || err != nil {
			t.Errorf("%s: no map, %v", path, err)
		}
	}
}
