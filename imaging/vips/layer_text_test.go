package vips

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// lateFonts is set in the process that TestTextLeavesFontMapsAlone starts.
const lateFonts = "SAFELIGHT_LATE_FONTS"

// TestTextLeavesFontMapsAlone draws texts while Pango's threads are slow to sort fonts: testdata/late_fonts.c ends
// the process if a table of a font map is freed while one of them reads it.
func TestTextLeavesFontMapsAlone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it preloads a library, as Linux does")
	}
	if os.Getenv(lateFonts) != "" {
		e, photo := open(t), jpegOf(t, gradient(60, 40, false))
		for range 5 {
			for _, path := range []string{"filters:label(Hello,5,5,10,red)", "filters:text(Hello,5,5,red)", "filters:text(Hello,5,5,sans 20,red,0,normal,0,low,false,word,0,150)"} {
				processed(e, path, photo, t)
			}
		}
		return
	}
	library := filepath.Join(t.TempDir(), "late_fonts.so")
	if out, err := exec.CommandContext(t.Context(), "cc", "-O1", "-shared", "-fPIC", "-o", library, "testdata/late_fonts.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), lateFonts+"=1", "LD_PRELOAD="+library)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
}

func TestFonts(t *testing.T) {
	fonts := Fonts()
	if !slices.Contains(fonts, "DejaVu Sans") {
		t.Skipf("DejaVu Sans is missing, there are %q", fonts)
	}
	if !slices.IsSorted(fonts) || len(slices.Compact(slices.Clone(fonts))) != len(fonts) {
		t.Errorf("fonts are not sorted, or named twice: %q", fonts)
	}
}
