package migrate

import (
	"math"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

const hash = "VTAq7YIRbEXgtwAcsTMhAjvBuT8="

// check compares the translation of a URL; differences are subjects, separated by spaces.
func check(t *testing.T, raw string, from, product Product, verdict Verdict, path, differences string) Result {
	t.Helper()
	r, ok := Translate(raw, from)
	var subjects []string
	for _, d := range r.Differences {
		subjects = append(subjects, d.Subject)
	}
	if !ok || r.From != product || r.Verdict != verdict || r.Path != path ||
		strings.Join(subjects, " ") != differences {
		t.Errorf("%s\n got %v %q %s %q, differences %q, reason %q, needs %q\nwant %q %s %q, differences %q", raw, ok,
			r.From, r.Verdict, r.Path, subjects, r.Reason, r.Needs, product, verdict, path, differences)
	}
	if ok && (r.Verdict == Refused) != (r.Reason != "") || (r.Verdict == Differs) != (len(r.Differences) > 0) {
		t.Errorf("%s: %s with the reason %q and %d differences", raw, r.Verdict, r.Reason, len(r.Differences))
	}
	if r.Path != "" {
		if parsed, err := imaging.Parse("unsafe/" + r.Path); err != nil || parsed.Image == "" {
			t.Errorf("%s: the path %s cannot be read: %v", raw, r.Path, err)
		}
	}
	return r
}

func TestThumborFamily(t *testing.T) {
	for _, c := range []struct {
		url         string
		from        Product
		product     Product
		verdict     Verdict
		differences string
	}{
		{"/" + hash + "/300x200/a.jpg", "", ThumborFamily, Same, ""},
		{"https://img.example.com/" + hash + "/fit-in/300x200/left/top/filters:blur(3):quality(50)/a%2Fb.jpg", "",
			ThumborFamily, Same, ""},
		{"/unsafe/debug/300xorig/filters:focal(10x10:40x40)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/smart/a.jpg", Thumbor, Thumbor, Differs, "smart"},
		{"/" + hash + "/smart/a.jpg", Imagor, Imagor, Same, ""},
		{"/" + hash + "/meta/a.jpg", Thumbor, Thumbor, Differs, "meta"},
		{"/" + hash + "/filters:saturation(1.3)/a.jpg", "", Thumbor, Differs, "saturation"},
		{"/" + hash + "/filters:saturation(30)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/filters:sharpen(2,1.0,true)/a.jpg", "", Thumbor, Differs, "sharpen"},
		{"/" + hash + "/filters:sharpen(2,1)/a.jpg", Imagor, Imagor, Differs, "sharpen"},
		{"/" + hash + "/filters:round_corner(20|10,255,0,16)/a.jpg", "", Thumbor, Differs, "round_corner"},
		{"/" + hash + "/filters:round_corner(20,10,red)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/fit-in/9x9/filters:fill(red,true)/a.jpg", "", Thumbor, Same, ""},
		{"/" + hash + "/fit-in/9x9/filters:fill(red)/a.jpg", Thumbor, Thumbor, Differs, "fill"},
		{"/" + hash + "/fit-in/9x9/filters:fill(red)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/filters:autojpg(False)/a.png", "", Thumbor, Differs, "autojpg"},
		{"/" + hash + "/filters:autojpg(True)/a.png", "", Thumbor, Differs, "autojpg"},
		{"/" + hash + "/filters:autojpg()/a.png", "", ThumborFamily, Same, ""},
		{"/" + hash + "/filters:autojpg(False)/a.jpg", Imagor, Imagor, Same, ""},
		{"/" + hash + "/filters:exposure(1):vibrance(20)/a.jpg", "", ThumborFamily, Differs, "exposure vibrance"},
		{"/" + hash + "/filters:exposure(1)/a.jpg", Thumbor, Thumbor, Differs, "exposure"},
		{"/" + hash + "/filters:exposure(1)/a.jpg", Imagor, Imagor, Differs, "exposure"},
		{"/" + hash + "/filters:curve(0,30,255,230)/a.jpg", Imagor, Imagor, Differs, "curve"},
		{"/" + hash + "/filters:curve([(0,0),(255,255)])/a.jpg", Imagor, Imagor, Same, ""},
		{"/" + hash + "/filters:hue(red)/a.jpg", Thumbor, Thumbor, Same, ""},
		{"/" + hash + "/filters:noise(20):equalize()/a.jpg", "", Thumbor, Differs, "noise equalize"},
		{"/" + hash + "/filters:hue(20)/a.jpg", "", Imagor, Same, ""},
		{"/" + hash + "/filters:hue(20)/a.jpg", Thumbor, Thumbor, Differs, "hue"},
		{"/" + hash + "/filters:draw_detections()/a.jpg", "", Imagor, Differs, "draw_detections"},
		{"/" + hash + "/filters:own_plugin(3)/a.jpg", "", ThumborFamily, Differs, "own_plugin"},
		{"/" + hash + "/filters:brightness(130)/a.jpg", "", ThumborFamily, Differs, "brightness"},
		{"/" + hash + "/filters:quality(50):format(avif)/a.jpg", "", ThumborFamily, Differs, "quality"},
		{"/" + hash + "/filters:quality(50):format(jpeg)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/fit-in/trim:x/300x200/a.jpg", "", ThumborFamily, Differs, "segments"},
		{"/" + hash + "/300x200/filters:image(/fit-in/f-20x50/filters:own_plugin()/b.png,0,0)/a.jpg", "", Imagor,
			Differs, "image > own_plugin"},
		{"/" + hash + "/300x200/filters:watermark(b.png,repeat,bottom,10,20,none)/a.jpg", "", ThumborFamily, Same, ""},
		{"/" + hash + "/300x200/https://example.com/a.jpg?size=2", "", ThumborFamily, Differs, "query"},
		{"/" + hash + "/300x200/a.jpg?v=2", "", ThumborFamily, Same, ""},
		{"/" + hash + "/color:red", "", ThumborFamily, Same, ""},
	} {
		_, path, _ := strings.Cut(strings.TrimPrefix(c.url, "https://img.example.com"), hash+"/")
		if path == "" {
			_, path, _ = strings.Cut(c.url, "/unsafe/")
		}
		path, _, _ = strings.Cut(path, "?")
		check(t, c.url, c.from, c.product, c.verdict, path, c.differences)
	}
}

func TestThumborRefuses(t *testing.T) {
	for path, want := range map[string]string{
		"filters:redact(blur,20)/a.jpg": "redact", "filters:blur(2):redact_oval()/a.jpg": "hides",
		"filters:format(mp4)/a.jpg":     "mp4",
		"full-fit-in/99999x99999/a.jpg": "16383", "../a.jpg": "..", "meta/filters:blurhash(20,1)/a.jpg": "blurhash",
		"99999999999x2/a.jpg": "too large",
	} {
		for _, from := range []Product{"", Thumbor, Imagor} {
			r, ok := Translate("/"+hash+"/"+path, from)
			if !ok || r.Verdict != Refused || !strings.Contains(r.Reason, want) || r.Path != "" {
				t.Errorf("%s from %q: %v %+v, expected a reason with %q", path, from, ok, r, want)
			}
		}
	}
}

// TestNeeds holds which settings a URL needs.
func TestNeeds(t *testing.T) {
	for url, want := range map[string]string{
		"/" + hash + "/300x200/a.jpg":                                    "",
		"/unsafe/300x200/a.jpg":                                          "unsafe: on, or signed URLs instead",
		"/" + hash + "/300x200/example.com/folder/a.jpg":                 "remote-sources: example.com",
		"/" + hash + "/300x200/example.com:8080/a.jpg":                   "remote-sources: example.com:8080",
		"/" + hash + "/300x200/https://example.com/a.jpg":                "remote-sources: example.com",
		"/" + hash + "/300x200/2024.jpg/a.jpg":                           "",
		"/" + hash + "/300x200/photos.2024/a.jpg":                        "",
		"/" + hash + "/filters:watermark(example.org/b.png,0,0,0)/a.jpg": "remote-sources: example.org",
		"/x/rs:fit:9:9/plain/s3://bucket/folder/a.jpg":                   "storage: the files of the bucket bucket",
		"/x/rs:fit:9:9/plain/local:///a.jpg":                             "",
		"/x/rs:fit:9:9/plain/folder/a.jpg": "storage: the images below " +
			"IMGPROXY_BASE_URL",
		"/resize?width=9&file=a.jpg": "storage: the files of imaginary's " +
			"-mount",
		"/watermarkimage?image=http://h.org/w.png&url=https://example.com/a.jpg": "remote-sources: example.com, " +
			"remote-sources: h.org",
	} {
		if r, ok := Translate(url, ""); !ok || strings.Join(r.Needs, ", ") != want {
			t.Errorf("%s: %v, needs %q, expected %q", url, ok, r.Needs, want)
		}
	}
}

// TestContrastOfImgproxy checks that the contrast here multiplies by the factor of imgproxy.
func TestContrastOfImgproxy(t *testing.T) {
	for _, factor := range []float64{0.2, 0.5, 0.9, 1, 1.1, 1.5, 3, 20} {
		var v tones
		v.set(1, decimal(factor))
		c := 2.55 * v[1]
		if got := 259 * (c + 255) / (255 * (259 - c)); math.Abs(got-factor) > 1e-9 {
			t.Errorf("contrast %v becomes contrast(%v), which multiplies by %v", factor, v[1], got)
		}
	}
}

func TestImgproxy(t *testing.T) {
	const local = "/plain/local:///folder/a.jpg"
	for _, c := range []struct {
		url         string
		verdict     Verdict
		path        string
		differences string
	}{
		{"/x/rs:fit:300:200" + local, Same, "fit-in/300x200/folder/a.jpg", ""},
		{"/x/resize:fit:300:200:1" + local, Same, "fit-in/300x200/filters:upscale()/folder/a.jpg", ""},
		{"/x/w:300" + local, Same, "fit-in/300x0/folder/a.jpg", ""},
		{"/x/s:300:200/rt:fill/g:no" + local, Same, "300x200/top/filters:no_upscale()/folder/a.jpg", ""},
		{"/x/rs:fill:300:200:t/g:sowe" + local + "@webp", Same, "300x200/left/bottom/filters:format(webp)/folder/a.jpg",
			""},
		{"/x/rs:fill:300:200:1/g:sm" + local, Same, "300x200/smart/folder/a.jpg", ""},
		{"/x/rs:fill:300:200:1/g:fp:0.3:0.7" + local, Same, "300x200/filters:focal(0.3,0.7)/folder/a.jpg", ""},
		{"/x/rs:fill:300:200:1/g:no:5:10" + local, Differs, "300x200/top/folder/a.jpg", "gravity"},
		{"/x/rs:fill-down:300:200" + local, Differs, "300x200/filters:no_upscale()/folder/a.jpg", "resizing_type"},
		{"/x/rs:force:300:200:1" + local, Same, "stretch/300x200/folder/a.jpg", ""},
		{"/x/rs:force:300:0:1" + local, Same, "stretch/300xorig/folder/a.jpg", ""},
		{"/x/rs:force:300:200" + local, Differs, "stretch/300x200/filters:no_upscale()/folder/a.jpg", "resizing_type"},
		{"/x/rs:fit:300:200/dpr:2" + local, Same, "fit-in/600x400/folder/a.jpg", ""},
		{"/x/z:0.5" + local, Same, "filters:proportion(50)/folder/a.jpg", ""},
		{"/x/z:2" + local, Same, "folder/a.jpg", ""},
		{"/x/z:2/el:1" + local, Differs, "folder/a.jpg", "zoom"},
		{"/x/rs:fill:300:200/dpr:2" + local, Differs, "600x400/filters:no_upscale()/folder/a.jpg", "dpr"},
		{"/x/rs:fill:300:200:1/dpr:2/pd:3/bg:fff" + local, Same,
			"600x400/filters:background_color(fff):padding(fff,6,6,6,6)/folder/a.jpg", ""},
		{"/x/bl:2/bg:fff" + local, Same, "filters:blur(2,2):background_color(fff)/folder/a.jpg", ""},
		{"/x/rs:fit:300:200:0:1/bg:ff0000" + local, Same, "fit-in/300x200/filters:fill(ff0000)/folder/a.jpg", ""},
		{"/x/rs:fit:300:200/ex:1" + local, Differs, "fit-in/300x200/filters:fill(none)/folder/a.jpg", "background"},
		{"/x/bg:255:0:16" + local, Same, "filters:background_color(ff0010)/folder/a.jpg", ""},
		{"/x/pd:10:20/bg:fff" + local, Same, "filters:background_color(fff):padding(fff,20,10,20,10)/folder/a.jpg", ""},
		{"/x/c:0.5:0.5" + local, Same, "0.25x0.25:0.75x0.75/folder/a.jpg", ""},
		{"/x/c:0.5:0:soea/w:30" + local, Same, "0.5x0:1x1/fit-in/30x0/folder/a.jpg", ""},
		{"/x/c:0.4:0.4:fp:0.1:0.9" + local, Same, "0x0.6:0.4x1/folder/a.jpg", ""},
		{"/x/c:100:50:nowe:10:20" + local, Same, "10x20:110x70/folder/a.jpg", ""},
		{"/x/c:100:50" + local, Refused, "", ""},
		{"/x/t:0" + local, Same, "trim/folder/a.jpg", ""},
		{"/x/t:10:ff00ff:1" + local, Differs, "trim:10/folder/a.jpg", "trim trim trim"},
		{"/x/rot:90" + local, Same, "filters:orient(270)/folder/a.jpg", ""},
		{"/x/fl:1:1/w:30" + local, Same, "fit-in/-30x-0/folder/a.jpg", ""},
		{"/x/fl:1" + local, Same, "-0x0/folder/a.jpg", ""},
		{"/x/bl:2.5/pix:8" + local, Same, "filters:blur(2.5,2.5):pixelate(8)/folder/a.jpg", ""},
		{"/x/fill/300/400/sm/0" + local, Same, "300x400/smart/filters:no_upscale()/folder/a.jpg", ""},
		{"/x/fit/300/0/ce/1/bG9jYWw6Ly8vZm9sZGVyL2EuanBn.png", Same,
			"fit-in/300x0/filters:upscale():format(png)/folder/a.jpg", ""},
		{"/x/fill/300/400/fp:0.3:0.7/1" + local + "@webp", Same,
			"300x400/filters:focal(0.3,0.7):format(webp)/folder/a.jpg", ""},
		{"/x/fill/300/400/soea/1/q:50" + local, Same, "300x400/right/bottom/filters:quality(50)/folder/a.jpg", ""},
		{"/x/sh:0.5" + local, Differs, "filters:sharpen(0.01)/folder/a.jpg", "sharpen"},
		{"/x/sh:1" + local, Differs, "filters:sharpen(0.01)/folder/a.jpg", "sharpen"},
		{"/x/br:-255/co:1/sa:3" + local, Differs, "filters:brightness(-100):saturation(100)/folder/a.jpg",
			"brightness saturation"},
		{"/x/a:::0" + local, Differs, "filters:saturation(-100)/folder/a.jpg", "saturation"},
		{"/x/sh:2" + local, Differs, "filters:sharpen(0.5)/folder/a.jpg", "sharpen"},
		{"/x/q:80/f:jpg" + local, Same, "filters:format(jpg):quality(80)/folder/a.jpg", ""},
		{"/x/mb:20000/exp:1700000000/cb:x/sm:0/scp:1" + local, Same,
			"filters:max_bytes(20000):strip_icc():keep_metadata():expire(1700000000000)/folder/a.jpg", ""},
		{"/x/fn:cat/att:1" + local, Same, "filters:attachment(b64:Y2F0)/folder/a.jpg", ""},
		{"/x/att:1" + local, Same, "filters:attachment()/folder/a.jpg", ""},
		{"/x/fn:cat" + local, Differs, "folder/a.jpg", "filename"},
		{"/x/pg:2/da:1/dpi:150" + local, Same, "filters:page(3):dpi(150):max_frames(1)/folder/a.jpg", ""},
		{"/x/ar:0" + local, Differs, "folder/a.jpg", "auto_rotate"},
		{"/x/att:1/raw:1" + local, Same, "filters:attachment():raw()/folder/a.jpg", ""},
		{"/x/raw:1" + local, Same, "filters:raw()/folder/a.jpg", ""},
		{"/x/skp:svg/mc:1" + local, Differs, "folder/a.jpg", "skip_processing monochrome"},
		{"/x/rs:auto:300:200" + local, Refused, "", ""},
		{"/x/pr:sharp" + local, Refused, "", ""},
		{"/x/mypreset:1" + local, Refused, "", ""},
		{"/x/wm:0.5:soea" + local, Refused, "", ""},
		{"/x/bd:" + local, Refused, "", ""},
		{"/x/f:mp4" + local, Refused, "", ""},
		{"/x/rs:fit:9:9/enc/AbCdEf", Refused, "", ""},
		{"/x/plain/https:/example.com/a%20b.jpg@png", Same, "filters:format(png)/https://example.com/a%20b.jpg", ""},
		{"/x/w:9/plain/https://example.com/a.jpg%3Fx=1", Same, "fit-in/9x0/b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9hLmpwZz94PTE",
			""},
		{"/x/w:9/aHR0cHM6Ly9leGFtcGxlLmNvb/S9hLmpwZw.webp", Same,
			"fit-in/9x0/filters:format(webp)/https://example.com/a.jpg", ""},
	} {
		check(t, c.url, "", Imgproxy, c.verdict, c.path, c.differences)
	}
}

func TestImaginary(t *testing.T) {
	const file = "&file=a.jpg"
	for _, c := range []struct {
		url         string
		verdict     Verdict
		path        string
		differences string
	}{
		{"/crop?width=300&height=200" + file, Differs, "300x200/filters:no_upscale()/a.jpg", "crop"},
		{"/crop?width=300&gravity=west" + file, Same, "300xorig/left/filters:no_upscale()/a.jpg", ""},
		{"/smartcrop?width=300&height=200" + file, Differs, "300x200/smart/filters:no_upscale()/a.jpg", "smartcrop"},
		{"/resize?width=300" + file, Same, "fit-in/300x0/a.jpg", ""},
		{"/prefix/resize?width=300&url=https%3A%2F%2Fexample.com%2Fa.jpg%3Fx", Same,
			"fit-in/300x0/b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9hLmpwZz94", ""},
		{"/resize?width=300&height=200" + file, Differs, "fit-in/300x200/filters:fill(auto)/a.jpg", "extend resize"},
		{"/resize?width=300&height=200&extend=background&background=255,0,16" + file, Differs,
			"fit-in/300x200/filters:fill(ff0010)/a.jpg", "resize"},
		{"/resize?width=300&height=200&extend=black" + file, Differs, "fit-in/300x200/filters:fill(black)/a.jpg",
			"resize"},
		{"/resize?width=300&height=200&nocrop=false" + file, Differs, "300x200/filters:no_upscale()/a.jpg", "resize"},
		{"/resize?width=300&height=200&force=true" + file, Same, "stretch/300x200/a.jpg", ""},
		{"/resize?width=310&aspectratio=16:9&nocrop=false" + file, Differs, "310x171/filters:no_upscale()/a.jpg",
			"resize"},
		{"/enlarge?width=3000&height=2000" + file, Same, "3000x2000/a.jpg", ""},
		{"/enlarge?width=3000&height=2000&nocrop=true" + file, Same, "fit-in/3000x2000/filters:upscale()/a.jpg", ""},
		{"/extract?top=10&left=20&areawidth=300&areaheight=200" + file, Same, "20x10:320x210/a.jpg", ""},
		{"/extract?top=10&left=20&areawidth=30&areaheight=20&width=100" + file, Same,
			"100x0/filters:crop(20,10,30,20)/a.jpg", ""},
		{"/rotate?rotate=90" + file, Differs, "filters:orient(270)/a.jpg", "rotate"},
		{"/rotate?rotate=270&width=200" + file, Differs, "fit-in/200x0/filters:orient(90)/a.jpg", "rotate"},
		{"/autorotate?width=30" + file, Same, "a.jpg", ""},
		{"/flip?" + file, Same, "-0x0/a.jpg", ""},
		{"/flop?" + file, Same, "0x-0/a.jpg", ""},
		{"/thumbnail?width=100&height=80" + file, Same, "stretch/100x80/a.jpg", ""},
		{"/resize?width=100&force=true" + file, Same, "100x0/a.jpg", ""},
		{"/fit?width=100&height=80&type=jpeg&quality=70" + file, Same,
			"fit-in/100x80/filters:format(jpeg):quality(70)/a.jpg", ""},
		{"/convert?type=png&compression=9&palette=true" + file, Same,
			"filters:format(png):compression(9):palette()/a.jpg", ""},
		{"/convert?type=auto" + file, Same, "filters:format(auto)/a.jpg", ""},
		{"/convert?type=pdf" + file, Refused, "", ""},
		{"/blur?sigma=5&minampl=0.2" + file, Same, "filters:blur(5,5)/a.jpg", ""},
		{"/resize?width=9&colorspace=bw&noprofile=true&stripmeta=true&background=1,2,3" + file, Same,
			"fit-in/9x0/filters:background_color(010203):grayscale():strip_icc()/a.jpg", ""},
		{"/resize?width=9&norotation=true&own=3" + file, Differs, "fit-in/9x0/a.jpg", "norotation own"},
		{"/info?" + file, Differs, "meta/a.jpg", "info"},
		{"/watermarkimage?image=http://h.org/w.png&left=10&top=20&opacity=0.25" + file, Same,
			"filters:watermark(b64:aHR0cDovL2gub3JnL3cucG5n,10,20,75)/a.jpg", ""},
		{"/watermark?text=x" + file, Refused, "", ""},
		{"/zoom?factor=2" + file, Refused, "", ""},
		{"/pipeline?operations=[]" + file, Refused, "", ""},
		{"/resize?width=9&file=../a.jpg", Refused, "", ""},
	} {
		check(t, c.url, "", Imaginary, c.verdict, c.path, c.differences)
	}
}

// TestOthers are URLs of no product.
func TestOthers(t *testing.T) {
	for _, url := range []string{"", "/", "/favicon.ico", "/static/app.js", "/index.html?url=x", "/resize",
		"/resize?width=300", "/300x200/a.jpg", "/a/b/c.jpg", "https://example.com", "/unsafe",
		"http://example.com/https://example.org/unsafe/a.jpg"} {
		if r, ok := Translate(url, ""); ok {
			t.Errorf("%q is taken for a URL: %+v", url, r)
		}
	}
	for _, url := range []string{"/unsafe/plain/a.jpg", "/unsafe/trim:10/plain/a.jpg",
		"/unsafe/filters:blur(3)/plain/a.jpg"} {
		if r, ok := Translate(url, ""); !ok || r.From != ThumborFamily {
			t.Errorf("%q: %v, %s", url, ok, r.From)
		}
	}
}

// TestQualityFor checks that no other quality brings the encoder nearer to the number of the URL.
func TestQualityFor(t *testing.T) {
	scales := 0
	for _, f := range imaging.Formats() {
		if len(f.QualityScale) > 0 {
			scales++
		}
		for encoder := 1; encoder <= 100 && len(f.QualityScale) > 0; encoder++ {
			q := qualityFor(f.Format, encoder)
			for other := 1; other <= 100; other++ {
				if abs(f.QualityScale.At(other)-encoder) < abs(f.QualityScale.At(q)-encoder) {
					t.Fatalf("%s: %d becomes %d, which gives %d; %d gives %d", f.Format, encoder, q,
						f.QualityScale.At(q), other, f.QualityScale.At(other))
				}
			}
		}
	}
	if got := qualityFor(imaging.JPEG, 55); got != 55 || scales == 0 {
		t.Errorf("JPEG: %d, %d formats with a scale", got, scales)
	}
}
