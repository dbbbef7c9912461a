package imaging

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestLongestPaths holds the bounds of a path and of its filters.
func TestLongestPaths(t *testing.T) {
	long := strings.Repeat("a", MaxPathBytes)
	for path, ok := range map[string]bool{
		long:       true,
		long + "a": false,
		"filters:" + strings.Repeat("hue(1):", MaxFilters) + "/a":   true,
		"filters:" + strings.Repeat("hue(1):", MaxFilters+1) + "/a": false,
	} {
		if _, err := Parse(path); (err == nil) != ok {
			t.Errorf("%d bytes: %v", len(path), err)
		}
		if _, err := ParseLayer(path); (err == nil) != ok {
			t.Errorf("%d bytes of a layer: %v", len(path), err)
		}
	}
	for digits, cut := range map[int]bool{24: false, 25: true} {
		_, err := Parse("unsafe/" + strings.Repeat("9", digits) + "x1/a")
		if err == nil || strings.Contains(err.Error(), "...") != cut {
			t.Errorf("a number of %d digits: %v", digits, err)
		}
	}
}

func TestParseFilters(t *testing.T) {
	for text, want := range map[string]Filters{"blur(1)": "blur(1)", "filters:blur(1):hue(2)": "blur(1):hue(2)",
		"": ""} {
		if f, ok := ParseFilters(text); !ok || f != want {
			t.Errorf("%q: %q, %v", text, f, ok)
		}
	}
	for _, text := range []string{"blur", "blur(1", "blur(1))", "blur(1)/x", "(1)", "blur(1)x", "a/b(1)"} {
		if f, ok := ParseFilters(text); ok {
			t.Errorf("%q is read as %q", text, f)
		}
	}
}

// TestFieldsOfWarnings holds what strict mode names: the filter, and its argument if one is wrong.
func TestFieldsOfWarnings(t *testing.T) {
	for filters, field := range map[Filters]string{
		"nope()": "nope", "blur(x)": "blur.sigma", "blur(1,2,3)": "blur", "focal()": "focal.region", "focal(5,5)": "",
		"blur(1):hue()": "hue.degrees"} {
		_, _, err := filters.Calls(true)
		got := ""
		if err != nil {
			got = fault.Of(err).Field
		}
		if got != field {
			t.Errorf("%s: %v, expected the field %q", filters, err, field)
		}
	}
	for percent, want := range map[string]float64{"1": 100, "0.5": 50, "1.5": 1.5, "100": 100} {
		calls, _, err := Filters("proportion(" + percent + ")").Calls(true)
		if err != nil || calls[0].Float("percent") != want {
			t.Errorf("proportion(%s): %v, %v, expected %v", percent, calls, err, want)
		}
	}
}

func TestDecodeText(t *testing.T) {
	for text, want := range map[string]string{"a%20b": "a b", "50%": "50%", "a+b": "a+b", "b64:YSxi": "a,b",
		"b64:!": "b64:!", "%C3%A9": "\u00e9"} {
		if got, ok := decodeText(text); !ok || got != want {
			t.Errorf("%q: %q, %v, expected %q", text, got, ok, want)
		}
	}
	if got, ok := decodeText("a%00b"); ok {
		t.Errorf("a NUL is read: %q", got)
	}
	if got, ok := decodeText(EncodeText("a,b)")); !ok || got != "a,b)" {
		t.Errorf("encoded and decoded: %q", got)
	}
}

func TestCanvases(t *testing.T) {
	for image, ok := range map[string]bool{"color:red": true, "color:none": true, "color:auto": false,
		"color:nonsense": false, "color:": false} {
		if c, err := ParseCanvas(image); (err == nil) != ok || err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v, %v", image, c, err)
		}
	}
}

// TestShortestHeaders holds how many bytes tell a format.
func TestShortestHeaders(t *testing.T) {
	for header, want := range map[string]Format{
		"RIFF\x00\x00\x00\x00WEBP": WebP,
		"RIFF\x00\x00\x00\x00WEB":  "",
		"RIFX\x00\x00\x00\x00WEBP": "",
		"RIFF\x00\x00\x00\x00WAVE": "",
		"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x0c\x00\x00\x00": BMP,
		"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x0c\x00\x00":     "",
		"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x0b\x00\x00\x00": "",
		"BM\x00\x00\x00\x00\x00\x00\x00\x01\x36\x00\x00\x00\x28\x00\x00\x00": "",
		"BN\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00": "",
		"\x00\x00\x00\x0cftypavif":                         AVIF,
		"\x00\x00\x00\x0cftypavi":                          "",
		"\x00\x00\x00\x00ftypheic":                         HEIF,
		"\x00\x00\x00\x10ftypmif1avif":                     "", // the minor version
		"\x00\x00\x00\x14ftypmif1\x00\x00\x00\x00avif":     AVIF,
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00miafheic": HEIF,
		"\x00\x00\x00\x13ftypmif1\x00\x00\x00\x00avif":     "", // the box ends before
		"\x00\x00\x01\x00ftypmif1\x00\x00\x00\x00avif":     AVIF,
		"\x00\x00\x00\x14ftyqmif1\x00\x00\x00\x00avif":     "",
	} {
		if got := SniffFormat([]byte(header)); got != want {
			t.Errorf("%q: %q, expected %q", header, got, want)
		}
	}
	for text, want := range map[string]Format{".JPG": JPEG, "tif": TIFF, "webp": WebP} {
		if f, ok := ParseFormat(text); !ok || f != want || f.Extension() == "" {
			t.Errorf("%q: %q, %v", text, f, ok)
		}
	}
	if f := Format("nope"); f.Extension() != "nope" || f.ContentType() != "" || TIFF.Extension() != "tif" {
		t.Errorf("the extension of an unknown format is %q", f.Extension())
	}
}

// TestParamsResponse holds what depends on the signature and on the trim.
func TestParamsResponse(t *testing.T) {
	hash := strings.Repeat("a", 28)
	valid := true
	for path, want := range map[string]bool{hash + "/trim/x": true, "unsafe/trim/x": false} {
		r, err := Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		p := Params(path, r, &valid)
		if (p.ValidSignature != nil) != want || p.TrimBy != CornerTopLeft {
			t.Errorf("%s: %+v", path, p)
		}
	}
	for tolerance, warned := range map[string]bool{"442": false, "443": true} {
		r, err := Parse("unsafe/trim:" + tolerance + "/x")
		if err != nil {
			t.Fatal(err)
		}
		if p := Params("unsafe/trim:"+tolerance+"/x", r, nil); len(p.Warnings) > 0 != warned {
			t.Errorf("a tolerance of %s: %q", tolerance, p.Warnings)
		}
	}
}

func TestNegotiates(t *testing.T) {
	for filters, want := range map[Filters]bool{"format(auto)": true, "format(best)": true, "format(webp)": false,
		"": false, "blur(1)": false, "blur(1):format(auto)": true} {
		calls, _, err := filters.Calls(true)
		if err != nil || Negotiates(calls) != want {
			t.Errorf("%q: negotiates is not %v, %v", filters, want, err)
		}
	}
}

// TestSignerTypes holds the lengths of signatures, and that every character counts.
func TestSignerTypes(t *testing.T) {
	for hash, length := range map[SignerType]int{"": 28, SHA1: 28, SHA256: 44, SHA512: 88} {
		for truncate, want := range map[int]int{0: length, 17: 17, length: length} {
			s, err := NewSigner(SignerConfig{Type: hash, Secret: "s", Truncate: truncate})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Sign("x"); len(got) != want || !s.Verify(got, "x") || s.Verify(got, "y") ||
				s.Verify(got[:len(got)-1], "x") {
				t.Errorf("%q truncated to %d: %q", hash, truncate, got)
			}
		}
	}
}
