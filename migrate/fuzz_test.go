package migrate

import (
	"testing"

	"github.com/safelight/safelight/imaging"
)

// FuzzTranslate checks that no URL breaks the translation, and that what it returns can be read.
func FuzzTranslate(f *testing.F) {
	for _, url := range []string{
		"/unsafe/fit-in/300x200/filters:round_corner(20|10,255,0,16):quality(50):format(avif):image(/f-2xf/b.png,1)/example.com/a.jpg?x",
		"/x/rs:fill:300:200:1:1/g:fp:0.3:0.7/c:0.5:0.2:soea/t:10/pd:1:2:3/bg:1:2:3/q:50/exp:1e9/plain/s3://bucket/a%20b.jpg@webp",
		"/x/z:0.5/dpr:2/rot:-90/aHR0cHM6Ly9leGFtcGxlLmNvb/S9hLmpwZw.webp",
		"/resize?width=300&height=1e9&aspectratio=16:9&extend=background&background=1,2,3&rotate=-90&sigma=2&url=https://example.com/a.jpg?b",
		"/extract?top=1.5&left=-2&areawidth=1e300&areaheight=nan&file=../a.jpg",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		for _, from := range []Product{"", Thumbor, Imagor, Imgproxy, Imaginary} {
			r, ok := Translate(url, from)
			if !ok {
				continue
			}
			if (r.Verdict == Refused) != (r.Reason != "") || (r.Verdict == Refused) != (r.Path == "") ||
				(r.Verdict == Differs) != (len(r.Differences) > 0) {
				t.Fatalf("%q from %q: %+v", url, from, r)
			}
			if r.Path == "" {
				continue
			}
			if _, err := imaging.Parse("unsafe/" + r.Path); err != nil {
				t.Fatalf("%q from %q gives %q: %v", url, from, r.Path, err)
			}
		}
	})
}
