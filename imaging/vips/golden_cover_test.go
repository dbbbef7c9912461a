package vips

import (
	stdimage "image"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// asNRGBA returns the picture with colours that are not weighted by alpha.
func asNRGBA(img stdimage.Image) *stdimage.NRGBA {
	if same, ok := img.(*stdimage.NRGBA); ok {
		return same
	}
	out := stdimage.NewNRGBA(img.Bounds())
	draw.Draw(out, img.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}

// TestGoldensCoverEverything fails for a filter without a golden, for one that changes pixels without a moving
// golden, for a blend mode or a segment without one, and for a golden that no case makes.
func TestGoldensCoverEverything(t *testing.T) {
	still, moving, blends, segments := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	wanted := map[string]bool{}
	for _, c := range goldenCases() {
		wanted[filepath.Join(c.group, c.name())] = true
		r, err := imaging.Parse("unsafe/" + c.path + "/" + c.source)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		calls, _, err := r.Operations.Filters.Calls(true)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		for _, call := range calls {
			still[call.Name] = still[call.Name] || !c.animated
			moving[call.Name] = moving[call.Name] || c.animated
			if call.Name == "image" {
				blends[call.Text("blend")] = true
			}
		}
		noteSegments(segments, r.Operations)
	}
	for _, row := range imaging.FilterTable() {
		if !row.Meta && !still[row.Name] && !moving[row.Name] {
			t.Errorf("the filter %s has no golden", row.Name)
		}
		if row.Step != "" && !moving[row.Name] {
			t.Errorf("the filter %s has no moving golden", row.Name)
		}
	}
	for _, mode := range imaging.BlendModes() {
		if !blends[mode] {
			t.Errorf("the blend mode %s has no golden", mode)
		}
	}
	for _, name := range []string{"trim", "trim by", "crop", "fit", "full", "adaptive", "stretch", "size", "hflip",
		"vflip", "padding", "left", "right", "top", "bottom", "smart"} {
		if !segments[name] {
			t.Errorf("the segment %s has no golden", name)
		}
	}
	files, err := filepath.Glob(goldenFolder + "/*/*--*--*")
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, file := range files {
		name, _, _ := cutLast(strings.TrimPrefix(file, goldenFolder+"/"), "--")
		if !wanted[name] {
			t.Errorf("%s is made by no case", file)
		}
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size > 3<<20 {
		t.Errorf("the goldens have %d bytes, expected at most 3 MB", size)
	}
}

func cutLast(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

func noteSegments(seen map[string]bool, o imaging.Operations) {
	for name, is := range map[string]bool{
		"trim": o.Trim, "trim by": o.TrimBy == imaging.CornerBottomRight, "crop": o.CropRight > 0, "fit": o.Fit.In,
		"full": o.Fit.Full, "adaptive": o.Fit.Adaptive,
		"stretch": o.Stretch, "size": o.Width > 0, "hflip": o.HFlip, "vflip": o.VFlip, "padding": o.PaddingLeft > 0,
		"left": o.HAlign == imaging.HAlignLeft, "right": o.HAlign == imaging.HAlignRight,
		"top": o.VAlign == imaging.VAlignTop, "bottom": o.VAlign == imaging.VAlignBottom, "smart": o.Smart,
	} {
		seen[name] = seen[name] || is
	}
}
