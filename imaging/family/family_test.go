package family_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

func TestParsePolicy(t *testing.T) {
	many := strings.Repeat("1", 5)
	for text, choices := range map[string]int{
		"320w":                               2,
		"320w,640w,1x,1.5x,2x,avif,webp,low": 3 * 4 * 3 * 2,
		"320-1920-160w":                      12,
		"320-1000-160w,2x":                   6 * 2,
		"7-7-1w":                             2,
		"0.5x,0.75x,4x":                      4,
		"key=a_B-9":                          1,
		"320w,key=k1,until=1800000000":       2,
		"jxl,gif,png,jpeg":                   5,
		"low,medium,high,320w":               8, // another order, that somebody signed
		"":                                   0, "320": 0, "w": 0, "0w": 0, "0320w": 0, "+320w": 0, "3e2w": 0,
		"65536w": 0, "640w,320w": 0, "320w,320w": 0, "320w,": 0, ",320w": 0, " 320w": 0,
		"320-200-10w": 0, "320-640-0w": 0, "1-65-1w": 0, "320-640-160w,700w": 0, "700w,320-640-160w": 0,
		"320-640-160w,320-640-160w": 0, "1-2w": 0, "1-2-3-4w": 0, "-1-2-3w": 0,
		"1.0x": 0, ".5x": 0, "1.555x": 0, "0.4x": 0, "4.01x": 0, "NaNx": 0, "Infx": 0, "2x,1x": 0, "1x,1x": 0,
		"0x1x": 0, "1e0x": 0,
		"jpg": 0, "tiff": 0, "auto": 0, "AVIF": 0, "avif,avif": 0, "low,low": 0, "best": 0,
		"key=": 0, "key=a b": 0, "key=a,key=b": 0, "key=" + strings.Repeat("k", 33): 0, "until=0": 0, "until=-1": 0,
		"until=1.5": 0, "until=01": 0, "until=1,until=2": 0,
		"until=253402300799": 1, "until=253402300800": 0, "until=" + strings.Repeat("9", 20): 0, many + "=1": 0,
		"1-64-1w,1x,2x,avif,webp,jpeg,png": 0, // 65 * 3 * 5 = 975, and with one more:
		"1-64-1w,1x,2x,3x,avif,webp,jpeg":  0,
	} {
		if text == "1-64-1w,1x,2x,avif,webp,jpeg,png" {
			choices = 975
		}
		p, err := family.ParsePolicy(text)
		switch {
		case choices == 0 && fault.CodeOf(err) != fault.Invalid:
			t.Errorf("ParsePolicy(%q) = %+v, %v, expected %s", text, p, err, fault.Invalid)
		case choices > 0 && (err != nil || p.Choices() != choices):
			t.Errorf("ParsePolicy(%q): %d choices, %v, expected %d", text, p.Choices(), err, choices)
		}
	}
}

func TestNew(t *testing.T) {
	p, err := family.New(family.Policy{
		Widths:    []int{640, 320, 640},
		Densities: []float64{2, 1, 1.5},
		Formats:   []imaging.Format{imaging.WebP, imaging.AVIF, imaging.WebP},
		Qualities: []family.Quality{family.High},
		Key:       "k",
		Until:     time.Unix(1800000000, 5),
	})
	if want := "320w,640w,1x,1.5x,2x,webp,avif,high,key=k,until=1800000000"; err != nil || p.String() != want {
		t.Errorf("New = %s, %v, expected %s", p, err, want)
	}
	for what, p := range map[string]family.Policy{
		"nothing": {}, "width": {Widths: []int{0}}, "density": {Densities: []float64{9}},
		"fine density": {Densities: []float64{1.234}},
		"format":       {Formats: []imaging.Format{imaging.TIFF}}, "quality": {Qualities: []family.Quality{"best"}},
		"key": {Widths: []int{1}, Key: "a,b"},
	} {
		if _, err := family.New(p); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v, expected %s", what, err, fault.Invalid)
		}
	}
}

const wide = "320w,640w,1x,1.5x,2x,avif,webp,low,high"

func TestChoose(t *testing.T) {
	p, err := family.ParsePolicy(wide)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"-", "320w", "640w,2x,avif,high", "1.5x", "webp", "low", "320w,low"} {
		if c, err := p.Choose(text); err != nil || c.String() != text {
			t.Errorf("Choose(%q) = %q, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "321w", "3x", "jpeg", "medium", "320w,640w", "320w,320w", "2x,320w", "avif,320w",
		"320w,", ",320w", "-,320w", "320w,-", "0320w", "320W", "320w%2C2x", "320-640-320w",
		"key=k", "until=1", "1.0x", " 320w", "320w,2x,avif,webp", "unsafe", "300x200"} {
		c, err := p.Choose(text)
		if fault.CodeOf(err) != fault.SignatureMismatch || c != (family.Choice{}) {
			t.Errorf("Choose(%q) = %q, %v, expected %s", text, c, err, fault.SignatureMismatch)
		}
	}
	_, err = p.Choose("321w")
	if want := `the family does not allow "321w", it allows 320w 640w, 1x 1.5x 2x, avif webp, low high, or - for none`; fault.Of(
		err,
	).Message != want {
		t.Errorf("message %q, expected %q", fault.Of(err).Message, want)
	}
}

// TestApply holds what a choice makes of operations.
func TestApply(t *testing.T) {
	for _, c := range []struct{ operations, choice, want string }{
		{"", "-", ""},
		{"300x200/", "-", "300x200/"},
		{"", "320w", "320x0/filters:no_upscale()/"},
		{"", "320w,1.5x", "480x0/filters:no_upscale()/"},
		{"filters:upscale()/", "320w", "320x0/filters:upscale()/"},
		{"filters:no_upscale():blur(2)/", "320w", "320x0/filters:no_upscale():blur(2)/"},
		{"300x200/", "600w", "600x400/"},
		{"300x200/", "600w,2x", "1200x800/"},
		{"300x200/", "1.5x", "450x300/"},
		{"3x2/", "0.5x", "2x1/"},
		{"1x1/", "0.5x", "1x1/"},
		{"300x0/", "600w,2x", "1200x0/"},
		{"0x200/", "600w,2x", "1200x400/"},
		{"0x200/", "2x", "0x400/"},
		{"", "2x", ""},
		{"fit-in/-300x-200/10x20/left/top/smart/", "600w", "fit-in/-600x-400/20x40/left/top/smart/"},
		{"origx200/", "600w", "600x200/"},
		{"300xorig/", "2x", "600xorig/"},
		{"300x200/", "webp", "300x200/filters:format(webp)/"},
		{"300x200/filters:format(auto):autojpg():blur(2):quality(30)/", "webp,high",
			"300x200/filters:blur(2):format(webp):quality(85)/"},
		{"300x200/filters:format(auto):quality(30)/", "low", "300x200/filters:format(auto):quality(45)/"},
		{"300x200/filters:image(/100x0/filters:format(png)/b,1,2)/", "avif,medium",
			"300x200/filters:image(/100x0/filters:format(png)/b,1,2):format(avif):quality(65)/"},
		{"1000000000x1/", "4x", "1000000000x4/"},
	} {
		u := family.URL{
			Policy: "320w,600w,0.5x,1.5x,2x,4x,webp,avif,low,medium,high",
			Choice: c.choice,
			Path:   c.operations + "a.jpg",
		}
		r, _, err := u.Read("AAAAAAAAAAAAAAAAAAAAAA==", imaging.Parse)
		if got := r.Operations.String(); err != nil || got != c.want || r.Image != "a.jpg" || r.Hash == "" {
			t.Errorf("%s of %q = %q, %v, expected %q", c.choice, c.operations, got, err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		url  family.URL
		code fault.Code
	}{
		{family.URL{Policy: "320w", Choice: "320w", Path: ""}, fault.Invalid},
		{family.URL{Policy: "320w", Choice: "320w", Path: "meta/a.jpg"}, fault.Invalid},
		{family.URL{Policy: "320", Choice: "320w", Path: "a.jpg"}, fault.Invalid},
		{family.URL{Policy: "320w", Choice: "321w", Path: "a.jpg"}, fault.SignatureMismatch},
		{family.URL{Policy: "320w", Choice: "320w", Path: "../a.jpg"}, fault.Invalid},
		{family.URL{Policy: "320w", Choice: "320w", Path: "a.jpg"}, ""},
	} {
		if _, _, err := c.url.Read("AAAAAAAAAAAAAAAAAAAAAA==", imaging.Parse); c.code == "" && err != nil ||
			c.code != "" && fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, expected %s", c.url, err, c.code)
		}
	}
}

func TestCut(t *testing.T) {
	for signed, want := range map[string]family.URL{
		"family(320w)/320w/300x0/a.jpg":  {Policy: "320w", Choice: "320w", Path: "300x0/a.jpg"},
		"family()/-/a.jpg":               {Choice: "-", Path: "a.jpg"},
		"family(a(b))/c/d":               {Policy: "a(b)", Choice: "c", Path: "d"},
		"family(320w)/a.jpg":             {Policy: "320w", Choice: "a.jpg"},
		"family(320w)//a.jpg":            {Policy: "320w", Path: "a.jpg"},
		"family(320w)/family(1w)/-/a":    {Policy: "320w", Choice: "family(1w)", Path: "-/a"},
		"family(2).jpg":                  {},
		"family(2).jpg/a":                {},
		"family(2)":                      {},
		"/family(320w)/320w/a.jpg":       {},
		"Family(320w)/320w/a.jpg":        {},
		"family%28320w%29/320w/a.jpg":    {},
		"meta/family(320w)/320w/a.jpg":   {},
		"300x200/family(320w)/320w/a.jp": {},
	} {
		u, ok := family.Cut(signed)
		if u != want || ok != (want != family.URL{}) {
			t.Errorf("Cut(%q) = %+v, %v", signed, u, ok)
		}
		if ok && want.Path != "" && u.String() != signed {
			t.Errorf("%q is written as %q", signed, u)
		}
	}
}

// TestChoicesOfRandomPolicies: what a policy accepts is one of its choices, and there are as many as it says.
func TestChoicesOfRandomPolicies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	widths, densities := []string{"", "320w", "640w", "1000w"}, []string{"", "1x", "1.5x", "2x"}
	names, classes := []string{"", "avif", "webp", "jpeg"}, []string{"", "low", "medium", "high"}
	for range 100 {
		var tokens []string
		in := map[string]bool{"": true}
		for _, list := range [][]string{widths, densities, names, classes} {
			for _, token := range list[1:] {
				if random.IntN(2) == 0 {
					tokens, in[token] = append(tokens, token), true
				}
			}
		}
		if len(tokens) == 0 {
			continue
		}
		p, err := family.ParsePolicy(strings.Join(tokens, ","))
		if err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for _, w := range widths {
			for _, d := range densities {
				for _, n := range names {
					for _, q := range classes {
						text := strings.Join(
							strings.FieldsFunc(w+","+d+","+n+","+q, func(r rune) bool { return r == ',' }),
							",",
						)
						if text == "" {
							text = family.NoChoice
						}
						_, err := p.Choose(text)
						if want := in[w] && in[d] && in[n] && in[q]; (err == nil) != want {
							t.Fatalf("policy %s, choice %s: %v", p, text, err)
						}
						if err == nil {
							accepted++
						}
					}
				}
			}
		}
		if accepted != p.Choices() {
			t.Errorf("policy %s accepts %d choices, says %d", p, accepted, p.Choices())
		}
	}
}

// FuzzFamily: a policy is written back as what it is, and what it accepts is of its values, spelled in one way.
func FuzzFamily(f *testing.F) {
	f.Add("320w,640w,1x,2x,avif,low,key=k,until=1800000000", "320w,2x,avif,low", "300x200/filters:format(auto)/a.jpg")
	f.Add("320-1920-160w", "480w", "fit-in/0x200/a.jpg")
	f.Add("", "-", "a.jpg")
	f.Add("NaNx,1e0x,0w", "+1w", "family(1w)/1w/a")
	f.Fuzz(func(t *testing.T, policy, choice, path string) {
		p, err := family.ParsePolicy(policy)
		if err != nil {
			return
		}
		if again, err := family.ParsePolicy(p.String()); p.String() != "" &&
			(err != nil || again.String() != p.String()) {
			t.Fatalf("%q is written as %q, which is %v, %v", policy, p, again, err)
		}
		if p.Choices() > family.MaxChoices || len(p.Widths) > family.MaxWidths {
			t.Fatalf("%q allows %d choices", policy, p.Choices())
		}
		c, err := p.Choose(choice)
		if err != nil {
			return
		}
		if c.String() != choice {
			t.Fatalf("%q is accepted and means %q", choice, c)
		}
		r, _, err := family.URL{
			Policy: policy,
			Choice: choice,
			Path:   path,
		}.Read(
			"AAAAAAAAAAAAAAAAAAAAAA==",
			imaging.Parse,
		)
		if err != nil {
			return
		}
		if again, err := imaging.Parse(r.Path()); err != nil || again != r {
			t.Fatalf("%q of %q is %+v, read again %+v, %v", choice, path, r, again, err)
		}
	})
}
