package vips

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestNothingIsWrittenToDisk does large jobs in a process whose folder for temporary files is not there: libvips
// would fail to put there what it thinks too large for memory.
func TestNothingIsWrittenToDisk(t *testing.T) {
	if os.Getenv("SAFELIGHT_NO_DISK") != "" {
		largeJobs(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(t.TempDir(), "absent")
	child := exec.Command(self, "-test.run=^TestNothingIsWrittenToDisk$", fmt.Sprint("-test.short=", testing.Short()))
	// 1 MB is where libvips goes to disk in that process, instead of 100
	child.Env = append(os.Environ(), "SAFELIGHT_NO_DISK=1", "TMPDIR="+absent, "VIPS_DISC_THRESHOLD=1m")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.2000s", err, out)
	}
}

func largeJobs(t *testing.T) {
	e := open(t)
	photo, clear := jpegOf(t, gradient(1500, 1100, false)), pngOf(t, gradient(1200, 900, true))
	sources := map[string][]byte{
		"jpeg": photo,
		"png":  clear,
		"tiff": processed(e, "filters:format(tiff)", photo, t).Data,
		"gif":  movingGIF(t),
	}
	source := 0
	for name, data := range sources {
		source++
		for n, path := range []string{"fit-in/900x900", "filters:rotate(90)", "-1600x-1200/filters:blur(20)",
			"trim/filters:format(png)", "smart/900x500", "filters:format(webp)", "filters:fill(blur):padding(red,20)",
			"filters:format(tiff)"} {
			if leftOut(source + n) {
				continue
			}
			if _, err := process(e, path, data, t); err != nil && fault.CodeOf(err) != fault.TooLarge {
				t.Errorf("%s of the %s: %v", path, name, err)
			}
		}
	}
}

func movingGIF(t *testing.T) []byte { return animation(t, 500, 400, 6) }
