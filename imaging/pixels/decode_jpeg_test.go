package pixels

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// decodeOne decodes an RGB picture at one scale.
func decodeOne(file []byte, shrink, width, height int, rgb []byte, byLibjpeg bool, stop *int32) (left bool, err error) {
	return decodeJPEG(file, 3, []Scale{{shrink, width, height, rgb}}, byLibjpeg, stop)
}

// sameAsLibjpeg decodes a JPEG with Huffman codes decoded here and by libjpeg, at all scales, and compares the pixels.
// Each scale accepts the files that libjpeg accepts at full size. left is whether the codes were left to libjpeg.
func sameAsLibjpeg(t *testing.T, name string, file []byte, width, height int) (ok, left bool) {
	t.Helper()
	stop := new(int32)
	_, accepted := decodeOne(file, 1, width, height, make([]byte, width*height*3), true, stop)
	for _, shrink := range []int{1, 2, 4, 8} {
		w, h := width/shrink, height/shrink
		if w == 0 || h == 0 {
			continue
		}
		got, want := make([]byte, w*h*3), make([]byte, w*h*3)
		gotLeft, gotErr := decodeOne(file, shrink, w, h, got, false, stop)
		_, wantErr := decodeOne(file, shrink, w, h, want, true, stop)
		if gotErr != accepted || wantErr != accepted || gotErr != ErrUnsupported && !bytes.Equal(got, want) {
			t.Errorf("%s at 1/%d: %v, by libjpeg %v, at full size %v, same pixels %v",
				name, shrink, gotErr, wantErr, accepted, bytes.Equal(got, want))
		}
		ok, left = ok || gotErr == nil, left || gotLeft
	}
	return ok, left
}

// samplings has the sampling factors of components that encoders use, and some that none does.
var samplings = map[string][]codedComponent{
	"4:4:4":             {{1, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"4:2:2":             {{2, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"4:2:0":             {{2, 2, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"4:4:0":             {{1, 2, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"4:1:1":             {{4, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"4:1:0":             {{4, 2, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}},
	"one table":         {{2, 2, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}},
	"a table for each":  {{2, 1, 2, 3}, {1, 1, 0, 1}, {1, 1, 3, 2}},
	"larger color":      {{1, 1, 0, 0}, {2, 2, 1, 1}, {2, 1, 1, 1}},
	"color of its kind": {{2, 2, 0, 0}, {2, 1, 1, 0}, {1, 2, 0, 1}},
}

// TestJPEGOfAnyCodes decodes JPEGs with random tables and coefficients.
func TestJPEGOfAnyCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, components := range samplings {
		for _, size := range [][2]int{{1, 1}, {8, 8}, {17, 33}, {61, 1}, {1, 70}, {235, 157}} {
			for _, restart := range []int{0, 1, 7} {
				for _, density := range []float64{0, 0.02, 0.3, 1} {
					c := &coded{
						width:      size[0],
						height:     size[1],
						components: components,
						restart:    restart,
						density:    density,
						largest:    1 + r.IntN(15),
						random:     r,
					}
					name := fmt.Sprintf("%s, %v, restart %d, density %v", name, size, restart, density)
					if ok, left := sameAsLibjpeg(t, name, c.write(), size[0], size[1]); !ok || left {
						t.Errorf("%s: decoded %v, codes left to libjpeg %v", name, ok, left)
					}
				}
			}
		}
	}
}

// goJPEG encodes a painted picture with the tables of T.81, which the standard library has.
func goJPEG(t testing.TB, width, height, quality int) []byte {
	t.Helper()
	p := painted(width, height, 3)
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for n := range width * height {
		v := p.Pixels[n*3:]
		img.SetNRGBA(n%width, n/width, color.NRGBA{v[0], v[1], v[2], 255})
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestJPEGOfEncoders decodes pictures with the usual tables and with optimized ones, at all qualities.
func TestJPEGOfEncoders(t *testing.T) {
	for quality := 1; quality <= 100; quality++ {
		optimized := encoded(EncodeJPEG(painted(131, 67, 3), quality, new(int32)))
		for name, file := range map[string][]byte{"usual": goJPEG(t, 131, 67, quality), "optimized": optimized} {
			if ok, left := sameAsLibjpeg(t, fmt.Sprintf("%s, quality %d", name, quality), file, 131, 67); !ok || left {
				t.Errorf("%s, quality %d: decoded %v, codes left to libjpeg %v", name, quality, ok, left)
			}
		}
	}
}

// TestJPEGPhotographs decodes pictures from cameras.
func TestJPEGPhotographs(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/images/*.jpg")
	if len(files) == 0 {
		t.Skip("../shared/images is not here")
	}
	here := 0
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		width, height := sizeOf(file)
		if width*height > 1<<25 {
			continue
		}
		if ok, left := sameAsLibjpeg(t, name, file, width, height); ok && !left {
			here++
		}
	}
	if here < 10 {
		t.Errorf("the codes of %d pictures of %d are decoded here", here, len(files))
	}
}

// sizeOf returns the width and height from the header of a frame, or zeros without one.
func sizeOf(file []byte) (width, height int) {
	for at := 2; at+9 <= len(file) && file[at] == 0xff; at += 2 + int(file[at+2])<<8 + int(file[at+3]) {
		if file[at+1] == 0xc0 || file[at+1] == 0xc1 || file[at+1] == 0xc2 {
			return int(file[at+7])<<8 | int(file[at+8]), int(file[at+5])<<8 | int(file[at+6])
		}
	}
	return 0, 0
}
