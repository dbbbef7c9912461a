package imaging

import (
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

var sealedImage = "enc:k1:" + strings.Repeat("A", 30)

func TestParseLayer(t *testing.T) {
	for path, want := range map[string]Layer{
		"a.png":              {Image: "a.png"},
		"/a/b.png":           {Image: "a/b.png"},
		"unsafe/200x0/a.png": {Operations: Operations{Width: 200}, Image: "a.png"},
		"fxf/a.png":          {Image: "a.png", Width: Side{Full: true}, Height: Side{Full: true}},
		"full-20x100/a.png": {Operations: Operations{Height: 100},
			Image: "a.png", Width: Side{Full: true, Less: 20}},
		"fit-in/-100x-f-7/smart/a.png": {Operations: Operations{
			Width: 100, HFlip: true, VFlip: true, Smart: true, Fit: Fit{In: true}},
			Image: "a.png", Height: Side{Full: true, Less: 7}},
		"f+5x/1x2/a.png": {Operations: Operations{
			PaddingLeft: 1, PaddingTop: 2, PaddingRight: 1, PaddingBottom: 2},
			Image: "a.png", Width: Side{Full: true, Less: -5}},
		"fx/filters:image(fxf/b,1)/a": {Operations: Operations{Filters: "image(fxf/b,1)"},
			Image: "a", Width: Side{Full: true}},
		"30px0/a.png": {Image: "a.png", Width: Side{Percent: 30}},
		"-12.5pxf-2/a.png": {Operations: Operations{HFlip: true},
			Image: "a.png", Width: Side{Percent: 12.5}, Height: Side{Full: true, Less: 2}},
		"20x1000p/a.png": {Operations: Operations{Width: 20},
			Image: "a.png", Height: Side{Percent: 1000}},
		"0px0/a.png":                     {Image: "0px0/a.png"},
		"1001px0/a.png":                  {Image: "1001px0/a.png"},
		"1e1px0/a.png":                   {Image: "1e1px0/a.png"},
		"30p/a.png":                      {Image: "30p/a.png"},
		"30px0%2Fa.png":                  {Image: "30px0/a.png"},
		"fonts/a.png":                    {Image: "fonts/a.png"},
		"f-x2/a.png":                     {Image: "f-x2/a.png"},
		"fxf%2Fa":                        {Image: "fxf/a"},
		"color:red":                      {Image: "color:red"},
		"https%3A%2F%2Fa.example%2Fb":    {Image: "https://a.example/b"},
		"b64:Zm9vLmpwZw":                 {Image: "foo.jpg", Base64: true},
		"VTAq7YIRbEXgtwAcsTMhAj==/a.jpg": {Image: "a.jpg"},
		"fx0//" + sealedImage:            {Image: sealedImage, Encrypted: true, Width: Side{Full: true}},
		"enc%3A" + sealedImage[4:]:       {Image: sealedImage},
	} {
		got, err := ParseLayer(path)
		if err != nil || got != want {
			t.Errorf("ParseLayer(%q) = %+v, %v\nwant %+v", path, got, err, want)
		}
		if again, err := ParseLayer(got.Path()); err != nil || again != got {
			t.Errorf("the path of %q is %q, which gives %+v, %v", path, got.Path(), again, err)
		}
	}
	for _, path := range []string{"", "../a", "/%2Fa", "1x1/", "9999999999xf/a", "a%00"} {
		if got, err := ParseLayer(path); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("ParseLayer(%q) = %+v, %v, expected INVALID", path, got, err)
		}
	}
}

// TestSidesWithin holds what sides are on a parent of 800x600.
func TestSidesWithin(t *testing.T) {
	for path, want := range map[string]Size{
		"30px20p/a": {240, 120}, "30px/a": {240, 0}, "0.01px100p/a": {1, 600}, "x33.3p/a": {0, 200},
		"150pxf-100/a": {1200, 500}, "7x8/a": {7, 8},
	} {
		l, err := ParseLayer(path)
		if o := l.Within(800, 600); err != nil || o.Width != want.Width || o.Height != want.Height {
			t.Errorf("%s: %dx%d, %v, expected %v", path, o.Width, o.Height, err, want)
		}
	}
}

// TestMapLayers: layers change inside out, whatever they are called, and nothing else does.
func TestMapLayers(t *testing.T) {
	const rest = "blur(3):text(image(a.png),0,0):image( ../no.png ,0):image(a.png,1,2,50):"
	o := Operations{
		Width:   300,
		Filters: rest + "watermark(20x0/filters:image( fxf/b.png , 1):grayscale()/c.png,left,5p)",
	}
	var met []string
	got, err := o.MapLayers(func(l Layer) (Layer, error) {
		met = append(met, l.Image)
		if l.Image != "a.png" {
			l.Image = "enc:" + l.Image + ", (1)"
		}
		return l, nil
	})
	if err != nil || strings.Join(met, " ") != "a.png b.png c.png" {
		t.Fatalf("met %q, %v", met, err)
	}
	if text := string(got.Filters); !strings.HasPrefix(text, rest+"watermark(20x0/") ||
		!strings.HasSuffix(text, ",left,5p)") ||
		got.Width != 300 {
		t.Errorf("the filters are %s", got.Filters)
	}
	if images, err := Layers(Operations{Filters: got.Filters[strings.Index(string(got.Filters), "watermark"):]},
		Limits{}); err != nil ||
		strings.Join(images, " | ") != "enc:c.png, (1) | enc:b.png, (1)" {
		t.Errorf("the layers are %q, %v", images, err)
	}
	failed := fault.New(fault.Conflict, "no")
	if same, err := o.MapLayers(func(l Layer) (Layer, error) { return l, failed }); err != failed || same != o {
		t.Errorf("an error of a layer: %v, %v", same, err)
	}
}

// TestMapLayersOfAnyFilter: a filter that takes nothing may be given something.
func TestMapLayersOfAnyFilter(t *testing.T) {
	for _, s := range FilterTable() {
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			o := Operations{Filters: Filters(name + "(1):" + name + "()")}
			if got, err := o.MapLayers(func(l Layer) (Layer, error) { return l, nil }); err != nil || got != o {
				t.Errorf("%s: %v, %v", o.Filters, got, err)
			}
		}
	}
}

func TestLayerWithin(t *testing.T) {
	l, err := ParseLayer("f-20xf-500/a")
	if err != nil {
		t.Fatal(err)
	}
	if o := l.Within(300, 200); o.Width != 280 || o.Height != 1 {
		t.Errorf("the layer has %d x %d, expected 280 x 1", o.Width, o.Height)
	}
}

func TestLayers(t *testing.T) {
	ops := func(filters string) Operations { return Operations{Filters: Filters(filters)} }
	limits := Limits{MaxLayers: 4, MaxDepth: 2}
	for filters, want := range map[string]string{
		"blur(1)": "", "image(a.png,0,0)": "a.png", "watermark(a.png,0,0,50):image(a.png)": "a.png",
		"image(10x10/filters:image(c):text(hi)/b):image(a)": "b c a",
		"text(hi):label(a,1,2)":                             "",
	} {
		got, err := Layers(ops(filters), limits)
		if err != nil || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, %v, expected %s", filters, got, err, want)
		}
	}
	for filters, want := range map[string]fault.Code{
		"text(a):text(b):text(c):label(d):text(e)":   fault.TooLarge,
		"image(filters:image(filters:image(c)/b)/a)": fault.TooLarge,
		"image(..%2Fa)": fault.Invalid,
		"image(filters:watermark(%2Fetc%2Fpasswd,0,0)/b)": fault.Invalid,
	} {
		if got, err := Layers(ops(filters), limits); fault.CodeOf(err) != want {
			t.Errorf("%s: %q, %v, expected %s", filters, got, err, want)
		}
	}
}
