package pixels

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"testing"
)

// photoWebP is a lossy picture of 96 x 72 pixels.
func photoWebP(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/photo.webp")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// jpegSeeds are JPEGs of the standard library's: with chroma of half the size, and gray.
func jpegSeeds(t testing.TB) (files [][]byte) {
	t.Helper()
	p := smooth(37, 29, 3)
	gray := image.NewGray(image.Rect(0, 0, 37, 29))
	for n := range 37 * 29 {
		gray.SetGray(n%37, n/37, color.Gray{p.Pixels[3*n]})
	}
	for _, img := range []image.Image{goImage(p), gray} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	return files
}

// TestPlainWebP checks that planes are scaled to the same bytes without the instructions of x86, at odd sizes too.
func TestPlainWebP(t *testing.T) {
	file := photoWebP(t)
	for _, to := range [][2]int{{48, 36}, {47, 35}, {33, 12}, {16, 36}, {1, 1}, {5, 31}} {
		stop, want, got := int32(0), make([]byte, to[0]*to[1]*3), make([]byte, to[0]*to[1]*3)
		if reduceWebP(file, [2]int{96, 72}, to[0], to[1], want, &stop, noInstructions) != nil ||
			ReduceWebP(file, 96, 72, to[0], to[1], got, &stop) != nil {
			t.Fatalf("%v: not decoded", to)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%v: other bytes", to)
		}
	}
	stop := int32(0)
	for name, ok := range map[string]bool{
		"more than half":    ReduceWebP(file, 96, 72, 49, 36, make([]byte, 49*36*3), &stop) == nil,
		"another size":      ReduceWebP(file, 98, 72, 48, 36, make([]byte, 48*36*3), &stop) == nil,
		"a small buffer":    ReduceWebP(file, 96, 72, 48, 36, make([]byte, 48*36*3-1), &stop) == nil,
		"cut off":           ReduceWebP(file[:len(file)/2], 96, 72, 48, 36, make([]byte, 48*36*3), &stop) == nil,
		"nothing":           ReduceWebP(nil, 96, 72, 48, 36, make([]byte, 48*36*3), &stop) == nil,
		"one that may work": ReduceWebP(file, 96, 72, 48, 36, make([]byte, 48*36*3), &stop) != nil,
	} {
		if ok {
			t.Errorf("%s: the answer is wrong", name)
		}
	}
	stop = 1
	if ReduceWebP(file, 96, 72, 48, 36, make([]byte, 48*36*3), &stop) == nil {
		t.Error("decoded although it was to stop")
	}
}

// TestReduceWebPSizes scales slopes of color with odd sides, wider than a strip and a pixel or two wide: close to what
// they are, and the same without instructions of x86.
func TestReduceWebPSizes(t *testing.T) {
	for _, c := range [][4]int{{97, 73, 48, 36}, {97, 73, 5, 1}, {1301, 41, 650, 20}, {33, 1203, 16, 601},
		{2, 301, 1, 150}, {301, 3, 150, 1}, {1153, 17, 576, 8}, {1155, 19, 577, 9}} {
		slope := func(width, height int) []byte {
			pixels := make([]byte, width*height*3)
			for n := range width * height {
				pixels[3*n] = byte(40 + (2*(n%width)+1)*75/width)
				pixels[3*n+1] = byte(190 - (2*(n/width)+1)*60/height)
				pixels[3*n+2] = 128
			}
			return pixels
		}
		stop := int32(0)
		file := encoded(EncodeWebP(
			Picture{Width: c[0], Height: c[1], Bands: 3, Pixels: slope(c[0], c[1])},
			WebPEncoder{Quality: 95, Effort: 2}, &stop,
		))
		want := slope(c[2], c[3])
		got, plain := make([]byte, len(want)), make([]byte, len(want))
		if ReduceWebP(file, c[0], c[1], c[2], c[3], got, &stop) != nil ||
			reduceWebP(file, [2]int{c[0], c[1]}, c[2], c[3], plain, &stop, noInstructions) != nil {
			t.Fatalf("%v: not scaled", c)
		}
		if !bytes.Equal(got, plain) {
			t.Errorf("%v: other bytes without the instructions of x86", c)
		}
		for n := range want {
			if d := int(got[n]) - int(want[n]); d < -9 || d > 9 {
				t.Errorf("%v: value %d is %d, expected about %d", c, n, got[n], want[n])
				break
			}
		}
	}
}

// FuzzWebP decodes damaged files at the size that they claim.
func FuzzWebP(f *testing.F) {
	file := photoWebP(f)
	for _, cut := range []int{0, 7, len(file) / 2} {
		f.Add(file[:len(file)-cut], uint16(48), uint16(36))
	}
	f.Fuzz(func(t *testing.T, file []byte, width, height uint16) {
		if len(file) < 30 {
			return
		}
		from := [2]int{int(file[26]) | int(file[27]&0x3F)<<8, int(file[28]) | int(file[29]&0x3F)<<8}
		to := [2]int{int(width)%max(from[0]/2, 1) + 1, int(height)%max(from[1]/2, 1) + 1}
		if from[0]*from[1] > 1<<20 {
			return
		}
		stop, got, want := int32(0), make([]byte, to[0]*to[1]*3), make([]byte, to[0]*to[1]*3)
		ok := ReduceWebP(file, from[0], from[1], to[0], to[1], got, &stop) == nil
		if plain := reduceWebP(file, from, to[0], to[1], want, &stop, noInstructions) == nil; plain != ok ||
			ok && !bytes.Equal(got, want) {
			t.Errorf(
				"%v to %v: decoded: %v, and without instructions of x86: %v, or the bytes differ", from, to,
				ok, plain,
			)
		}
	})
}

// FuzzJPEG decodes damaged files at each scale and at the sizes around that of the header, and writes what is decoded
// again.
func FuzzJPEG(f *testing.F) {
	for _, file := range jpegSeeds(f) {
		f.Add(file, uint8(0), int8(0))
		f.Add(file, uint8(2), int8(0))
		f.Add(file, uint8(3), int8(1))
	}
	f.Fuzz(func(t *testing.T, file []byte, scale uint8, more int8) {
		config, err := jpeg.DecodeConfig(bytes.NewReader(file))
		if err != nil || config.Width*config.Height > 1<<20 {
			return
		}
		shrink := 1 << (scale % 4)
		width, height := config.Width/shrink+int(more), config.Height/shrink+int(more)/2
		if width <= 0 || height <= 0 {
			return
		}
		stop, rgb := int32(0), make([]byte, width*height*3)
		if DecodeJPEG(file, 3, []Scale{{shrink, width, height, rgb}}, &stop) == ErrUnsupported {
			return
		}
		p := Picture{Pixels: rgb, Width: width, Height: height, Bands: 3}
		if again := encoded(EncodeJPEG(p, 75, &stop)); again == nil ||
			DecodeJPEG(again, 3, []Scale{{1, width, height, rgb}}, &stop) != nil {
			t.Error("what was decoded is not written so that it can be read")
		}
	})
}

// FuzzReduce scales noise from and to any size, and compares what machines without the instructions of x86 do.
func FuzzReduce(f *testing.F) {
	f.Add([]byte("some pixels"), uint16(40), uint16(31), uint16(13), uint16(7), true)
	f.Add([]byte{0, 255}, uint16(1), uint16(900), uint16(0), uint16(0), false)
	f.Add([]byte{255, 0, 3}, uint16(700), uint16(1), uint16(699), uint16(0), true)
	f.Fuzz(func(t *testing.T, values []byte, fromWidth, fromHeight, toWidth, toHeight uint16, alpha bool) {
		p := Picture{Width: int(fromWidth)%1200 + 1, Height: int(fromHeight)%1200 + 1, Bands: 3}
		if alpha {
			p.Bands = 4
		}
		if len(values) == 0 || p.Width*p.Height > 1<<17 {
			return
		}
		p.Pixels = bytes.Repeat(values, p.Width*p.Height*p.Bands/len(values)+1)[:p.Width*p.Height*p.Bands]
		width, height := int(toWidth)%p.Width+1, int(toHeight)%p.Height+1
		stop, got, want := int32(0), make([]byte, width*height*p.Bands), make([]byte, width*height*p.Bands)
		if Reduce(p, p.All(), width, height, got, &stop) != nil ||
			reduce(p, p.All(), width, height, want, &stop, noInstructions) != nil ||
			!bytes.Equal(got, want) {
			t.Errorf("%dx%dx%d to %dx%d: not scaled, or other bytes", p.Width, p.Height, p.Bands, width, height)
		}
	})
}

// FuzzPNG decodes damaged files, and compares what is decoded with the standard library.
func FuzzPNG(f *testing.F) {
	for bands := 1; bands <= 4; bands++ {
		f.Add(encoded(EncodePNG(painted(17, 23, bands), 6, new(int32))))
	}
	f.Add(encoded(EncodePNG(fewColors(5, 4), 6, new(int32))))
	f.Fuzz(func(t *testing.T, file []byte) {
		file = withSums(file)
		p, ok := ParsePNG(file)
		if !ok || p.Buffer() > 1<<24 {
			return
		}
		got, ok := decoded(t, file)
		if !ok {
			return
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Logf("the standard library refuses it: %v", err) // it may read metadata
			return
		}
		for n := range got.Width * got.Height {
			v, at := got.Pixels[n*got.Bands:], img.At(n%got.Width, n/got.Width)
			want := color.NRGBAModel.Convert(at).(color.NRGBA)
			if exact, ok := at.(color.NRGBA); ok {
				want = exact
			}
			if v[0] != want.R && (got.Bands != 2 || want.A == 255) && (got.Bands != 4 || want.A > 0) {
				t.Fatalf("pixel %d is %v, expected %v", n, v[:got.Bands], want)
			}
		}
	})
}

// withSums corrects the checksums of chunks, which a fuzzer does not guess.
func withSums(file []byte) []byte {
	file = bytes.Clone(file)
	for at := 8; at+12 <= len(file); {
		size := int(binary.BigEndian.Uint32(file[at:]))
		if size < 0 || size > len(file)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(file[at+8+size:], crc32.ChecksumIEEE(file[at+4:at+8+size]))
		at += 12 + size
	}
	return file
}
