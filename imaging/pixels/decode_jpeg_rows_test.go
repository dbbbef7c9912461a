package pixels

import (
	"errors"
	"testing"
)

// TestJPEGRowsEnd checks that the decoder goes with the last row, and what is known of it then.
func TestJPEGRowsEnd(t *testing.T) {
	const width, height = 64, 48
	file := goJPEG(t, width, height, 80)
	for name, c := range map[string]struct {
		file []byte
		want error
	}{"whole": {file, nil}, "cut off": {file[:len(file)*2/3], ErrDamaged}} {
		r, err := OpenJPEG(c.file, 3, 1, width, height, new(int32))
		if err != nil {
			t.Fatal(name, err)
		}
		defer r.Close()
		row := make([]byte, 3*width)
		for n := range height {
			if r.Decoded() != n || r.decoder == nil {
				t.Fatalf("%s: %d rows before row %d", name, r.Decoded(), n)
			}
			if err = r.Read(row); err != nil && n < height-1 {
				t.Fatalf("%s: row %d: %v", name, n, err)
			}
		}
		if !errors.Is(err, c.want) || r.decoder != nil || r.Decoded() != height {
			t.Errorf("%s: %v after %d rows, expected %v; freed: %v", name, err, r.Decoded(), c.want, r.decoder == nil)
		}
		if err := r.Read(nil); !errors.Is(err, c.want) {
			t.Errorf("%s: then %v, expected %v", name, err, c.want)
		}
		if err := r.Read(row); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: a row more: %v", name, err)
		}
	}
}
