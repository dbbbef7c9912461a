package vips

import (
	"bytes"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"image/draw"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
)

const goldenSources = "../../testdata/golden/sources"

// painted makes every source of the goldens. They are files in testdata because the encoders of Go may change.
func painted(t *testing.T) map[string][]byte {
	t.Helper()
	photo := jpegOf(t, scenery(96, 72))
	sources := map[string][]byte{
		"scene.png":    pngOf(t, scenery(96, 72)),
		"scene.jpg":    photo,
		"tall.png":     pngOf(t, scenery(54, 90)),
		"glass.png":    pngOf(t, glass(96, 72)),
		"logo.png":     pngOf(t, logo(28, 20)),
		"frame.png":    pngOf(t, framed()),
		"deep.png":     pngOf(t, deep()),
		"turned.jpg":   withOrientation(photo, 6),
		"mirrored.jpg": withOrientation(photo, 5),
		"move.gif":     moving(t, 48, 36, 3),
		"blink.gif":    blinking(t),
		"pages.tiff":   tiffOf(scenery(48, 36), glass(48, 36)),
		"drawing.svg":  []byte(drawing),
		"pages.pdf":    document(),
	}
	var b bytes.Buffer
	if err := bmp.Encode(&b, inPalette(scenery(96, 72))); err != nil {
		t.Fatal(err)
	}
	sources["scene.bmp"], sources["glass.bmp"] = b.Bytes(), clearBMP(glass(96, 72))
	grey := stdimage.NewGray(stdimage.Rect(0, 0, 96, 72))
	draw.Draw(grey, grey.Bounds(), scenery(96, 72), stdimage.Point{}, draw.Src)
	sources["grey.png"] = pngOf(t, grey)
	return sources
}

// TestGoldenSources holds the pictures in testdata to the code that painted them, as far as they can be compared.
func TestGoldenSources(t *testing.T) {
	for name, want := range painted(t) {
		file := filepath.Join(goldenSources, name)
		if *updateGoldens {
			if _, err := os.Stat(file); err == nil {
				continue // the goldens were made from this one
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: go test ./imaging/vips -run TestGolden -update-goldens", err)
			continue
		}
		a, kind, err1 := stdimage.Decode(bytes.NewReader(got))
		b, _, err2 := stdimage.Decode(bytes.NewReader(want))
		switch {
		case err1 != nil || err2 != nil: // of a format that Go does not read
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what the code makes", name)
			}
		case difference(a, b) > 1:
			t.Errorf("%s, a %s, is not what the code paints", name, kind)
		}
	}
}

// scenery is a picture without any symmetry: sky, a sun at the left, a hill, a house at the right, a wheat field.
func scenery(width, height int) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for py := range height {
		for px := range width {
			x, y := float64(px)/float64(width), float64(py)/float64(height)
			img.SetNRGBA(px, py, sceneryAt(x, y, float64(width)/float64(height)))
		}
	}
	return img
}

func sceneryAt(x, y, ratio float64) color.NRGBA {
	switch {
	case x > .60 && x < .86 && y > .44 && y < .80: // the house
		if x > .66 && x < .73 && y > .58 {
			return color.NRGBA{250, 246, 232, 255}
		}
		if x > .77 && x < .83 && y > .54 && y < .64 {
			return color.NRGBA{60, 90, 150, 255}
		}
		return color.NRGBA{190, 44, 40, 255}
	case y > .30 && y <= .44 && math.Abs(x-.73) < (y-.30)*1.3: // its roof
		return color.NRGBA{60, 44, 52, 255}
	case math.Hypot((x-.24)*ratio, y-.24) < .13: // the sun
		return color.NRGBA{255, 214, 66, 255}
	case y > .62+.10*math.Sin(x*5+1): // the hill, with furrows near the ground
		shade := 1 - .25*math.Mod(x*3+y*9, 1)
		if y > .86 {
			return color.NRGBA{uint8(214 * shade), uint8(176 * shade), uint8(70 * shade), 255}
		}
		return color.NRGBA{uint8(40 + 60*x), uint8(150 - 60*(y-.6)), 66, 255}
	}
	return color.NRGBA{uint8(70 + 150*y), uint8(130 + 80*y), uint8(225 - 30*y), 255}
}

// glass is nothing at the left, a soft red disc, an opaque blue square and a green bar that fades to the right.
func glass(width, height int) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for py := range height {
		for px := range width {
			x, y := float64(px)/float64(width), float64(py)/float64(height)
			c := color.NRGBA{}
			if d := math.Hypot((x-.35)*float64(width)/float64(height), y-.4); d < .3 {
				c = color.NRGBA{220, 40, 40, uint8(255 * min(1, (.3-d)/.2))}
			}
			if x > .62 && x < .9 && y > .15 && y < .55 {
				c = color.NRGBA{40, 70, 210, 255}
			}
			if y > .75 && y < .92 {
				c = color.NRGBA{30, 160, 70, uint8(255 * (1 - x))}
			}
			img.SetNRGBA(px, py, c)
		}
	}
	return img
}

// logo is a white F on an orange disc on nothing.
func logo(width, height int) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := (float64(x)+.5)/float64(width)-.5, (float64(y)+.5)/float64(height)-.5
			if dx*dx+dy*dy > .25 {
				continue
			}
			c := color.NRGBA{236, 120, 20, 255}
			if dx > -.2 && dx < -.06 && math.Abs(dy) < .32 ||
				dx >= -.06 && dx < .2 && (dy > -.32 && dy < -.16 || dy > -.06 && dy < .08) {
				c = color.NRGBA{255, 255, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// framed is a scene between a light border with a little noise at the left and a dark one at the right.
func framed() *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, 96, 72))
	for y := range 72 {
		for x := range 96 {
			c := color.NRGBA{236 + uint8((x*7+y*5)%5), 236, 226, 255}
			if x >= 86 {
				c = color.NRGBA{40, 40, 60, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	draw.Draw(img, stdimage.Rect(14, 0, 86, 72), scenery(72, 72), stdimage.Point{}, draw.Src)
	return img
}

// deep has 16 bits a channel, a ramp that 8 bits hold in 16 steps.
func deep() *stdimage.NRGBA64 {
	img := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 96, 72))
	for y := range 72 {
		for x := range 96 {
			v := uint16(0x4000 + x*43)
			img.SetNRGBA64(x, y, color.NRGBA64{v, uint16(y * 910), 0x8000, 0xffff})
		}
	}
	return img
}

// moving is a GIF in which the house of a scene is passed by a white ball, in a frame of one colour.
func moving(t *testing.T, width, height, frames int) []byte {
	g := &gif.GIF{LoopCount: 0}
	for n := range frames {
		img := flat(width, height, color.NRGBA{30, 30, 40, 255})
		draw.Draw(img, stdimage.Rect(4, 4, width-4, height-4), scenery(width-8, height-8), stdimage.Point{}, draw.Src)
		for y := range height {
			for x := range width {
				if math.Hypot(float64(x-10-n*13), float64(y-24+n*5)) < 5 {
					img.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
				}
			}
		}
		g.Image, g.Delay = append(g.Image, inPalette(img)), append(g.Delay, 30)
	}
	return gifBytes(t, g)
}

// blinking is a GIF of 12 x 12 that is red, then blue, and clear at its right.
func blinking(t *testing.T) []byte {
	g := &gif.GIF{LoopCount: 0, Disposal: []byte{gif.DisposalBackground, gif.DisposalBackground}}
	for n := range 2 {
		img := stdimage.NewPaletted(
			stdimage.Rect(0, 0, 12, 12),
			color.Palette{color.NRGBA{}, color.NRGBA{230, 30, 30, 255}, color.NRGBA{40, 40, 230, 255}},
		)
		for y := range 12 {
			for x := range 8 {
				img.SetColorIndex(x, y, uint8(1+n))
			}
		}
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 30)
	}
	return gifBytes(t, g)
}

func gifBytes(t *testing.T, g *gif.GIF) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inPalette maps to 6 levels a channel, which holds every colour of the scene near enough.
func inPalette(img stdimage.Image) *stdimage.Paletted {
	var palette color.Palette
	for n := range 216 {
		palette = append(palette, color.NRGBA{uint8(n / 36 * 51), uint8(n / 6 % 6 * 51), uint8(n % 6 * 51), 255})
	}
	out := stdimage.NewPaletted(img.Bounds(), palette)
	draw.Draw(out, img.Bounds(), img, stdimage.Point{}, draw.Src)
	return out
}

// withOrientation puts an EXIF block with that orientation into a JPEG.
func withOrientation(data []byte, orientation byte) []byte {
	block := append(
		[]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"),
		orientation, 0, 0, 0, 0, 0, 0,
	)
	segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(block)+2))
	return bytes.Join([][]byte{data[:2], segment, block, data[2:]}, nil)
}

// clearBMP is a BMP with alpha: 32 bits after a header of 108 bytes, rows from the bottom up.
func clearBMP(img *stdimage.NRGBA) []byte {
	le := binary.LittleEndian
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	file := append([]byte("BM"), make([]byte, 14+108-2)...)
	le.PutUint32(file[2:], uint32(len(file)+4*width*height))
	le.PutUint32(file[10:], uint32(len(file)))
	le.PutUint32(file[14:], 108)
	le.PutUint32(file[18:], uint32(width))
	le.PutUint32(file[22:], uint32(height))
	le.PutUint16(file[26:], 1)
	le.PutUint16(file[28:], 32)
	for y := height - 1; y >= 0; y-- {
		for x := range width {
			c := img.NRGBAAt(x, y)
			file = append(file, c.B, c.G, c.R, c.A)
		}
	}
	return file
}
