package pixels

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// partOf is all of a picture of that size, and a fraction that a decoder left out.
func partOf(size [2]int) Part {
	return Part{Width: float64(size[0]) + 0.25, Height: float64(size[1]) + 0.875}
}

// inTwoSteps is what ReduceJPEG does in one.
func inTwoSteps(
	file []byte,
	shrink int,
	from, to [2]int,
	byLibjpeg bool,
	stop *int32,
) (out []byte, left bool, err error) {
	whole := Picture{Width: from[0], Height: from[1], Bands: 3, Pixels: make([]byte, from[0]*from[1]*3)}
	out = make([]byte, to[0]*to[1]*3)
	left, err = decodeOne(file, shrink, from[0], from[1], whole.Pixels, byLibjpeg, stop)
	if err == nil || errors.Is(err, ErrDamaged) {
		if failed := Reduce(whole, partOf(from), to[0], to[1], out, stop); failed != nil {
			err = failed
		}
	}
	return out, left, err
}

func sameInOneStep(t *testing.T, name string, file []byte, shrink int, from, to [2]int) (ok bool) {
	t.Helper()
	stop := new(int32)
	want, left, err := inTwoSteps(file, shrink, from, to, false, stop)
	got := make([]byte, to[0]*to[1]*3)
	gotLeft, gotErr := reduceJPEG(file, shrink, from, partOf(from), to, got, false, stop)
	if gotErr != err || gotLeft != left || !errors.Is(err, ErrUnsupported) && !bytes.Equal(got, want) {
		t.Errorf(
			"%s: %dx%d to %dx%d: %v, left to libjpeg %v; in two steps %v, %v, or other pixels",
			name, from[0], from[1], to[0], to[1], gotErr, gotLeft, err, left,
		)
	}
	return err == nil
}

func TestReduceJPEG(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for name, components := range samplings {
		for range 12 {
			c := &coded{
				width:      1 + random.IntN(300),
				height:     1 + random.IntN(400),
				components: components,
				restart:    random.IntN(3),
				density:    0.1,
				largest:    4,
				random:     random,
			}
			file := c.write()
			for _, shrink := range []int{1, 2, 8} {
				from := [2]int{c.width / shrink, c.height / shrink}
				if from[0] == 0 || from[1] == 0 {
					continue
				}
				to := [2]int{1 + random.IntN(from[0]), 1 + random.IntN(from[1])}
				if !sameInOneStep(t, name, file, shrink, from, to) && len(components) == 3 {
					t.Errorf("%s: not decoded", name)
				}
			}
		}
	}
}

// TestReduceDamagedJPEG cuts a file off everywhere, in the marker of its end, too, and changes it.
func TestReduceDamagedJPEG(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	file := codedFile(2, 0.1)
	for cut := len(file) - 1; cut > 0; cut -= 1 + len(file)/300 {
		if sameInOneStep(t, fmt.Sprint("cut at ", cut), file[:cut], 1, [2]int{64, 48}, [2]int{20, 3}) {
			t.Errorf("decoded, though cut off at %d of %d bytes", cut, len(file))
		}
	}
	end := len(file) - 2
	if sameInOneStep(
		t, "bytes before the end", slices.Concat(file[:end], make([]byte, 9), file[end:]), 1, [2]int{64, 48},
		[2]int{20, 30},
	) {
		t.Error("decoded with bytes before the end")
	}
	for range 300 {
		bad := bytes.Clone(file)
		for range 1 + random.IntN(3) {
			bad[len(bad)*2/3+random.IntN(len(bad)/3)] = byte(random.Uint32())
		}
		sameInOneStep(t, "changed", bad, 1, [2]int{64, 48}, [2]int{1 + random.IntN(64), 1 + random.IntN(48)})
	}
	if sameInOneStep(t, "another size", file, 1, [2]int{63, 48}, [2]int{20, 20}) {
		t.Error("decoded at another size")
	}
}

// TestReduceJPEGStops ends it at any time, from the outside.
func TestReduceJPEGStops(t *testing.T) {
	c := &coded{
		width:      400,
		height:     1600,
		components: samplings["4:2:0"],
		density:    0.1,
		largest:    4,
		random:     rand.New(rand.NewPCG(9, 10)),
	}
	file := c.write()
	part := Part{Width: 400, Height: 1600}
	for n := range 40 {
		stop, ended, out := new(int32), make(chan bool), make([]byte, 300*1200*3)
		go func() { ended <- ReduceJPEG(file, 1, 400, 1600, part, 300, 1200, out, stop) == nil }()
		for range n * n * 10 {
			runtime.Gosched()
		}
		atomic.StoreInt32(stop, 1)
		<-ended
	}
	stop := int32(1)
	if ReduceJPEG(file, 1, 400, 1600, part, 300, 1200, make([]byte, 300*1200*3), &stop) != ErrStopped {
		t.Error("made, though it was stopped")
	}
}
