package pixels

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestEncodeWebPThreads says that a second thread changes no byte: libwebp's analysis takes it for the lower half of a
// picture that is high enough, and the plane of alpha.
func TestEncodeWebPThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	stop := new(int32)
	pictures := 60
	if testing.Short() {
		pictures = 30
	}
	for range pictures {
		p := Picture{Width: 16 + random.IntN(400), Height: 16 + random.IntN(400), Bands: 3 + random.IntN(2)}
		p.Pixels = make([]byte, p.Width*p.Height*p.Bands)
		noise, slope := 1+random.IntN(40), 1+random.IntN(9)
		for n := range p.Pixels {
			p.Pixels[n] = byte(n/p.Bands%p.Width/slope + n/p.Bands/p.Width*(n%p.Bands) + random.IntN(noise))
		}
		as := WebPEncoder{Quality: random.IntN(101), Effort: random.IntN(7), Lossless: random.IntN(4) == 0}
		want := encoded(EncodeWebP(p, as, stop))
		as.Threads = true
		if got := encoded(EncodeWebP(p, as, stop)); len(want) == 0 || !bytes.Equal(got, want) {
			t.Fatalf(
				"%dx%d, %d bands, %+v: %d bytes, expected the %d of one thread", p.Width, p.Height, p.Bands,
				as, len(got), len(want),
			)
		}
	}
}

func TestEncodeWebPStops(t *testing.T) {
	stop := int32(1)
	p := Picture{Width: 64, Height: 64, Bands: 4, Pixels: make([]byte, 64*64*4)}
	for _, as := range []WebPEncoder{{Effort: 4}, {Effort: 4, Lossless: true}, {Effort: 4, Threads: true}} {
		if encoded(EncodeWebP(p, as, &stop)) != nil {
			t.Errorf("%+v: a file, though it was stopped", as)
		}
	}
	stop = 0
	for _, p := range []Picture{{Width: 16384, Height: 1, Bands: 3, Pixels: make([]byte, 3*16384)},
		{Width: 2, Height: 2, Bands: 3, Pixels: make([]byte, 11)}, {}} {
		if encoded(EncodeWebP(p, WebPEncoder{Effort: 4}, &stop)) != nil {
			t.Errorf("%dx%d: a file", p.Width, p.Height)
		}
	}
}
