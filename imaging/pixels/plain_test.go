package pixels

import (
	"bytes"
	"testing"
)

// TestPlainReduce checks that machines without the instructions of x86 scale to the same bytes: noise has the
// strongest edges.
func TestPlainReduce(t *testing.T) {
	for _, c := range [][4]int{{160, 120, 159, 119}, {161, 119, 40, 30}, {333, 211, 150, 90}, {300, 200, 1, 1},
		{5, 4, 2, 1}, {3, 200, 3, 20}, {200, 3, 20, 3}, {15, 9, 7, 8}, {700, 20, 30, 20}, {16, 16, 5, 5},
		{17, 1000, 9, 4},
		{192, 17, 191, 16}, {193, 8, 190, 7}, {577, 9, 570, 9}, {65535, 1, 65534, 1}, {65535, 2, 1, 1},
		{1, 65535, 1, 65534}, {1, 65535, 1, 1}} {
		for _, bands := range []int{3, 4} {
			for name, p := range map[string]Picture{
				"noise":           painted(c[0], c[1], bands),
				"edges":           edges(c[0], c[1], bands),
				"smooth":          smooth(c[0], c[1], bands),
				"in linear light": edges(c[0], c[1], bands),
			} {
				part := p.All()
				part.Linear = name == "in linear light"
				stop, want := int32(0), make([]byte, c[2]*c[3]*bands)
				if reduce(p, part, c[2], c[3], want, &stop, noInstructions) != nil {
					t.Fatalf("%v, %d bands: not scaled", c, bands)
				}
				for instructions := noInstructions + 1; instructions <= allInstructions; instructions++ {
					if got := make([]byte, len(want)); reduce(p, part, c[2], c[3], got, &stop, instructions) != nil ||
						!bytes.Equal(got, want) {
						t.Errorf("%s, %v, %d bands: instructions %d make other bytes", name, c, bands, instructions)
					}
				}
			}
		}
	}
}

// edges returns a picture of black and white: what Lanczos adds to both is the most.
func edges(width, height, bands int) Picture {
	p := Picture{Pixels: make([]byte, width*height*bands), Width: width, Height: height, Bands: bands}
	for n := range p.Pixels {
		if x, y := n/bands%width, n/bands/width; (x/3+y/3)%2 == 0 || n%bands == 3 {
			p.Pixels[n] = 255
		}
	}
	return p
}

// TestPlainPNG checks that rows of every filter are undone to the same bytes without the instructions of x86.
func TestPlainPNG(t *testing.T) {
	for bands := 1; bands <= 4; bands++ {
		for _, size := range [][2]int{{1, 12}, {2, 7}, {61, 45}} {
			noise := painted(size[0], size[1], bands)
			row := size[0] * bands
			var rows []byte
			for y := range size[1] {
				rows = append(rows, byte(y%5))
				rows = append(rows, noise.Pixels[y*row:(y+1)*row]...)
			}
			f := PNG{Width: size[0], Height: size[1], Bands: bands, deflated: [][]byte{zlibStored(rows)}}
			stop, got, want := int32(0), make([]byte, f.Buffer()), make([]byte, f.Buffer())
			if f.decode(got, &stop, 0) != nil || f.decode(want, &stop, 1) != nil {
				t.Fatalf("%v, %d bands: not decoded", size, bands)
			}
			if !bytes.Equal(got[:row*size[1]], want[:row*size[1]]) {
				t.Errorf("%v, %d bands: other pixels", size, bands)
			}
		}
	}
}
