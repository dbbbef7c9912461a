package vips

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/color"
	"image/gif"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestTurnsCounterClockwise holds rotate() and orient() to the direction of thumbor and imagor; EXIF's stays.
func TestTurnsCounterClockwise(t *testing.T) {
	e := open(t)
	red, blue := color.NRGBA{230, 20, 20, 255}, color.NRGBA{20, 20, 230, 255}
	img := flat(40, 20, red)
	for y := range 20 {
		for x := 20; x < 40; x++ {
			img.SetNRGBA(x, y, blue)
		}
	}
	for filter, top := range map[string]color.NRGBA{
		"rotate(90)": blue, "orient(90)": blue, "rotate(270)": red, "orient(270)": red} {
		got := decoded(t, processed(e, "filters:"+filter, pngOf(t, img), t).Data)
		if size := got.Bounds().Size(); size != stdimage.Pt(20, 40) || !near(at(got, 10, 5), top, 2) {
			t.Errorf("%s: %v with %v at the top, expected 20x40 with %v", filter, size, at(got, 10, 5), top)
		}
	}
	got := decoded(t, processed(e, "filters:format(png)", withOrientation(jpegOf(t, img), 6), t).Data)
	if !near(at(got, 10, 5), red, 8) {
		t.Errorf("EXIF's orientation 6 has %v at the top, expected red: it turns clockwise", at(got, 10, 5))
	}
}

// TestTonesCompose checks that neighboring tone filters are rounded and clipped once, at their end.
func TestTonesCompose(t *testing.T) {
	e := open(t)
	img := gradient(256, 64, true)
	for x := range 256 {
		img.SetNRGBA(x, 0, color.NRGBA{uint8(x), uint8(255 - x), 255, 255})
	}
	data := pngOf(t, img)
	contrast := func(v float64) float64 { f := 259 * (102 + 255.0) / (255 * (259 - 102.0)); return f*(v-128) + 128 }
	for filters, f := range map[string]func(v float64) float64{
		"brightness(30):brightness(-30)":                     func(v float64) float64 { return v },
		"brightness(30):blur(0):brightness(-30)":             func(v float64) float64 { return v },
		"contrast(40):brightness(-20)":                       func(v float64) float64 { return contrast(v) - 51 },
		"invert():brightness(80):invert()":                   func(v float64) float64 { return v - 204 },
		"rgb(90,90,90):modulate(0,0,0):rgb(-90,-90,-90)":     func(v float64) float64 { return v },
		"brightness(50):hue(90):hue(-90):brightness(-50)":    func(v float64) float64 { return v },
		"brightness(50):hue(90):hue(-89.99):brightness(-50)": func(v float64) float64 { return v },
		"brightness(-50):saturation(0.01):brightness(50)":    func(v float64) float64 { return v },
	} {
		got := decoded(t, processed(e, "filters:"+filters, data, t).Data)
		worst := 0
		for y := range 64 {
			for x := range 256 {
				a, b := img.NRGBAAt(x, y), at(got, x, y)
				for n, v := range [3]uint8{a.R, a.G, a.B} {
					want := uint8(min(max(f(float64(v))+0.5, 0), 255))
					worst = max(worst, gap(want, [3]uint8{b.R, b.G, b.B}[n]))
				}
				if a.A != b.A {
					t.Fatalf("%s changes alpha", filters)
				}
			}
		}
		if worst > 1 {
			t.Errorf("%s: a pixel differs by %d levels from its formula, expected at most 1", filters, worst)
		}
	}
}

// TestToneStagesAgree holds the stages in float to libvips' own conversions, where nothing clips.
func TestToneStagesAgree(t *testing.T) {
	e := open(t)
	img := gradient(120, 90, false)
	for n := range img.Pix { // away from the ends
		if n%4 < 3 {
			img.Pix[n] = 80 + img.Pix[n]/4
		}
	}
	data := pngOf(t, img)
	for _, filter := range []string{"hue(70)", "saturation(40)", "modulate(10,-30,200)", "grayscale()"} {
		want := processed(e, "filters:brightness(4)", processed(e, "filters:"+filter, data, t).Data, t)
		got := processed(e, "filters:"+filter+":brightness(4)", data, t)
		a, b := decoded(t, got.Data), decoded(t, want.Data)
		for y := range 90 {
			for x := range 120 {
				if !near(at(a, x, y), at(b, x, y), 2) {
					t.Fatalf("%s: %v at %d,%d, expected about %v", filter, at(a, x, y), x, y, at(b, x, y))
				}
			}
		}
	}
}

// TestReadsBMP checks that a BMP is decoded, without what its header only claims.
func TestReadsBMP(t *testing.T) {
	e := open(t)
	encoded := func(img stdimage.Image) []byte {
		var b bytes.Buffer
		if err := bmp.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, file := range map[string][]byte{"palette": encoded(inPalette(scenery(33, 21))),
		"24 bits": encoded(scenery(33, 21)), "alpha": clearBMP(glass(33, 21))} {
		whole, err := bmp.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		result := processed(e, "filters:format(png)", file, t)
		if d := difference(decoded(t, result.Data), whole); d > 0.5 {
			t.Errorf("%s: differs by %.1f levels", name, d)
		}
		info := told(t, e, "", file)
		if info.Width != 33 || info.Height != 21 || info.Pages != 1 {
			t.Errorf("%s: /meta says %+v", name, info)
		}
		if _, err := process(e, "10x", file[:len(file)-400], t); fault.CodeOf(err) != fault.CorruptImage {
			t.Errorf("%s, cut short: %v, expected CORRUPT_IMAGE", name, err)
		}
	}
}

// TestDescribesDocuments holds /meta to what a document is.
func TestDescribesDocuments(t *testing.T) {
	e := open(t)
	limits := imaging.DefaultLimits()
	limits.AllowPDF = true
	for _, c := range []struct {
		data    []byte
		filters string
		format  imaging.Format
		pages   int
	}{
		{document(), "", imaging.PDF, 2},
		{document(), "format(png)", imaging.PNG, 1},
		{tiffOf(scenery(8, 6), scenery(8, 6), scenery(8, 6)), "", imaging.TIFF, 3},
		{[]byte(drawing), "", imaging.SVG, 1},
	} {
		info, err := e.Info(t.Context(), sourceOf(c.data), asking(c.filters), limits)
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != c.format || info.ContentType != c.format.ContentType() || info.Pages != c.pages {
			t.Errorf(
				"%s %s: %s, %s, %d pages, expected %s and %d", c.format, c.filters, info.Format,
				info.ContentType, info.Pages, c.format, c.pages,
			)
		}
	}
}

// TestLabelSize holds a label to the size of its ink.
func TestLabelSize(t *testing.T) {
	if !goldenFont() {
		t.Skip("the font DejaVu Sans is not installed (package fonts-dejavu-core)")
	}
	e := open(t)
	black := pngOf(t, flat(400, 100, color.NRGBA{0, 0, 0, 255}))
	for text, want := range map[string]stdimage.Point{"IMAGOR": {207, 40}, "aces": {0, 40}, "gyp": {0, 40}} {
		img := decoded(t, processed(e, "filters:label("+text+",10,10,40,white,0,dejavu-sans)", black, t).Data)
		var ink stdimage.Rectangle
		for y := range 100 {
			for x := range 400 {
				if at(img, x, y).R > 40 {
					ink = ink.Union(stdimage.Rect(x, y, x+1, y+1))
				}
			}
		}
		if got := ink.Size(); got.Y < 39 || got.Y > 41 || want.X > 0 && (got.X < want.X-4 || got.X > want.X+4) ||
			ink.Min.Y < 9 ||
			ink.Min.Y > 11 {
			t.Errorf("%s inks %v at %v, expected %v", text, got, ink.Min, want)
		}
	}
}

// TestGrayStaysOneBand checks that a picture without color is written so.
func TestGrayStaysOneBand(t *testing.T) {
	e := open(t)
	gray := stdimage.NewGray(stdimage.Rect(0, 0, 64, 48))
	for n := range gray.Pix {
		gray.Pix[n] = uint8(n * 7)
	}
	colored := pngOf(t, scenery(64, 48))
	for _, c := range []struct {
		filters string
		data    []byte
		bands   int
	}{
		{"blur(1)", pngOf(t, gray), 1},
		{"format(jpeg)", pngOf(t, gray), 1},
		{"padding(888,3)", pngOf(t, gray), 1},
		{"round_corner(9)", pngOf(t, gray), 2},
		{"padding(red,3)", pngOf(t, gray), 3},
		{"rgb(10,0,0)", pngOf(t, gray), 3},
		{"grayscale()", colored, 1},
		{"grayscale():format(jpeg)", colored, 1},
		{"grayscale():quality(auto):format(jpeg)", colored, 1},
		{"grayscale():background_color(blue)", colored, 1},
		{"grayscale():rgb(0,9,0)", colored, 3},
		{"brightness(3)", colored, 3},
	} {
		result := processed(e, "filters:"+c.filters, c.data, t)
		file := memorySource(result.Data)
		img, err := file.load(loaderName(result.Format), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := img.bands(); got != c.bands {
			t.Errorf("%s: a %s of %d bands, expected %d", c.filters, result.Format, got, c.bands)
		}
		img.close()
		file.close()
		if info := told(t, e, c.filters, c.data); info.Bands != c.bands {
			t.Errorf("%s: /meta says %d bands, expected %d", c.filters, info.Bands, c.bands)
		}
	}
}

// TestHardEdgesKeepTheirColor checks that what is transparent does not darken what is not.
func TestHardEdgesKeepTheirColor(t *testing.T) {
	e := open(t)
	want := color.NRGBA{250, 230, 40, 255}
	img := flat(120, 120, color.NRGBA{})
	carried := flat(120, 120, color.NRGBA{want.R, want.G, want.B, 0})
	for y := range 120 {
		for x := range 120 {
			if (x/13+y/11)%2 == 0 {
				img.SetNRGBA(x, y, want)
				carried.SetNRGBA(x, y, want)
			}
		}
	}
	apart := func(path string, source *stdimage.NRGBA) (float64, error) {
		result, err := process(e, path, pngOf(t, source), t)
		if err != nil {
			return 0, err
		}
		pixels, err := unpacked(result)
		if err != nil {
			return 0, err
		}
		sum, n := 0, 0
		for y := range 120 {
			for x := range 120 {
				if img.NRGBAAt(x, y).A == 255 {
					got := pixels.NRGBAAt(x, y)
					sum += gap(got.R, want.R) + gap(got.G, want.G) + gap(got.B, want.B)
					n += 3
				}
			}
		}
		return float64(sum) / float64(n), nil
	}
	for _, f := range []imaging.Format{imaging.AVIF, imaging.JXL, imaging.JP2} {
		path := fmt.Sprintf("filters:format(%s):quality(40)", f)
		best, err := apart(path, carried)
		if fault.CodeOf(err) == fault.UnsupportedFormat {
			continue
		}
		got, err2 := apart(path, img)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got > best+0.5 {
			t.Errorf(
				"%s: the visible pixels differ by %.1f levels, by %.1f where one color is everywhere", f, got,
				best,
			)
		}
	}
}

// TestSmallerGIFKeepsItsQuality checks that a GIF made smaller looks like the same picture as a PNG, whatever the size
// of its file: thin lines in two colors need many shades when they are scaled.
func TestSmallerGIFKeepsItsQuality(t *testing.T) {
	e := open(t)
	palette := color.Palette{color.White, color.Black}
	source := gifOfLines(t, palette, 600, 450)
	for _, path := range []string{"fit-in/300x0", "400x300", "fit-in/599x0"} {
		got := processed(e, path, source, t)
		if got.Format != imaging.GIF {
			t.Fatalf("%s is %s", path, got.Format)
		}
		want := processed(e, path+"/filters:format(png)", source, t)
		shown, err := gif.Decode(bytes.NewReader(got.Data))
		if err != nil {
			t.Fatal(err)
		}
		if db := psnr(shown, decoded(t, want.Data)); db < 35 {
			t.Errorf(
				"%s: the GIF of %d bytes (the source has %d) is %.1f dB from the PNG, expected 35 or more",
				path, len(got.Data), len(source), db,
			)
		}
	}
}

// psnr returns how near two gray pictures of one size are, in decibels.
func psnr(a, b stdimage.Image) float64 {
	sum, size := 0.0, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			u, _, _, _ := a.At(x, y).RGBA()
			v, _, _, _ := b.At(x, y).RGBA()
			sum += math.Pow(float64(u)-float64(v), 2)
		}
	}
	return 10 * math.Log10(65535*65535*float64(size.X*size.Y)/max(sum, 1))
}

// gifOfLines is a GIF of thin circles, which is small because it has few colors.
func gifOfLines(t *testing.T, palette color.Palette, width, height int) []byte {
	t.Helper()
	frame := stdimage.NewPaletted(stdimage.Rect(0, 0, width, height), palette)
	for n := range frame.Pix {
		x, y := n%width-width/2, n/width-height/2
		if int(math.Sqrt(float64(x*x+y*y)))%24 < 3 {
			frame.Pix[n] = 1
		}
	}
	config := stdimage.Config{ColorModel: palette, Width: width, Height: height} // a palette of the whole file
	return gifBytes(t, &gif.GIF{Config: config, Image: []*stdimage.Paletted{frame}, Delay: []int{0}})
}

// TestCorruptJPEGWarns checks that a picture of corrupt data says so.
func TestCorruptJPEGWarns(t *testing.T) {
	e := open(t)
	good := jpegOf(t, noise(400, 300))
	broken := bytes.Clone(good)
	for n := len(broken) / 2; n < len(broken)/2+60; n++ {
		broken[n] = byte(n * 37)
	}
	short := good[:len(good)*2/3]
	layer := imaging.Operations{Filters: "image(broken.jpg,0,0)"}
	for name, c := range map[string]struct {
		data []byte
		warn bool
	}{"good": {good, false}, "broken": {broken, true}, "cut short": {short, true}} {
		warned := func(list []imaging.Warning) bool {
			return len(list) == 1 && strings.Contains(list[0].Message, "corrupt")
		}
		if r := processed(e, "200x/filters:format(png)", c.data, t); warned(r.Warnings) != c.warn {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
		if r := processed(e, "filters:preview():blur(2)", c.data, t); warned(r.Warnings) != c.warn {
			t.Errorf("%s, a preview: warnings %v", name, r.Warnings)
		}
		if info := told(t, e, "avgcolor()", c.data); warned(info.Warnings) != c.warn {
			t.Errorf("%s: /meta warns %v", name, info.Warnings)
		}
		r, err := layered(
			t, e, "filters:"+string(layer.Filters), pngOf(t, scenery(40, 30)),
			map[string][]byte{"broken.jpg": c.data}, imaging.DefaultLimits(),
		)
		if err != nil || warned(r.Warnings) != c.warn {
			t.Errorf("%s, as a layer: %v, %v", name, r, err)
		}
	}
}

// exifWith returns an EXIF block with text tags of the first directory and of EXIF's own.
func exifWith(first, exif map[uint16]string) string {
	block := []byte("MM\x00*\x00\x00\x00\x08")
	put := func(n, size int) {
		for k := size - 1; k >= 0; k-- {
			block = append(block, byte(n>>(8*k)))
		}
	}
	directory := func(tags map[uint16]string, pointer bool) {
		count, texts := len(tags), ""
		if pointer {
			count++
		}
		end := len(block) + 2 + 12*count + 4
		put(count, 2)
		for tag := range 1 << 16 {
			text, ok := tags[uint16(tag)]
			if ok {
				put(tag, 2)
				put(2, 2)
				put(len(text)+1, 4)
				put(end+len(texts), 4)
				texts += text + "\x00"
			}
			if pointer && tag == 0x8769 {
				put(tag, 2)
				put(4, 2)
				put(1, 4)
				put(0, 4) // set below
			}
		}
		put(0, 4)
		block = append(block, texts...)
	}
	directory(first, true)
	at := bytes.Index(block, []byte{0x87, 0x69, 0, 4, 0, 0, 0, 1}) + 8
	start := len(block)
	block[at], block[at+1], block[at+2], block[at+3] = byte(start>>24), byte(start>>16), byte(start>>8), byte(start)
	directory(exif, false)
	return "\xE1Exif\x00\x00" + string(block)
}

// TestMetadataLeft holds what leaves in a result: copyright, artist and credit, and with keep_metadata() what is
// harmless.
func TestMetadataLeft(t *testing.T) {
	e := open(t)
	long := "Photographer " + strings.Repeat("of the long name ", 20)
	secret := "SER-4711-XYZ"
	data := withSegments(
		jpegOf(t, noise(300, 200)),
		exifWith(
			map[uint16]string{
				0x10F:  "MakerName",
				0x110:  "ModelName",
				0x13B:  long,
				0x8298: "(C) Jane (2024)",
				0xC62F: secret,
			},
			map[uint16]string{0xA431: secret, 0xA435: secret, 0xA434: "LensModelName"},
		),
		app1(
			`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf aux:SerialNumber="`+secret+`">`+
				strings.Repeat("filler ", 3000)+`</rdf></x:xmpmeta>`,
		),
		app13(
			iim(2, 25, "keyword-sun")+iim(2, 80, "Jane Byline")+iim(2, 110, "Agency Credit")+
				iim(2, 116, "IPTC copyright")+iim(2, 90, "Oslo"),
		),
	)
	for _, c := range []struct {
		path        string
		has, hasNot []string
		beyond      int // bytes beyond those of the picture
	}{
		{"40x", []string{long, "(C) Jane (2024)", "Jane Byline", "Agency Credit", "IPTC copyright"},
			[]string{secret, "MakerName", "LensModel", "keyword-sun", "Oslo", "xmpmeta"}, 2000},
		{"40x/filters:keep_metadata()", []string{long, "(C) Jane (2024)", "MakerName", "LensModelName", "keyword-sun",
			"Oslo"}, []string{secret, "xmpmeta"}, 3000},
		{"40x/filters:strip_exif()", []string{"Jane Byline"}, []string{secret, "(C) Jane", "MakerName"}, 1500},
		{"40x/filters:strip_metadata():keep_metadata()", nil, []string{secret, "Jane", "IPTC", "MakerName"}, 100},
		{"40x/filters:format(webp)", []string{long, "(C) Jane (2024)"}, []string{secret, "MakerName", "xmpmeta"}, 2000},
	} {
		result := processed(e, c.path, data, t)
		by := imaging.ByLibvips
		if len(c.has) == 0 {
			by = imaging.ByPixels
		}
		if got := result.Route.Encode; got != by {
			t.Errorf("%s is encoded by %s, expected %s", c.path, got, by)
		}
		for _, text := range c.has {
			if !bytes.Contains(result.Data, []byte(text)) {
				t.Errorf("%s lacks %.30s", c.path, text)
			}
		}
		for _, text := range c.hasNot {
			if bytes.Contains(result.Data, []byte(text)) {
				t.Errorf("%s carries %s", c.path, text)
			}
		}
		if n := len(result.Data); n > 1500+c.beyond {
			t.Errorf("%s has %d bytes", c.path, n)
		}
	}
	harmless := withSegments(jpegOf(t, noise(30, 20)), app1(packet))
	if r := processed(e, "filters:keep_metadata()", harmless, t); !bytes.Contains(r.Data, []byte("xmpmeta")) {
		t.Error("keep_metadata() loses harmless XMP")
	}
	if r := processed(e, "filters:quality(80)", harmless, t); bytes.Contains(r.Data, []byte("xmpmeta")) {
		t.Error("XMP leaves without keep_metadata()")
	}
}
