package pixels

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"testing"
)

// reference scales as Reduce does, in float.
func reference(p Picture, width, height int) []float64 {
	weights := func(from, to int) [][]float64 {
		box := max(from/to/2, 1)
		scale := float64(from) / float64(to) / float64(box)
		rows := make([][]float64, to)
		for at := range rows {
			rows[at] = make([]float64, from)
			center, total := (float64(at)+0.5)*scale-0.5, 0.0
			for n := int(math.Ceil(center - 3*scale)); n <= int(math.Floor(center+3*scale)); n++ {
				w, x := 1.0, math.Pi*(float64(n)-center)/scale
				if x != 0 {
					w = 3 * math.Sin(x) * math.Sin(x/3) / (x * x)
				}
				for k := range box {
					rows[at][min(min(max(n, 0), (from-1)/box)*box+k, from-1)] += w
					total += w
				}
			}
			for n := range rows[at] {
				rows[at][n] /= total
			}
		}
		return rows
	}
	value := func(x, y, b int) float64 {
		v := p.Pixels[(y*p.Width+x)*p.Bands:]
		if p.Bands == 4 && b < 3 {
			return float64(v[b]) * float64(v[3]) / 255
		}
		return float64(v[b])
	}
	across, down := weights(p.Width, width), weights(p.Height, height)
	out := make([]float64, width*height*p.Bands)
	row := make([]float64, p.Width*p.Bands)
	for y := range height {
		clear(row)
		for n, w := range down[y] {
			if w == 0 {
				continue
			}
			for x := range p.Width {
				for b := range p.Bands {
					row[x*p.Bands+b] += w * value(x, n, b)
				}
			}
		}
		for x := range width {
			for n, w := range across[x] {
				for b := range p.Bands {
					out[(y*width+x)*p.Bands+b] += w * row[n*p.Bands+b]
				}
			}
		}
	}
	return out
}

// smooth returns a picture without noise: rounding of weights shows as a mistake of less than 1.
func smooth(width, height, bands int) Picture {
	p := Picture{Pixels: make([]byte, width*height*bands), Width: width, Height: height, Bands: bands}
	for n := range p.Pixels {
		x, y, b := n/bands%width, n/bands/width, n%bands
		p.Pixels[n] = byte(128 + 100*math.Sin(float64(x)/9+float64(b))*math.Cos(float64(y)/7))
		if x/20%3 == 0 {
			p.Pixels[n] = byte(255 * (y / 16 % 2))
		}
		if b == 3 {
			p.Pixels[n] = byte(min(255, 60+x+y))
		}
	}
	return p
}

// TestReduceAgainstReference compares with the same in float, colors weighed by alpha.
func TestReduceAgainstReference(t *testing.T) {
	for _, c := range [][4]int{{160, 120, 160, 120}, {160, 120, 159, 119}, {160, 120, 80, 60}, {160, 120, 67, 31},
		{161, 119, 40, 30}, {300, 200, 17, 3}, {300, 200, 1, 1}, {5, 4, 2, 1}, {1, 1, 1, 1},
		{3, 200, 3, 20}, {200, 3, 20, 3}, {15, 9, 7, 8}, {700, 20, 30, 20}} {
		for _, bands := range []int{3, 4} {
			p := smooth(c[0], c[1], bands)
			out, stop := make([]byte, c[2]*c[3]*bands), int32(0)
			if Reduce(p, p.All(), c[2], c[3], out, &stop) != nil {
				t.Fatalf("%v, %d bands: not scaled", c, bands)
			}
			all := reference(p, c[2], c[3])
			for n, want := range all {
				got := float64(out[n])
				if bands == 4 && n%4 < 3 {
					got *= float64(out[n|3]) / 255
					want = min(want, all[n|3]) // no color is more than all there is
				}
				// alpha is rounded, too
				if d := math.Abs(got - min(max(want, 0), 255)); d > 0.6+float64(bands-3)*0.5 {
					t.Errorf("%v, %d bands: value %d is %.1f, expected %.1f", c, bands, n, got, want)
					break
				}
			}
		}
	}
}

// TestReducePart scales parts that begin and end between pixels: a ramp shows where each pixel of the result comes
// from.
func TestReducePart(t *testing.T) {
	ramp := Picture{Pixels: make([]byte, 240*200*3), Width: 240, Height: 200, Bands: 3}
	for n := range ramp.Pixels {
		x, y := n/3%240, n/3/240
		ramp.Pixels[n] = [3]byte{byte(x), byte(y), 128}[n%3]
	}
	for _, part := range []Part{
		ramp.All(),
		{Width: 240.875, Height: 200.5},
		{Left: -0.75, Top: -0.5, Width: 240, Height: 200},
		{Left: 10.25, Top: 20.75, Width: 151.5, Height: 99.25},
		{Left: 0.5, Top: 0.5, Width: 200, Height: 150},
	} {
		for _, size := range [][2]int{{120, 90}, {97, 41}, {30, 25}, {13, 11}} {
			width, height := size[0], size[1]
			out, stop := make([]byte, width*height*3), int32(0)
			if Reduce(ramp, part, width, height, out, &stop) != nil {
				t.Fatalf("%v to %v: not scaled", part, size)
			}
			for y := 1; y < height-1; y++ {
				for x := 1; x < width-1; x++ {
					at := part.Left + (float64(x)+0.5)*part.Width/float64(width) - 0.5
					down := part.Top + (float64(y)+0.5)*part.Height/float64(height) - 0.5
					// where the kernel reaches beyond the picture
					edge := 3 * max(part.Width/float64(width), part.Height/float64(height))
					if at < edge || down < edge || at > 239-edge || down > 199-edge {
						continue
					}
					if p := out[(y*width+x)*3:]; math.Abs(float64(p[0])-at) > 0.6 ||
						math.Abs(float64(p[1])-down) > 0.6 {
						t.Fatalf(
							"%v to %v: the pixel at %d,%d shows %d,%d, expected %.2f,%.2f", part, size, x, y,
							p[0], p[1], at, down,
						)
					}
				}
			}
		}
	}
}

// TestReduceBytes holds the bytes of a result: other ones need another revision of imaging/vips. Sizes are within a
// strip and across several, and heights with and without a whole number of blocks.
func TestReduceBytes(t *testing.T) {
	sum := sha256.New()
	for _, c := range [][4]int{{160, 120, 159, 119}, {161, 119, 40, 30}, {900, 60, 333, 16}, {1500, 30, 700, 29},
		{300, 900, 11, 23}, {4, 700, 3, 9}} {
		for _, bands := range []int{3, 4} {
			for _, p := range []Picture{painted(c[0], c[1], bands), edges(c[0], c[1], bands)} {
				out, stop := make([]byte, c[2]*c[3]*bands), int32(0)
				if Reduce(p, p.All(), c[2], c[3], out, &stop) != nil {
					t.Fatalf("%v: not scaled", c)
				}
				sum.Write(out)
			}
		}
	}
	if got := fmt.Sprintf(
		"%x", sum.Sum(nil)); got != "7618be7fb2d725719efe6108ce0ce60e78daa074e6b5be3fff65033f786480d2" {
		t.Errorf("other bytes: %s", got)
	}
}

// TestReduceToItself changes nothing.
func TestReduceToItself(t *testing.T) {
	p := painted(61, 43, 3)
	out, stop := make([]byte, len(p.Pixels)), int32(0)
	if Reduce(p, p.All(), 61, 43, out, &stop) != nil || !bytes.Equal(out, p.Pixels) {
		t.Error("the same size has other pixels")
	}
}

// TestReduceFlat keeps a color exactly, however much it is scaled: weights sum up to 1.
func TestReduceFlat(t *testing.T) {
	p := Picture{Pixels: bytes.Repeat([]byte{255, 17, 128, 200}, 1999*501), Width: 1999, Height: 501, Bands: 4}
	for _, to := range [][2]int{{1, 1}, {3, 2}, {700, 13}, {1998, 500}} {
		out, stop := make([]byte, to[0]*to[1]*4), int32(0)
		if Reduce(p, p.All(), to[0], to[1], out, &stop) != nil {
			t.Fatal("not scaled")
		}
		if !bytes.Equal(out, bytes.Repeat(out[:4], to[0]*to[1])) || out[3] != 200 || out[0] != 255 || out[1] < 16 ||
			out[1] > 18 ||
			out[2] < 127 ||
			out[2] > 129 {
			t.Errorf("%v: %v", to, out[:4])
		}
	}
}

// TestReduceRefused checks that sizes that do not fit never reach C, and that a stop ends the work.
func TestReduceRefused(t *testing.T) {
	p, stop := painted(20, 10, 3), int32(0)
	for name, ok := range map[string]bool{
		"wider":          Reduce(p, p.All(), 21, 10, make([]byte, 21*10*3), &stop) == nil,
		"higher":         Reduce(p, p.All(), 20, 11, make([]byte, 20*11*3), &stop) == nil,
		"nothing":        Reduce(p, p.All(), 0, 10, nil, &stop) == nil,
		"a small buffer": Reduce(p, p.All(), 10, 5, make([]byte, 10*5*3-1), &stop) == nil,
		"missing pixels": Reduce(Picture{Pixels: p.Pixels[1:], Width: 20, Height: 10, Bands: 3}, p.All(), 10, 5,
			make([]byte, 10*5*3), &stop) == nil,
		"gray":            Reduce(painted(20, 10, 1), p.All(), 10, 5, make([]byte, 10*5), &stop) == nil,
		"gray with alpha": Reduce(painted(20, 10, 2), p.All(), 10, 5, make([]byte, 10*5*2), &stop) == nil,
		"a part outside":  Reduce(p, Part{Left: 3, Width: 19, Height: 10}, 10, 5, make([]byte, 10*5*3), &stop) == nil,
		"a part below":    Reduce(p, Part{Top: 3, Width: 20, Height: 9}, 10, 5, make([]byte, 10*5*3), &stop) == nil,
		"no part": Reduce(p, Part{Left: math.NaN(), Width: math.NaN(), Height: 10}, 10, 5,
			make([]byte, 10*5*3), &stop) == nil,
		// the corners of a part may be a pixel outside, where rounding takes them
		"a pixel beyond": Reduce(p, Part{Left: -1, Top: -1, Width: 22, Height: 12}, 10, 5, make([]byte, 10*5*3),
			&stop) != nil,
		"one that may work": Reduce(p, p.All(), 10, 5, make([]byte, 10*5*3), &stop) != nil,
	} {
		if ok {
			t.Errorf("%s: the answer is wrong", name)
		}
	}
	stop = 1
	if Reduce(p, p.All(), 10, 5, make([]byte, 10*5*3), &stop) == nil {
		t.Error("scaled although it was to stop")
	}
}

// TestReduceFaint keeps the colors of pixels that are almost clear: they have 6 bits more while they are weighed by
// alpha.
func TestReduceFaint(t *testing.T) {
	for _, alpha := range []byte{1, 2, 3, 5, 40, 254} {
		p := Picture{Pixels: bytes.Repeat([]byte{100, 17, 250, alpha}, 90*60), Width: 90, Height: 60, Bands: 4}
		out, stop := make([]byte, 40*21*4), int32(0)
		if Reduce(p, p.All(), 40, 21, out, &stop) != nil {
			t.Fatal("not scaled")
		}
		for n, want := range []byte{100, 17, 250, alpha} {
			if d := int(out[n]) - int(want); d < -1 || d > 1 || !bytes.Equal(out, bytes.Repeat(out[:4], 40*21)) {
				t.Errorf("alpha %d: %v, expected %d in band %d", alpha, out[:4], want, n)
			}
		}
	}
}

// TestReduceBorder checks that a whole box is repeated beyond the border, not the outermost row.
func TestReduceBorder(t *testing.T) {
	p := Picture{Pixels: make([]byte, 64*64*3), Width: 64, Height: 64, Bands: 3}
	for n := range 64 * 3 {
		p.Pixels[n], p.Pixels[len(p.Pixels)-1-n] = 255, 255
	}
	out, stop := make([]byte, 3), int32(0)
	if Reduce(p, p.All(), 1, 1, out, &stop) != nil || out[0] > 20 { // 2 of 64 rows are white
		t.Errorf("%v: the border counts for more than there is of it", out)
	}
}

// TestReduceLinear scales pictures of one color, all of which stay as they are in linear light, and boards of black and
// white, whose mean is 188 there.
func TestReduceLinear(t *testing.T) {
	stop := int32(0)
	for _, bands := range []int{3, 4} {
		for _, alpha := range []byte{255, 128} {
			for level := range 257 { // the last is the board
				p := painted(40, 30, bands)
				for n := range p.Pixels {
					p.Pixels[n] = byte(level)
					if level == 256 && (n/bands%40+n/bands/40)%2 == 0 {
						p.Pixels[n] = 255
					}
					if n%bands == 3 {
						p.Pixels[n] = alpha
					}
				}
				part, out := p.All(), make([]byte, 20*15*bands)
				part.Linear = true
				if Reduce(p, part, 20, 15, out, &stop) != nil {
					t.Fatal("not scaled")
				}
				want := level
				if level == 256 {
					want = 188
				}
				middle := out[(7*20+10)*bands:]
				if d := int(middle[0]) - want; d < -1 || d > 1 || (bands == 3 || alpha == 255) && d != 0 {
					t.Errorf("%d bands, alpha %d: %d became %d", bands, alpha, want, middle[0])
				}
				if bands == 4 && middle[3] != alpha {
					t.Errorf("alpha %d became %d", alpha, middle[3])
				}
			}
		}
	}
}
