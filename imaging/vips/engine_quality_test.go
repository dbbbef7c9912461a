package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// photograph paints what has the spectrum of one: soft shapes, edges, texture and noise.
func photograph(width, height int) *stdimage.NRGBA {
	random := rand.New(rand.NewPCG(7, 11))
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	type disc struct{ x, y, r, red, green, blue float64 }
	discs := make([]disc, 40)
	for n := range discs {
		discs[n] = disc{random.Float64() * float64(width), random.Float64() * float64(height), 10 + random.Float64()*80,
			random.Float64() * 255, random.Float64() * 255, random.Float64() * 255}
	}
	for y := range height {
		var crossed []disc
		for _, d := range discs {
			if math.Abs(float64(y)-d.y) < d.r {
				crossed = append(crossed, d)
			}
		}
		for x := range width {
			r, g, b := 60+80*float64(y)/float64(height), 90+30*math.Sin(float64(x)/40), 140-60*float64(x)/float64(width)
			for _, d := range crossed {
				if dx, dy := float64(x)-d.x, float64(y)-d.y; dx*dx+dy*dy < d.r*d.r {
					r, g, b = d.red, d.green, d.blue+20*math.Sin(dx/3)*math.Cos(dy/4)
				}
			}
			noise := random.NormFloat64()
			clamp := func(v float64) uint8 { return uint8(min(max(v+noise, 0), 255)) }
			img.SetNRGBA(x, y, color.NRGBA{clamp(r), clamp(g), clamp(b), 255})
		}
	}
	return img
}

func lumaOf(t *testing.T, data []byte) plane {
	t.Helper()
	source := memorySource(data)
	defer source.close()
	lazy, err := source.load(loaderName(sniff(data)), "")
	if err != nil {
		t.Fatal(err)
	}
	defer lazy.close()
	img, err := lazy.copyMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer img.close()
	p, err := img.luma()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSSIM(t *testing.T) {
	a := lumaOf(t, pngOf(t, photograph(200, 150)))
	b := plane{a.width, a.height, bytes.Clone(a.pixels)}
	if got := ssim(a, b); got != 1 {
		t.Errorf("equal planes: %v", got)
	}
	for n := range b.pixels {
		b.pixels[n] = uint8(min(int(b.pixels[n])+10, 255))
	}
	if brighter := ssim(a, b); brighter < 0.95 || brighter >= 1 {
		t.Errorf("10 levels brighter: %v, expected nearly 1", brighter)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range b.pixels {
		b.pixels[n] = uint8(random.IntN(256))
	}
	if noise := ssim(a, b); noise > 0.1 {
		t.Errorf("noise: %v, expected nearly 0", noise)
	}
	if got := ssim(plane{2, 2, []byte{1, 2, 3, 4}}, plane{2, 2, []byte{1, 2, 3, 4}}); got != 1 {
		t.Errorf("planes of 2 x 2: %v", got)
	}
}

// TestQualityScale checks that one quality looks the same in every format, within what an eye tells.
func TestQualityScale(t *testing.T) {
	e := open(t)
	source := pngOf(t, photograph(480, 360))
	want := lumaOf(t, source)
	for _, q := range []string{"30", "50", "65", "80", "90"} {
		jpeg := ssim(want, lumaOf(t, processed(e, "filters:format(jpeg):quality("+q+")", source, t).Data))
		for _, f := range []imaging.Format{imaging.WebP, imaging.AVIF, imaging.JXL} {
			r := processed(e, "filters:format("+string(f)+"):quality("+q+")", source, t)
			if got := ssim(want, lumaOf(t, r.Data)); math.Abs(got-jpeg) > 0.045 {
				t.Errorf("quality %s: %s is %.4f like the source, JPEG %.4f", q, f, got, jpeg)
			}
		}
	}
	s := imaging.AVIF.Traits().QualityScale
	for q := 2; q <= 100; q++ {
		if s.At(q) < s.At(q-1) {
			t.Errorf("the scale falls from %d to %d", q-1, q)
		}
	}
	if s.At(80) != 63 || s.At(100) != 100 || imaging.QualityScale(nil).At(37) != 37 {
		t.Errorf("80 is %d, 100 is %d, 37 without a scale %d", s.At(80), s.At(100), imaging.QualityScale(nil).At(37))
	}
}

// TestAutoQuality looks that flat pictures are encoded with a lower quality than textured ones, and that
// the result is as like the source as promised.
func TestAutoQuality(t *testing.T) {
	e := open(t)
	source := pngOf(t, photograph(480, 360))
	want := lumaOf(t, source)
	for _, f := range []string{"jpeg", "webp", "avif"} {
		auto := processed(e, "filters:quality(auto):format("+f+")", source, t).Data
		most := processed(e, "filters:quality(92):format("+f+")", source, t).Data
		if len(auto) >= len(most) {
			t.Errorf("%s: auto has %d bytes, quality 92 %d", f, len(auto), len(most))
		}
		if got := ssim(want, lumaOf(t, auto)); got < autoTarget-0.01 {
			t.Errorf("%s: %.4f like the source, expected %.2f", f, got, autoTarget)
		}
	}
	flatAuto := processed(e, "filters:quality(auto):format(jpeg)", pngOf(t, gradient(480, 360, false)), t).Data
	flat80 := processed(e, "filters:quality(80):format(jpeg)", pngOf(t, gradient(480, 360, false)), t).Data
	if len(flatAuto) >= len(flat80) {
		t.Errorf("a gradient: auto %d bytes, quality 80 %d", len(flatAuto), len(flat80))
	}
	if r := processed(e, "filters:quality(auto):format(png)", source, t); r.Format != imaging.PNG {
		t.Errorf("png: %s", r.Format)
	}
}

func TestNegotiatedFormats(t *testing.T) {
	e := open(t)
	photo := pngOf(t, photograph(300, 200))
	drawing := pngOf(t, flat(300, 200, color.NRGBA{10, 20, 30, 255}))
	clear := pngOf(t, gradient(100, 100, true))
	moving := animation(t, 60, 60, 5)
	accept := []imaging.Format{imaging.AVIF, imaging.WebP}
	for _, c := range []struct {
		what   string
		source []byte
		filter string
		accept []imaging.Format
		want   []imaging.Format // any of these
	}{
		{"auto, old client", photo, "format(auto)", nil, []imaging.Format{imaging.PNG}},
		{"auto, new client", photo, "format(auto)", accept, []imaging.Format{imaging.AVIF}},
		{"auto, animation", moving, "format(auto)", accept, []imaging.Format{imaging.WebP}},
		{"best photo, old client", photo, "format(best)", nil, []imaging.Format{imaging.JPEG}},
		{"best drawing, old client", drawing, "format(best)", nil, []imaging.Format{imaging.PNG, imaging.JPEG}},
		{"best alpha, old client", clear, "format(best)", nil, []imaging.Format{imaging.PNG}},
		{"best alpha, new client", clear, "format(best)", accept, accept},
		{"best animation, old client", moving, "format(best)", nil, []imaging.Format{imaging.GIF}},
		{"best animation, new client", moving, "format(best)", accept, []imaging.Format{imaging.WebP, imaging.GIF}},
	} {
		r, err := imaging.Parse("unsafe/filters:" + c.filter + "/main")
		if err != nil {
			t.Fatal(err)
		}
		limits := imaging.DefaultLimits()
		limits.Accept = c.accept
		got, err := e.Process(
			t.Context(),
			imaging.Source{Name: "main", Size: int64(len(c.source)), Reader: bytes.NewReader(c.source)},
			r.Operations, limits,
		)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		found := false
		for _, f := range c.want {
			found = found || f == got.Format && sniff(got.Data) == f && got.ContentType == f.ContentType()
		}
		if !found {
			t.Errorf("%s: %s, expected one of %v", c.what, got.Format, c.want)
		}
		if c.filter == "format(best)" {
			for _, f := range c.want {
				other := processed(e, "filters:format("+string(f)+")", c.source, t)
				if len(other.Data) < len(got.Data) {
					t.Errorf("%s: %s has %d bytes, %s only %d", c.what, got.Format, len(got.Data), f, len(other.Data))
				}
				if by := other.Route.Encode; f == got.Format && got.Route.Encode != by {
					t.Errorf("%s: %s is encoded by %s, expected %s", c.what, f, got.Route.Encode, by)
				}
			}
		}
	}
}

// TestSpeeds checks that more time saves bytes, and that the speed of the URL goes before that of the operator.
func TestSpeeds(t *testing.T) {
	e := open(t)
	photo := pngOf(t, photograph(400, 300))
	for format, speeds := range map[string][]string{
		"webp": {"speed(best)", "speed(balanced)", "speed(fast)"},
		"png":  {"speed(best)", "speed(balanced)", "speed(fast)"},
	} {
		last := 0
		for _, speed := range speeds {
			n := len(processed(e, "filters:format("+format+"):"+speed, photo, t).Data)
			if n <= last {
				t.Errorf("%s at %s has %d bytes, slower %d", format, speed, n, last)
			}
			last = n
		}
	}
	best := processed(e, "filters:format(avif):speed(best)", photo, t)
	balanced := processed(e, "filters:format(avif)", photo, t)
	if bytes.Equal(best.Data, balanced.Data) { // with more time it keeps more, in about as many bytes
		t.Error("the speed does not reach the encoder of AVIF")
	}
	fast, err := New(Config{Efforts: map[imaging.Format]int{imaging.WebP: 2, imaging.PNG: 3}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fast.Close() })
	for _, format := range []string{"webp", "png"} {
		for _, same := range [][2]string{{"format(" + format + ")", "format(" + format + "):speed(fast)"},
			{"format(" + format + "):speed(balanced)", "format(" + format + "):speed(balanced)"}} {
			a, b := processed(fast, "filters:"+same[0], photo, t), processed(e, "filters:"+same[1], photo, t)
			if !bytes.Equal(a.Data, b.Data) {
				t.Errorf("%s of a fast engine differs from %s of a balanced one", same[0], same[1])
			}
		}
	}
	if fast.Version() == e.Version() {
		t.Error("two speeds share a version, and so their cached results")
	}
}

// TestScaling halves a board of black and white pixels: in linear light its mean is 188, else 128.
func TestScaling(t *testing.T) {
	e := open(t)
	for _, alpha := range []uint8{255, 128} {
		board := flat(64, 64, color.NRGBA{0, 0, 0, alpha})
		for y := range 64 {
			for x := range 64 {
				if (x+y)%2 == 0 {
					board.SetNRGBA(x, y, color.NRGBA{255, 255, 255, alpha})
				}
			}
		}
		for _, c := range []struct {
			linear  bool
			filters string
			want    uint8
		}{
			{false, "", 128}, {true, "", 188}, {false, ":speed(best)", 188}, {false, ":speed(fast)", 128},
			{false, ":scaling(linear)", 188}, {true, ":scaling(gamma)", 128}, {false, ":scaling(gamma):speed(best)", 128},
		} {
			r, err := imaging.Parse("unsafe/32x32/filters:format(png)" + c.filters + "/main")
			if err != nil {
				t.Fatal(err)
			}
			data, limits := pngOf(t, board), imaging.DefaultLimits()
			limits.Linear = c.linear
			got, err := e.Process(
				t.Context(),
				imaging.Source{Name: "main", Size: int64(len(data)), Reader: bytes.NewReader(data)},
				r.Operations, limits,
			)
			if err != nil {
				t.Fatal(err)
			}
			if at := at(decoded(t, got.Data), 16, 16); !near(at, color.NRGBA{c.want, c.want, c.want, alpha}, 3) {
				t.Errorf("%+v, alpha %d: %v", c, alpha, at)
			}
		}
	}
}
