package vips

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// told is what Info says of data with those filters.
func told(t *testing.T, e *Engine, filters string, data []byte) *imaging.Info {
	t.Helper()
	info, err := e.Info(t.Context(), sourceOf(data), asking(filters), imaging.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", filters, err)
	}
	return info
}

func asking(filters string) imaging.InfoRequest {
	return imaging.InfoRequest{Operations: imaging.Operations{Filters: imaging.Filters(filters)}}
}

// withSegments is a JPEG with these segments, each a marker's low byte and its bytes, at its start.
func withSegments(picture []byte, segments ...string) []byte {
	out := bytes.Clone(picture[:2])
	for _, s := range segments {
		out = append(out, 0xFF, s[0])
		out = binary.BigEndian.AppendUint16(out, uint16(len(s)+1))
		out = append(out, s[1:]...)
	}
	return append(out, picture[2:]...)
}

func app2(profile []byte) string { return "\xE2ICC_PROFILE\x00\x01\x01" + string(profile) }
func app13(iim string) string    { return "\xEDPhotoshop 3.0\x00" + resource(0x0404, "", iim) }
func app1(xmp string) string     { return "\xE1http://ns.adobe.com/xap/1.0/\x00" + xmp }

const everything = "palette():dominant():phash():lqip():sha256():iptc():xmp():icc()"

const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- é --></x:xmpmeta>`

// TestEmbedded checks the data beside the pixels, for which no more than the header is read.
func TestEmbedded(t *testing.T) {
	e := open(t)
	data := withSegments(
		jpegOf(t, noise(900, 600)), app1(packet),
		app2(profileWith(map[string]string{"desc": description("A profile")})),
		app13(iim(2, 25, "sun")+iim(2, 25, "sea")+iim(2, 90, "Oslo")),
	)
	c := &counter{Reader: bytes.NewReader(data)}
	info, err := e.Info(
		t.Context(), imaging.Source{Size: -1, Reader: c}, asking("iptc():xmp():icc()"),
		imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"keywords": []string{"sun", "sea"}, "city": "Oslo"}
	if !reflect.DeepEqual(info.IPTC, want) || info.XMP != packet || info.ICC != "A profile" {
		t.Errorf("%v, %q, %q", info.IPTC, info.XMP, info.ICC)
	}
	if c.n > 20<<10 {
		t.Errorf("%d of %d bytes were read", c.n, len(data))
	}
	if info := told(t, e, "iptc():xmp():icc():strip_icc()", data); info.ICC != "" || info.XMP == "" ||
		info.IPTC == nil {
		t.Errorf("strip_icc: %+v", info)
	}
	for name, info := range map[string]*imaging.Info{
		"strip_metadata": told(t, e, "iptc():xmp():icc():strip_metadata()", data),
		"not asked for":  told(t, e, "", data),
		"not there":      told(t, e, "iptc():xmp():icc()", jpegOf(t, noise(8, 8))),
	} {
		b, _ := json.Marshal(info)
		for _, field := range []string{"iptc", "xmp", "icc", "sha256", "palette", "dominant_color", "phash", "lqip"} {
			if strings.Contains(string(b), `"`+field+`"`) {
				t.Errorf("%s: %s", name, b)
			}
		}
	}
}

// TestProfileNames tells the name of a profile that the result would drop because it is sRGB, and of one that libvips
// wrote.
func TestProfileNames(t *testing.T) {
	e := open(t)
	plain := profileWith(map[string]string{
		"desc": description("sRGB built-in"),
		"rTRC": "curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33",
		"gTRC": "curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33",
		"bTRC": "curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33",
		"rXYZ": "XYZ \x00\x00\x00\x00\x00\x00\x6F\xA2\x00\x00\x38\xF5\x00\x00\x03\x90",
		"gXYZ": "XYZ \x00\x00\x00\x00\x00\x00\x62\x99\x00\x00\xB7\x85\x00\x00\x18\xDA",
		"bXYZ": "XYZ \x00\x00\x00\x00\x00\x00\x24\xA0\x00\x00\x0F\x84\x00\x00\xB6\xCF",
	})
	if !plainSRGB(plain) {
		t.Fatal("the test's profile is not sRGB")
	}
	if name := told(t, e, "icc()", withSegments(jpegOf(t, noise(8, 8)), app2(plain))).ICC; name != "sRGB built-in" {
		t.Errorf("sRGB is called %q", name)
	}
	p3 := processed(e, "filters:to_colorspace(p3):format(jpeg)", pngOf(t, gradient(40, 30, false)), t).Data
	if name := told(t, e, "icc()", p3).ICC; name == "" {
		t.Error("Display P3 has no name")
	}
}

func TestXMP(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"invalid": {"a\xFFb", "a\uFFFDb"}, "NULs": {"a\x00\x00", "a"}, "empty": {"", ""},
		"long": {strings.Repeat("\xFFé", maxXMP), ""},
	} {
		got := xmpOf([]byte(c.data))
		if !utf8.ValidString(got) || len(got) > maxXMP || name != "long" && got != c.want ||
			name == "long" && len(got) < maxXMP-4 {
			t.Errorf("%s: %d bytes, %.20q", name, len(got), got)
		}
	}
}

// endless never ends, and counts.
type endless struct{ counter }

func (r *endless) Read(p []byte) (int, error) {
	if n, err := r.counter.Read(p); err != io.EOF {
		return n, err
	}
	r.n += len(p)
	return len(p), nil
}

func TestSHA256(t *testing.T) {
	e := open(t)
	data := jpegOf(t, noise(600, 400))
	sum := sha256.Sum256(data)
	want := hex.EncodeToString(sum[:])
	for _, filters := range []string{"sha256()", "sha256():avgcolor()", "sha256():strip_metadata():blur(3)"} {
		if got := told(t, e, filters, data).SHA256; got != want {
			t.Errorf("%s: %q, want %q", filters, got, want)
		}
	}
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`)
	sum = sha256.Sum256(svg)
	if got := told(t, e, "sha256()", svg).SHA256; got != hex.EncodeToString(sum[:]) {
		t.Errorf("SVG: %q", got)
	}
	canvas, err := e.Info(
		t.Context(), imaging.Source{Canvas: &imaging.Colour{R: 9, A: 255}},
		asking("sha256():iptc():xmp():icc():palette()"), imaging.DefaultLimits(),
	)
	if err != nil || canvas.SHA256 != "" || len(canvas.Palette) != 1 {
		t.Errorf("canvas: %+v, %v", canvas, err)
	}
	limits := imaging.Limits{}
	limits.MaxSourceBytes = int64(len(data)) + 1<<20
	r := &endless{counter{Reader: bytes.NewReader(data)}}
	_, err = e.Info(t.Context(), imaging.Source{Size: -1, Reader: r}, asking("sha256()"), limits)
	if fault.CodeOf(err) != fault.TooLarge || r.n > 2<<20 {
		t.Errorf("over MaxSourceBytes: %v after %d bytes", err, r.n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := e.Info(ctx, imaging.Source{Size: -1, Reader: &stopping{bytes.NewReader(data), cancel}},
		asking("sha256()"), imaging.Limits{}); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("canceled while reading: %v", err)
	}
}

// stopping is a reader that calls a function when its end is near.
type stopping struct {
	*bytes.Reader
	near func()
}

func (s *stopping) Read(p []byte) (int, error) {
	if s.Len() < 100<<10 {
		s.near()
	}
	return s.Reader.Read(p)
}

// TestMetaOfBrokenPictures asks everything of files that break off, and of nonsense beside the pixels.
func TestMetaOfBrokenPictures(t *testing.T) {
	e := open(t)
	whole := withSegments(
		jpegOf(t, gradient(200, 150, false)), app1("\xFF\x00"+strings.Repeat("x", 60000)),
		app2([]byte("no profile at all")), "\xEDPhotoshop 3.0\x008BIM\x04\x04\xFF",
		app13(strings.Repeat("\x1C", 900)),
	)
	for n := 0; n <= len(whole); n += 1 + len(whole)/60 {
		_, err := e.Info(t.Context(), sourceOf(whole[:n]), asking(everything), imaging.DefaultLimits())
		if code := fault.CodeOf(err); err != nil && code != fault.CorruptImage && code != fault.UnsupportedType {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestInfoLeaksNothing asks everything of many pictures, broken ones among them.
func TestInfoLeaksNothing(t *testing.T) {
	e := open(t)
	whole := jpegOf(t, gradient(300, 200, false))
	sources := [][]byte{
		whole,
		pngOf(t, gradient(200, 150, true)),
		animation(t, 64, 48, 3),
		whole[:len(whole)/2],
		pngOf(t, noise(200, 200))[:20000],
	}
	run := func(n int) imaging.Memory {
		for k := range n {
			_, _ = e.Info(t.Context(), sourceOf(sources[k%len(sources)]), asking(everything), imaging.DefaultLimits())
		}
		return e.Memory()
	}
	before := run(50)
	// each thread of a busy machine may keep a few allocations of its own; a leak has one for each of 60 runs at least
	if after := run(300); after.Allocations > before.Allocations+40 || after.Bytes > before.Bytes+1<<20 {
		t.Errorf("libvips holds %+v after %+v", after, before)
	}
}
