package pixels

import (
	"fmt"
	"testing"
)

// TestSizes refuses results without pixels, results whose buffer has another size, and inputs of no bytes; those right
// beside them are made. C would read or write beyond a buffer.
func TestSizes(t *testing.T) {
	stop := new(int32)
	jpeg, webp, picture := goJPEG(t, 64, 48, 75), photoWebP(t), painted(64, 48, 3)
	made := map[string]func(file []byte, width, height int, out []byte) error{
		"DecodeJPEG": func(file []byte, width, height int, out []byte) error {
			return DecodeJPEG(file, 3, []Scale{{Shrink: 1, Width: width, Height: height, Pixels: out}}, stop)
		},
		"ReduceJPEG": func(file []byte, width, height int, out []byte) error {
			return ReduceJPEG(file, 1, 64, 48, Part{Width: 64, Height: 48}, width, height, out, stop)
		},
		"DecodeWebP": func(file []byte, width, height int, out []byte) error {
			return DecodeWebP(file, 96, 72, 3, width, height, out, stop)
		},
		"ReduceWebP": func(file []byte, width, height int, out []byte) error {
			return ReduceWebP(file, 96, 72, width, height, out, stop)
		},
		"Reduce": func(file []byte, width, height int, out []byte) error {
			p := picture
			if file == nil {
				p = Picture{Bands: 3}
			}
			return Reduce(p, Part{Width: 64, Height: 48}, width, height, out, stop)
		},
		"EncodeJPEG": func(_ []byte, width, height int, out []byte) error {
			_, err := EncodeJPEG(Picture{Width: width, Height: height, Bands: 3, Pixels: out}, 80, stop)
			return err
		},
		"EncodeWebP": func(_ []byte, width, height int, out []byte) error {
			_, err := EncodeWebP(Picture{Width: width, Height: height, Bands: 3, Pixels: out}, WebPEncoder{}, stop)
			return err
		},
	}
	largest := map[string][2]int{
		"DecodeJPEG": {64, 48}, "ReduceJPEG": {64, 48}, "DecodeWebP": {96, 72}, "ReduceWebP": {48, 36},
		"Reduce":     {64, 48},
		"EncodeJPEG": {65500, 1}, "EncodeWebP": {16383, 1},
	}
	for name, call := range made {
		file := jpeg
		if name == "DecodeWebP" || name == "ReduceWebP" {
			file = webp
		}
		width, height := largest[name][0], largest[name][1]
		for what, c := range map[string]struct {
			file          []byte
			width, height int
			bytes         int
			want          error
		}{
			"the largest":      {file, width, height, 3 * width * height, nil},
			"no width":         {file, 0, height, 0, ErrUnsupported},
			"no height":        {file, width, 0, 0, ErrUnsupported},
			"both negative":    {file, -2, -2, 12, ErrUnsupported},
			"a byte too few":   {file, width, height, 3*width*height - 1, ErrUnsupported},
			"a byte too many":  {file, width, height, 3*width*height + 1, ErrUnsupported},
			"wider":            {file, width + 1, height, 3 * (width + 1) * height, ErrUnsupported},
			"higher":           {file, width, height + 1, 3 * width * (height + 1), ErrUnsupported},
			"without any file": {nil, width, height, 3 * width * height, ErrUnsupported},
		} {
			encodes := name == "EncodeJPEG" || name == "EncodeWebP"
			if encodes && (what == "higher" || what == "without any file") ||
				name == "DecodeWebP" && (what == "wider" || what == "higher") {
				continue // a row more is fine, there is no file, and libwebp enlarges
			}
			if err := call(c.file, c.width, c.height, make([]byte, c.bytes)); err != c.want {
				t.Errorf("%s, %s: %v, expected %v", name, what, err, c.want)
			}
		}
	}
}

// TestMostScales decodes as many scales as one pass has, and refuses one more.
func TestMostScales(t *testing.T) {
	file, stop := goJPEG(t, 64, 48, 75), new(int32)
	for n, want := range map[int]error{0: ErrUnsupported, 8: nil, 9: ErrUnsupported} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			list := make([]Scale, n)
			for k := range list {
				list[k] = Scale{Shrink: 1 << (k % 4), Width: 64 >> (k % 4), Height: 48 >> (k % 4)}
				list[k].Pixels = make([]byte, list[k].Width*list[k].Height*3)
			}
			if err := DecodeJPEG(file, 3, list, stop); err != want {
				t.Errorf("%v, expected %v", err, want)
			}
		})
	}
}
