package imaging_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	. "github.com/safelight/safelight/imaging"
)

func TestParse(t *testing.T) {
	sig := "VTAq7YIRbEXgtwAcsTMhAjvBuT8="
	for _, c := range []struct {
		path string
		want Request
	}{
		{"img.jpg", Request{Image: "img.jpg"}},
		{"//unsafe/img.jpg", Request{Unsafe: true, Image: "img.jpg"}},
		{"/params/unsafe/meta/img.jpg", Request{Params: true, Unsafe: true, Meta: true, Image: "img.jpg"}},
		{"/" + sig + "/meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img", Request{
			Hash: sig, Meta: true, Image: "img", Operations: Operations{
				CropLeft: 10, CropTop: 11, CropRight: 12, CropBottom: 13, Fit: Fit{In: true}, Width: 300, Height: 200,
				HFlip: true, VFlip: true,
				PaddingLeft: 5, PaddingTop: 6, PaddingRight: 5, PaddingBottom: 6, HAlign: HAlignLeft, VAlign: VAlignTop,
				Smart: true, Filters: "some_filter()"}}},
		{"unsafe/trim/a/b.png", Request{Unsafe: true, Image: "a/b.png", Operations: Operations{Trim: true}}},
		{"unsafe/trim:bottom-right:50/a.png", Request{
			Unsafe: true, Image: "a.png", Operations: Operations{
				Trim: true, TrimBy: CornerBottomRight, TrimTolerance: 50}}},
		{"unsafe/trim:9/a.png", Request{Unsafe: true,
			Image: "a.png", Operations: Operations{Trim: true, TrimTolerance: 9}}},
		{"unsafe/trim:middle/a.png", Request{Unsafe: true, Image: "trim:middle/a.png"}},
		{"unsafe/0.1x0.2:0.9x1/a.png", Request{Unsafe: true,
			Image: "a.png", Operations: Operations{CropLeft: .1, CropTop: .2, CropRight: .9, CropBottom: 1}}},
		{"unsafe/300x/a", Request{Unsafe: true, Image: "a", Operations: Operations{Width: 300}}},
		{"unsafe/-x/a", Request{Unsafe: true, Image: "a", Operations: Operations{HFlip: true}}},
		{"unsafe/stretch/3x4/1x2:3x4/right/bottom/a",
			Request{Unsafe: true, Image: "a", Operations: Operations{Stretch: true, Width: 3, Height: 4,
				PaddingLeft: 1, PaddingTop: 2, PaddingRight: 3, PaddingBottom: 4, HAlign: HAlignRight,
				VAlign: VAlignBottom}}},
		{"unsafe/adaptive-full-fit-in/3x4/a", Request{
			Unsafe: true, Image: "a", Operations: Operations{
				Fit: Fit{In: true, Adaptive: true, Full: true}, Width: 3, Height: 4}}},
		{"unsafe/filters:blur(3):image(/10x10/filters:x(a,b)/c.png,0,0):q()/d/e.png",
			Request{Unsafe: true, Image: "d/e.png",
				Operations: Operations{Filters: "blur(3):image(/10x10/filters:x(a,b)/c.png,0,0):q()"}}},
		{"unsafe/filters:blur(3/a.png", Request{Unsafe: true, Image: "filters:blur(3/a.png"}},
		{"unsafe/smart/300x200/a", Request{Unsafe: true, Image: "300x200/a", Operations: Operations{Smart: true}}},
		{"unsafe/trim%2Fimg", Request{Unsafe: true, Image: "trim/img"}},
		{"unsafe/a+b%2Bc%20d%3Fe", Request{Unsafe: true, Image: "a b+c d?e"}},
		{"unsafe/50%zz.jpg", Request{Unsafe: true, Image: "50%zz.jpg"}},
		{"unsafe/b64:aW1hZ2VzL2EuanBn", Request{Unsafe: true, Image: "images/a.jpg", Base64: true}},
		{"unsafe/b64:!!", Request{Unsafe: true, Image: "b64:!!"}},
		{"unsafe/200x100/color:red", Request{Unsafe: true, Image: "color:red",
			Operations: Operations{Width: 200, Height: 100}}},
		{"unsafe/https://example.com/a%20b.jpg", Request{Unsafe: true, Image: "https://example.com/a b.jpg"}},
		{"unsafe/300x200", Request{Unsafe: true, Image: "300x200"}},
	} {
		got, err := Parse(c.path)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q)\n got %+v, %v\nwant %+v", c.path, got, err, c.want)
		}
		if again, err := Parse(got.Path()); err != nil || again != got {
			t.Errorf("Parse(%q) of %q = %+v, %v", got.Path(), c.path, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, path := range []string{
		"", "/", "unsafe/", "unsafe/300x200/", "unsafe/../a", "unsafe/a/../b", "unsafe/%2e%2e%2fetc", "unsafe/a%00b",
		"unsafe/%2Fetc/passwd",
		"unsafe/a%5Cb", "unsafe/..%5ca", "unsafe/b64:Li4vYQ", "unsafe/b64:L2V0Yy9wYXNzd2Q", "unsafe/b64:aHR0cHM6Ly8",
		"unsafe/%ff",
		"unsafe/filters:" + strings.Repeat("hue(1):", 65) + "/a", "unsafe/" + strings.Repeat("a", MaxPathBytes),
		"unsafe/99999999999999999999x1/a", "unsafe/1x2:99999999999x4/a", "unsafe/1x1/99999999999x0/a",
	} {
		if r, err := Parse(path); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("Parse(%q) = %+v, %v, expected %s", path, r, err, fault.Invalid)
		}
	}
}

func TestSigner(t *testing.T) {
	const path = "meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img"
	for _, c := range []struct {
		config SignerConfig
		path   string
		want   string
	}{
		{SignerConfig{Secret: "1234"}, path, "VTAq7YIRbEXgtwAcsTMhAjvBuT8="},
		{SignerConfig{Secret: "1234", Type: SHA256, Truncate: 40}, path, "XBCO7esuLsNQuSF2v9ie36pESRGx2rzLjhUxXWnV"},
		{SignerConfig{Secret: "mysecret", Type: SHA256, Truncate: 40},
			"500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png",
			"IGEn3TxngivD0jy4uuiZim2bdUCvhcnVi1Nm0xGy"},
	} {
		s, err := NewSigner(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Sign(c.path); got != c.want {
			t.Errorf("Sign with %+v = %s, want %s", c.config, got, c.want)
		}
		hash, signed := SplitSigned("//params/" + c.want + "/" + c.path)
		if hash != c.want || signed != c.path || !s.Verify(hash, signed) {
			t.Errorf("SplitSigned gives %q, %q", hash, signed)
		}
		if s.Verify(c.want, c.path+"x") || s.Verify(c.want[1:], c.path) || s.Verify("", c.path) {
			t.Error("a wrong signature is accepted")
		}
	}
	for _, c := range []SignerConfig{{}, {Secret: "a", Type: "MD5"}, {Secret: "a", Truncate: 16},
		{Secret: "a", Truncate: 29}, {Secret: "a", Truncate: -1}} {
		if _, err := NewSigner(c); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("NewSigner(%+v) = %v", c, err)
		}
	}
	current, _ := NewSigner(SignerConfig{Secret: "new"})
	before, _ := NewSigner(SignerConfig{Secret: "old", Type: SHA512})
	k := NewKeySet(current, nil, before)
	if !k.Verify(before.Sign("a"), "a") || !k.Verify(k.Sign("a"), "a") || k.Sign("a") != current.Sign("a") ||
		k.Verify(before.Sign("a"), "b") {
		t.Error("a rotation must accept both secrets and sign with the new one")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"unsafe/trim:bottom-right:3/0.5x1:2x3/adaptive-full-fit-in/stretch/-3x-4/1x2:3x4/left/top/smart/filters:a(b(c)):d()/e%2Ff",
		"params/VTAq7YIRbEXgtwAcsTMhAjvBuT8=/meta/b64:aGVsbG8=", "unsafe/unsafe%2Fx/y", "params%2F/x", "x/y",
		"1x2:3x4/z", "filters:a()/", "b64%3AaGVsbG8", "a+b%zz", "meta/color:red"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse(s)
		if err != nil {
			return
		}
		p := r.Path()
		again, err := Parse(p)
		if err != nil || again != r {
			t.Fatalf("Parse(%q) = %+v\nits path %q gives %+v, %v", s, r, p, again, err)
		}
		if got := FiltersOf(r.Operations.Filters.List()...); got != r.Operations.Filters {
			t.Fatalf("filters %q become %q", r.Operations.Filters, got)
		}
		_ = r.Explain()
		_ = Params(s, r, nil)
	})
}

func FuzzSigner(f *testing.F) {
	f.Add("300x200/a.jpg", 3, byte(1))
	s, _ := NewSigner(SignerConfig{Secret: "1234"})
	f.Fuzz(func(t *testing.T, path string, at int, flip byte) {
		hash := s.Sign(path)
		if !s.Verify(hash, path) {
			t.Fatal("the right signature is refused")
		}
		if flip == 0 || path == "" {
			return
		}
		b := []byte(path)
		b[uint(at)%uint(len(b))] ^= flip
		if s.Verify(hash, string(b)) {
			t.Fatalf("the signature of %q is accepted for %q", path, b)
		}
	})
}

func FuzzFilterArguments(f *testing.F) {
	for _, spec := range FilterTable() {
		f.Add(spec.Name, "1,2,3")
	}
	f.Add("text", "b64:aGVsbG8,left-20,20p,sans-bold-24,red,10,multiply,80p")
	f.Add("focal", "0.1x0.2:0.3x0.4")
	f.Add("curve", "r,64,56,128,142,199,210")
	f.Add("curve", "0,300,,5,5")
	f.Fuzz(func(t *testing.T, name, args string) {
		if _, ok := ParseFilters(name + "(" + args + ")"); !ok {
			return
		}
		filters := FiltersOf(Filter{Name: name, Args: args})
		calls, warnings, err := filters.Calls(false)
		_, _, strict := filters.Calls(true)
		if err == nil && (len(warnings) > 0) != (strict != nil) {
			t.Fatalf("%s: warnings %v, strict %v", filters, warnings, strict)
		}
		for _, c := range calls {
			_ = c.Explain()
		}
	})
}

func TestParams(t *testing.T) {
	path := "/params/unsafe/300x200/filters:blur(3):foo(1):brightness(200)/a/b.jpg"
	r, err := Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	p := Params(path, r, nil)
	if p.Path != "300x200/filters:blur(3):foo(1):brightness(200)/a/b.jpg" || p.Image != "a/b.jpg" || p.Width != 300 ||
		len(p.Filters) != 3 ||
		p.ValidSignature != nil {
		t.Errorf("params %+v", p)
	}
	if w := strings.Join(p.Warnings, "\n"); len(p.Warnings) != 2 || !strings.Contains(w, `"foo" is unknown`) ||
		!strings.Contains(w, "from -100 to 100") {
		t.Errorf("warnings %q", w)
	}
	if e := strings.Join(p.Explain, "\n"); !strings.Contains(e, "Fill 300 x 200, cropping to the middle center") ||
		!strings.Contains(e, "sigma 1.5") ||
		!strings.Contains(e, "brightness by 100") {
		t.Errorf("explain %q", e)
	}
}

// TestMisplacedSegments warns of a segment out of its order, not of a folder that is written as one.
func TestMisplacedSegments(t *testing.T) {
	for path, want := range map[string]bool{
		"unsafe/smart/trim/a.jpg": true, "unsafe/filters:blur(1)/300x200/a.jpg": true, "unsafe/trim:foo/a.jpg": true,
		"unsafe/trim%2Fa.jpg": false, "unsafe/trim/trim%2Fa.jpg": false, "unsafe/meta/300x200/smart%2fa.jpg": false,
		"params/unsafe/holiday/a.jpg": false,
	} {
		r, err := Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Params(path, r, nil).Warnings; len(got) > 0 != want {
			t.Errorf("%s: warnings %q", path, got)
		}
	}
}
