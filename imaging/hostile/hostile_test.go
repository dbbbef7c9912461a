package hostile

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
)

// seedsForTest are pictures that Go can write; the others are stand-ins whose bytes are only cut and changed.
func seedsForTest(t *testing.T) Seeds {
	t.Helper()
	var a, b bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 48, 40))
	if err := jpeg.Encode(&a, picture, nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	s := Seeds{"jpg": a.Bytes(), "png": b.Bytes()}
	for _, ext := range extensions {
		if s[ext] == nil {
			s[ext] = noise("seed "+ext, 900)
		}
	}
	return s
}

// TestFiles holds the corpus to its promises: 500 files at least, of every format, the same ones each time.
func TestFiles(t *testing.T) {
	files, again := Files(seedsForTest(t)), Files(seedsForTest(t))
	if len(files) < 500 || len(again) != len(files) {
		t.Fatalf("%d and %d files, expected 500 at least", len(files), len(again))
	}
	names, classes := map[string]bool{}, map[string]int{}
	for i, f := range files {
		if names[f.Name] || f.Name != again[i].Name || f.Class != again[i].Class {
			t.Errorf("%s stands twice, or is %s the next time", f.Name, again[i].Name)
		}
		names[f.Name] = true
		classes[f.Class]++
	}
	for _, f := range Sample(files, 1) {
		data := f.Data()
		if len(data) < 1<<20 && !bytes.Equal(data, f.Data()) {
			t.Errorf("%s is different each time", f.Name)
		}
		if len(data) > 64<<20 {
			t.Errorf("%s has %d MB", f.Name, len(data)>>20)
		}
	}
	if sample := Sample(files, 1); len(sample) != len(classes) {
		t.Errorf("a sample of one per class has %d files of %d classes", len(sample), len(classes))
	}
	t.Logf("%d files of %d classes, %d requests", len(files), len(classes), len(Requests("a.jpg")))
}

// TestDeflated inflates what is repeated instead of compressed.
func TestDeflated(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, 2<<20 + 1, 5<<20 + 77} {
		for _, value := range []byte{0, 'a', 255} {
			z, err := zlib.NewReader(bytes.NewReader(deflate(n, value)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(z); err != nil || len(got) != n || bytes.Count(got, []byte{value}) != n {
				t.Errorf("%d bytes of %d: %d bytes, %v", n, value, len(got), err)
			}
		}
	}
}

// TestBombsAreWhole decodes what has to be valid for the attack to work.
func TestBombsAreWhole(t *testing.T) {
	if c, err := png.DecodeConfig(bytes.NewReader(pngBomb(9_999, 9_999))); err != nil || c.Width != 9_999 {
		t.Errorf("the PNG bomb: %+v %v", c, err)
	}
	if _, err := png.Decode(bytes.NewReader(pngBomb(100, 90))); err != nil {
		t.Errorf("a small PNG of its kind: %v", err)
	}
	if g,
		err := gif.DecodeAll(
		bytes.NewReader(gifOf(9, 9, gifFrame(0, 0, 1, 1, 0, 2, gifPixel),
			gifFrame(0, 0, 30, 9, 0, 2, lzwZeros(22))))); err == nil ||
		g != nil {
		t.Errorf("a frame beyond its canvas is read: %v", err)
	}
	if _,
		err := gif.DecodeAll(
		bytes.NewReader(gifOf(9, 9, bytes.Repeat(gifFrame(0, 0, 1, 1, 0, 2, gifPixel), 3)))); err != nil {
		t.Errorf("the GIF of small frames: %v", err)
	}
}
