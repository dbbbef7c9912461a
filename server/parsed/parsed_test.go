package parsed

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestAsImagingReads compares what is kept with what reading says, the first time and later.
func TestAsImagingReads(t *testing.T) {
	limits := imaging.DefaultLimits()
	limits.MaxLayers = 2
	c := New(limits)
	for _, text := range []imaging.Filters{
		"", "blur(3)", "blur(3):quality(80)", "unknown(1):blur(x)", "watermark(logo.png,10,10,50):image(fit-in/20x20/a.jpg,0,0)",
		"image(a.jpg,0,0):image(b.jpg,0,0):image(c.jpg,0,0)", "redact(1,2,3,4)", imaging.Filters("label(" + strings.Repeat("x", 2*maxText) + ",0,0)"),
	} {
		wantCalls, wantWarnings, wantErr := text.Calls(limits.Strict)
		wantLayers, wantRefused := imaging.Layers(imaging.Operations{Width: 10, Filters: text}, limits)
		for range 2 {
			calls, warnings, err := c.Calls(text)
			layers, refused := c.Layers(text)
			if fault.CodeOf(err) != fault.CodeOf(wantErr) || fault.CodeOf(refused) != fault.CodeOf(wantRefused) {
				t.Errorf("%.40s: %v and %v, expected %v and %v", text, err, refused, wantErr, wantRefused)
			}
			if !reflect.DeepEqual(calls, wantCalls) || !reflect.DeepEqual(warnings, wantWarnings) || !reflect.DeepEqual(layers, wantLayers) {
				t.Errorf("%.40s: %v, %v, %v, expected %v, %v, %v", text, calls, warnings, layers, wantCalls, wantWarnings, wantLayers)
			}
		}
	}
}

// TestKept holds that a text is read once, and that a long one is not kept.
func TestKept(t *testing.T) {
	c := New(imaging.DefaultLimits())
	for text, kept := range map[imaging.Filters]bool{"blur(3)": true, imaging.Filters("label(" + strings.Repeat("x", maxText) + ",0,0)"): false} {
		first, err := c.read(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := c.read(text); (again == first) != kept {
			t.Errorf("%.20s: kept %v, expected %v", text, again == first, kept)
		}
	}
}

// TestBounded reads more texts than are kept.
func TestBounded(t *testing.T) {
	c := New(imaging.DefaultLimits())
	for n := range 2*maxEntries + 10 {
		if _, _, err := c.Calls(imaging.Filters(fmt.Sprintf("blur(%d)", n%100) + strings.Repeat(":sharpen(1)", n/100))); err != nil && fault.CodeOf(err) != fault.Invalid && fault.CodeOf(err) != fault.TooLarge {
			t.Fatal(err)
		}
	}
	kept := 0
	c.entries.Range(func(any, any) bool { kept++; return true })
	if kept == 0 || kept > maxEntries {
		t.Errorf("%d texts are kept, expected 1 to %d", kept, maxEntries)
	}
}

// TestTogether reads the same text from many goroutines, for the race detector.
func TestTogether(t *testing.T) {
	c := New(imaging.DefaultLimits())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if calls, _, err := c.Calls("blur(3):quality(80)"); err != nil || len(calls) != 2 {
					t.Errorf("%v, %v", calls, err)
				}
			}
		})
	}
	wait.Wait()
}
