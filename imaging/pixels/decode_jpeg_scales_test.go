package pixels

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// scalesOf decodes a JPEG at all scales in one pass.
func scalesOf(file []byte, width, height int, stop *int32) (list []Scale, ok bool) {
	for _, shrink := range []int{1, 2, 4, 8} {
		s := Scale{Shrink: shrink, Width: width / shrink, Height: height / shrink}
		if s.Width > 0 && s.Height > 0 {
			s.Pixels = make([]byte, s.Width*s.Height*3)
			list = append(list, s)
		}
	}
	return list, DecodeJPEG(file, 3, list, stop) == nil
}

// TestJPEGScales compares pixels of one pass with those that libjpeg decodes at each scale, whole and damaged.
func TestJPEGScales(t *testing.T) {
	r, stop := rand.New(rand.NewPCG(7, 8)), new(int32)
	for name, components := range samplings {
		for _, size := range [][2]int{{1, 1}, {17, 33}, {235, 157}} {
			c := &coded{
				width:      size[0],
				height:     size[1],
				components: components,
				restart:    r.IntN(3),
				density:    0.1,
				largest:    8,
				random:     r,
			}
			whole := c.write()
			filled := append(bytes.Clone(whole[:len(whole)-2]), 0xff, 0xff, 0xd9) // for libjpeg to decide
			damaged := bytes.Clone(whole)
			damaged[len(damaged)-1-r.IntN(len(damaged)/4)] ^= 0x55
			for kind, file := range map[string][]byte{"whole": whole, "filled up": filled, "damaged": damaged} {
				name := fmt.Sprintf("%s, %v, %s", name, size, kind)
				list, ok := scalesOf(file, size[0], size[1], stop)
				if !ok && kind != "damaged" {
					t.Errorf("%s: not decoded", name)
				}
				for _, s := range list {
					want := make([]byte, len(s.Pixels))
					if _, alone := decodeOne(file, s.Shrink, s.Width, s.Height, want, true, stop); ok &&
						alone == nil &&
						!bytes.Equal(s.Pixels, want) {
						t.Errorf("%s at 1/%d: other pixels", name, s.Shrink)
					}
				}
			}
		}
	}
}

func TestJPEGScalesRefused(t *testing.T) {
	file, stop := goJPEG(t, 40, 24, 75), int32(1)
	if _, ok := scalesOf(file, 40, 24, &stop); ok {
		t.Error("decoded after a stop")
	}
	stop = 0
	if _, ok := scalesOf(file, 40, 24, &stop); !ok {
		t.Error("not decoded")
	}
	for name, c := range map[string]struct {
		file          []byte
		width, height int
	}{"another width": {file, 38, 24}, "another height": {file, 40, 26}, "cut off": {file[:len(file)*2/3], 40, 24},
		"no JPEG": {[]byte("JPEG"), 40, 24}} {
		if _, ok := scalesOf(c.file, c.width, c.height, &stop); ok {
			t.Errorf("%s: decoded", name)
		}
	}
}

// TestJPEGScalesInAnyOrder checks that the scales may come in any order: at 1/8, all but the first coefficient of a
// block are skipped.
func TestJPEGScalesInAnyOrder(t *testing.T) {
	file, stop := goJPEG(t, 64, 48, 75), new(int32)
	want, ok := scalesOf(file, 64, 48, stop)
	if !ok {
		t.Fatal("not decoded")
	}
	got := make([]Scale, len(want))
	for n, s := range want {
		s.Pixels = make([]byte, len(s.Pixels))
		got[len(want)-1-n] = s
	}
	if DecodeJPEG(file, 3, got, stop) != nil {
		t.Fatal("not decoded from the smallest scale on")
	}
	for n, s := range want {
		if !bytes.Equal(got[len(want)-1-n].Pixels, s.Pixels) {
			t.Errorf("other pixels at 1/%d", s.Shrink)
		}
	}
}

// TestJPEGShrinks refuses what libjpeg does not shrink by, which a header or a plan may be wrong about: 0 ended the
// process.
func TestJPEGShrinks(t *testing.T) {
	file, stop := goJPEG(t, 64, 48, 75), new(int32)
	for _, shrink := range []int{-1, 0, 3, 5, 16} {
		width, height := 64/max(shrink, 1), 48/max(shrink, 1)
		if _, err := decodeOne(file, shrink, width, height, make([]byte, width*height*3), false,
			stop); err != ErrUnsupported {
			t.Errorf("1/%d: decoded", shrink)
		}
	}
}
