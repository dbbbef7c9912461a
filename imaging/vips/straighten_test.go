package vips

import (
	stdimage "image"
	"image/color"
	"math"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// straightened returns the pixels of the picture after the path, as PNG.
func straightened(t *testing.T, e *Engine, path string, img stdimage.Image) *stdimage.NRGBA {
	t.Helper()
	pixels, err := unpacked(processed(e, path, pngOf(t, img), t))
	if err != nil {
		t.Fatal(err)
	}
	return pixels
}

// worst is the largest difference between two pictures of one size in a channel.
func worst(a, b *stdimage.NRGBA) int {
	if a.Rect != b.Rect {
		return 256
	}
	off := 0
	for n := range a.Pix {
		off = max(off, int(math.Abs(float64(a.Pix[n])-float64(b.Pix[n]))))
	}
	return off
}

// TestStraightenKeepsTheMiddle checks that the middle of the picture stays the middle, to a fraction of a pixel:
// turned upside down before or after, it is the same; so it is mirrored, with the other angle.
func TestStraightenKeepsTheMiddle(t *testing.T) {
	e := open(t)
	for _, size := range [][2]int{{120, 80}, {121, 81}, {80, 121}} {
		img := photograph(size[0], size[1])
		turned := straightened(t, e, "filters:straighten(7):rotate(180)", img)
		if off := worst(turned, straightened(t, e, "filters:orient(180):straighten(7)", img)); off > 1 {
			t.Errorf("%v: turned before and after differ by %d", size, off)
		}
		flipped := mirrored(straightened(t, e, "filters:straighten(13)", img))
		if off := worst(flipped, straightened(t, e, "filters:straighten(-13)", mirrored(img))); off > 1 {
			t.Errorf("%v: mirrored before and after differ by %d", size, off)
		}
	}
}

func mirrored(img stdimage.Image) *stdimage.NRGBA {
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	out := stdimage.NewNRGBA(img.Bounds())
	for y := range height {
		for x := range width {
			out.Set(width-1-x, y, img.At(x, y))
		}
	}
	return out
}

// TestStraightenDirection checks that a positive angle turns counter-clockwise, as rotate() does: what is on the right
// goes up.
func TestStraightenDirection(t *testing.T) {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, 101, 101))
	for n := range img.Pix {
		img.Pix[n] = 255
	}
	for y := 48; y < 53; y++ {
		for x := 70; x < 75; x++ {
			img.Set(x, y, color.Black)
		}
	}
	got := straightened(t, open(t), "filters:straighten(30)", img)
	var x, y, sum float64
	for at := range got.Pix[:len(got.Pix)/4] {
		weight := 255 - float64(got.Pix[4*at])
		x, y, sum = x+weight*float64(at%got.Rect.Dx()), y+weight*float64(at/got.Rect.Dx()), sum+weight
	}
	middle := float64(got.Rect.Dx()-1) / 2
	wantX, wantY := middle+22*math.Cos(math.Pi/6), middle-22*math.Sin(math.Pi/6)
	if math.Abs(x/sum-wantX) > 0.1 || math.Abs(y/sum-wantY) > 0.1 {
		t.Errorf("the dot is at %.2f, %.2f, expected %.2f, %.2f", x/sum, y/sum, wantX, wantY)
	}
}

// TestStraightenHasNoFringe straightens pictures of one colour, opaque and half transparent ones, of all shapes: no
// edge gets another colour.
func TestStraightenHasNoFringe(t *testing.T) {
	e := open(t)
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 300}, {300, 2}, {40, 30}, {31, 47}, {200, 199}} {
		for _, c := range []color.NRGBA{{250, 240, 230, 255}, {200, 100, 50, 128}} {
			img := stdimage.NewNRGBA(stdimage.Rect(0, 0, size[0], size[1]))
			for y := range size[1] {
				for x := range size[0] {
					img.SetNRGBA(x, y, c)
				}
			}
			for _, angle := range []string{"0.1", "-1", "5", "44.9", "45", "-45"} {
				got := straightened(t, e, "filters:straighten("+angle+")", img)
				for n := 0; n < len(got.Pix); n += 4 {
					for b, want := range []uint8{c.R, c.G, c.B, c.A} {
						if math.Abs(float64(got.Pix[n+b])-float64(want)) > 1 {
							t.Fatalf("%v by %s: pixel %d is %v, expected %v", size, angle, n/4, got.Pix[n:n+4], c)
						}
					}
				}
			}
		}
	}
}

// TestStraightenFromSmaller checks that a JPEG that is decoded smaller, and a PNG that is, look as what is
// straightened in full.
func TestStraightenFromSmaller(t *testing.T) {
	e := open(t)
	img := photograph(1200, 900)
	for name, data := range map[string][]byte{"jpeg": jpegOf(t, img), "png": pngOf(t, img)} {
		whole := processed(e, "filters:straighten(6):format(png)", data, t)
		want := processed(e, "200x/filters:format(png)", whole.Data, t)
		got := processed(e, "200x/filters:straighten(6):format(png)", data, t)
		a, errA := unpacked(got)
		b, errB := unpacked(want)
		if errA != nil || errB != nil || a.Rect != b.Rect {
			t.Fatalf(
				"%s: %v, %v, %d x %d and %d x %d", name, errA, errB, got.Width, got.Height, want.Width,
				want.Height,
			)
		}
		var sum float64
		for n := range a.Pix {
			d := float64(a.Pix[n]) - float64(b.Pix[n])
			sum += d * d
		}
		if mean := math.Sqrt(sum / float64(len(a.Pix))); mean > 3 {
			t.Errorf("%s: the mean difference is %.2f levels", name, mean)
		}
	}
}

// TestStraightenOfZero checks that 0 is nothing, and that the last call counts.
func TestStraightenOfZero(t *testing.T) {
	e := open(t)
	data := pngOf(t, photograph(40, 30))
	for path, same := range map[string]string{
		"filters:straighten(0)": "", "filters:straighten(-0.0)": "", "filters:straighten(30):straighten(0)": "",
		"filters:straighten(0):straighten(9)": "filters:straighten(9)",
		"filters:straighten(99)":              "filters:straighten(45)",
	} {
		if a, b := processed(e, path, data, t), processed(e, same, data, t); string(a.Data) != string(b.Data) {
			t.Errorf("%s is not %q", path, same)
		}
	}
}

// TestStraightenedPreviews checks that a kept picture is not shown for another angle.
func TestStraightenedPreviews(t *testing.T) {
	e := open(t)
	data := pngOf(t, photograph(200, 150))
	for _, angle := range []string{"1", "2", "0", "-1", "1"} {
		src := sourceOf(data)
		src.Version = "1"
		r, err := imaging.Parse("unsafe/100x/filters:straighten(" + angle + "):preview():format(png)/x")
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Process(t.Context(), src, r.Operations, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		want := processed(e, "100x/filters:straighten("+angle+"):preview():format(png)", data, t)
		if string(got.Data) != string(want.Data) {
			t.Errorf("straighten(%s) is another picture once previews are kept", angle)
		}
	}
}
