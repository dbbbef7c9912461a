package vips

import (
	"runtime"
	"syscall"
	"testing"
)

// TestPixelsAreKept checks that memory of pixels, which the kernel clears when it is new, serves the next job: that of
// three pictures at once, as shared decodes have them.
func TestPixelsAreKept(t *testing.T) {
	e := open(t)
	runtime.LockOSThread() // whose faults are counted
	defer runtime.UnlockOSThread()
	faults := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(1, &u); err != nil { // RUSAGE_THREAD
			t.Skip(err)
		}
		return u.Minflt
	}
	err := withInput(t, e, jpegOf(t, photograph(40, 30)), func(j *job) error {
		var took [2]int64
		for n := range took {
			before := faults()
			var list []*image
			for range 3 {
				i, err := j.input.spare.remade(2000, 1500, func(rgb []byte) error {
					for n := 0; n < len(rgb); n += 4096 {
						rgb[n] = 1
					}
					return nil
				})
				if err != nil {
					return err
				}
				list = append(list, i)
			}
			for _, i := range list {
				i.close()
			}
			took[n] = faults() - before
		}
		if took[1] > took[0]/4 {
			t.Errorf("%d page faults at first, and %d again", took[0], took[1])
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
