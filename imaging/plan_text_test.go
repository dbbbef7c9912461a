package imaging

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestTextSpecs(t *testing.T) {
	h := Header{Format: PNG, Width: 200, Height: 100, Pages: 1, Bands: 3}
	black := Colour{A: 255}
	for path, want := range map[string]TextSpec{
		"text(Hi)": {Text: "Hi", Font: "sans", Size: 20, Align: "low", Wrap: "word", DPI: 72, Colour: black},
		"text(b64:YTxi,1,2,sans-bold-24,black,0,normal,80p,center,true,char,-3,144)": {
			Text: "a&lt;b", Font: "sans bold", Size: 24, Width: 160, Align: "centre", Justify: true,
			Wrap: "char", Spacing: -3, DPI: 144, Colour: black},
		"text(Hi,0,0,sans-8p)": {Text: "Hi", Font: "sans", Size: 8, Align: "low", Wrap: "word", DPI: 72, Colour: black},
		"text(Hi,0,0,sans-8p,black,0,normal,0,low,false,word,0,144)": {
			Text: "Hi", Font: "sans", Size: 4, Align: "low", Wrap: "word", DPI: 144, Colour: black},
		"label(two%0Alines%0Dof,1,2,30,black,0,serif)": {
			Text: "two lines of", Font: "serif", Size: 30, Ink: 30, Align: "low", Wrap: "none", DPI: 72, Colour: black},
		"label(x,1,2,2.5)": {Text: "x", Font: "sans", Size: 2.5, Ink: 3, Align: "low", Wrap: "none", DPI: 72,
			Colour: black},
		"text(Hi,0,0,sans-20,black,0,,,,,,,144,none,50,20,ffffff00,20,none,5,5,5)": {
			Text: "Hi", Font: "sans", Size: 20, Align: "low", Wrap: "word", DPI: 144, Colour: black},
		"text(Hi,0,0,sans-20,black,0,,,,,,,144,auto,50,20,white,25,black,-5,10,15)": {
			Text: "Hi", Font: "sans", Size: 20, Align: "low", Wrap: "word", DPI: 144, Colour: black, Around: Around{
				Box: Colour{Word: "auto"}, Padding: 20, Radius: 8, Outline: Colour{255, 255, 255, 255, ""},
				OutlineWidth: 10, Shadow: black, ShadowX: -2, ShadowY: 4, ShadowBlur: 6}},
		"label(x,1,2,30,black,0,sans,,,,,,black)": {
			Text: "x", Font: "sans", Size: 30, Ink: 30, Align: "low", Wrap: "none", DPI: 72, Colour: black,
			Around: Around{Shadow: black, ShadowY: 2, ShadowBlur: 2.4}},
		"label(x,1,2)": {Text: "x", Font: "sans", Size: 20, Ink: 20, Align: "low", Wrap: "none", DPI: 72,
			Colour: black},
	} {
		p, err := planOf(t, "filters:"+path, h, DefaultLimits())
		if err != nil || len(p.Filters) != 1 || p.Filters[0].Layer == nil || *p.Filters[0].Layer.Text != want {
			t.Errorf("%s: %v %+v", path, err, p)
		}
	}
}

func TestFonts(t *testing.T) {
	for text, want := range map[string]struct {
		font string
		size float64
	}{
		"": {"sans", 20}, "24": {"sans", 24}, "serif": {"serif", 20}, "sans-bold-24": {"sans bold", 24},
		"sans bold 24px": {"sans bold", 24},
		"Noto Sans,12.5": {"Noto Sans", 12.5}, "serif-0": {"serif 0", 20}, "a@b#c 7": {"a b c", 7},
		"serif 1e999": {"serif 1e999", 20},
	} {
		if font, size, percent := fontOf(text); font != want.font || size != want.size || percent {
			t.Errorf("%q: %q of %v, expected %+v", text, font, size, want)
		}
	}
	if font, size, percent := fontOf("sans-bold-8.5p"); font != "sans bold" || size != 8.5 || !percent {
		t.Errorf("%q of %v, %v", font, size, percent)
	}
}

func TestTextWidths(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "0": 0, "0.0": 0, "80": 80, "79.6": 80, "0.5": 100, "0.001": 1, "1": 1, "1.0": 200, "1.4": 1,
		"80p": 160, "0p": 1, "f": 200, "full": 200,
		"f-20": 180, "full-20": 180, "f-500": 1, "f20": -1, "f+20": -1, "f-": -1, "-5": -1, "x": -1, "xp": -1,
		"999999": 999999, "1000000": -1, "NaN": -1,
	} {
		if got, ok := textWidth(text, 200); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, expected %d", text, got, ok, want)
		}
	}
}

// TestTextIsPlacedWithoutItsShadow checks that a shadow moves no text.
func TestTextIsPlacedWithoutItsShadow(t *testing.T) {
	h := Header{Format: PNG, Width: 200, Height: 100, Pages: 1, Bands: 3}
	for place, want := range map[string][2]int{"10,5": {10, 5}, "center,-20": {80, 70}, "right,bottom": {160, 90},
		"20p,0.5": {40, 50}} {
		p, err := planOf(t, "filters:text(Hi,"+place+",sans-20,black,0,,,,,,,,,,,,,black,10,0,10)", h, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		l := *p.Filters[0].Layer
		if l.Reach != 8 {
			t.Fatalf("the shadow reaches %d pixels, expected 8", l.Reach)
		}
		drawn := l.WithSize(Size{40 + 2*l.Reach, 10 + 2*l.Reach}).Place
		x, y := drawn.Left-drawn.Seen.Left+l.Reach, drawn.Top-drawn.Seen.Top+l.Reach
		if x != want[0] || y != want[1] {
			t.Errorf("%s: at %d, %d, expected %v", place, x, y, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc": "a\tb\nc", "a\x00\x07\x7fb\r": "ab", "a\ufffdb\ufffec\uffffd": "abcd", "a\xffb": "ab",
		`<b>&'"`: "&lt;b&gt;&amp;&#39;&#34;", "\u00e9\u4e2d": "\u00e9\u4e2d",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// TestTextLimits holds what is refused before a text is laid out, to the character.
func TestTextLimits(t *testing.T) {
	black := Colour{A: 255}
	boxed := Around{Box: black, Padding: 6, Shadow: black, ShadowY: 4, ShadowBlur: 1}
	for _, c := range []struct {
		what   string
		spec   TextSpec
		pixels int64
		ok     bool
	}{
		{"the largest font", TextSpec{Text: "x", Size: maxTextSize, DPI: 72}, 0, true},
		{"a larger font", TextSpec{Text: "x", Size: maxTextSize + 1, DPI: 72}, 0, false},
		{"a font made larger by dpi", TextSpec{Text: "x", Size: maxTextSize/2 + 1, DPI: 144}, 0, false},
		{"a font made as large by dpi", TextSpec{Text: "x", Size: maxTextSize / 2, DPI: 144}, 0, true},
		{"the longest text", TextSpec{Text: strings.Repeat("\u00e9", maxCharacters), Size: 1, DPI: 72}, 0, true},
		{"a longer text", TextSpec{Text: strings.Repeat("\u00e9", maxCharacters+1), Size: 1, DPI: 72}, 0, false},
		// 5 characters of 40 pixels, a line of 20
		{"a line", TextSpec{Text: "abcde", Size: 10, DPI: 72}, 200 * 20, true},
		{"a line of less", TextSpec{Text: "abcde", Size: 10, DPI: 72}, 200*20 - 1, false},
		{"spacing", TextSpec{Text: "abcde", Size: 10, DPI: 72, Spacing: 5}, 200 * 25, true},
		{"spacing of less", TextSpec{Text: "abcde", Size: 10, DPI: 72, Spacing: 5}, 200*25 - 1, false},
		{"negative spacing", TextSpec{Text: "abcde", Size: 10, DPI: 72, Spacing: -5}, 200*20 - 1, false},
		{"three lines", TextSpec{Text: "ab\nabcde\n", Size: 10, DPI: 72}, 200 * 60, true},
		{"three lines of less", TextSpec{Text: "ab\nabcde\n", Size: 10, DPI: 72}, 200*60 - 1, false},
		// each makes the line higher by 5
		{"marks", TextSpec{Text: "a\u0301\u0301", Size: 10, DPI: 72}, 120 * 30, true},
		{"marks of less", TextSpec{Text: "a\u0301\u0301", Size: 10, DPI: 72}, 120*30 - 1, false},
		{"a box and its shadow", TextSpec{Text: "abcde", Size: 10, DPI: 72, Around: boxed}, 226 * 46, true},
		{"a box and its shadow of less", TextSpec{Text: "abcde", Size: 10, DPI: 72, Around: boxed}, 226*46 - 1, false},
	} {
		if err := c.spec.check("text", Limits{MaxResultPixels: c.pixels}); (err == nil) != c.ok ||
			err != nil && fault.CodeOf(err) != fault.TooLarge {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	h := Header{Format: PNG, Width: 200, Height: 100, Pages: 1, Bands: 3}
	for path, code := range map[string]fault.Code{
		"text(x,0,0,sans-3000)": fault.TooLarge, "text(%20)": "", "text(x,0,0,sans-20,red,0,normal,5q)": ""} {
		p, err := planOf(t, "filters:"+path, h, DefaultLimits())
		if fault.CodeOf(err) != code || code == "" && len(p.Warnings) != 1 {
			t.Errorf("%s: %v, %v", path, p.Warnings, err)
		}
		strict := DefaultLimits()
		strict.Strict = true
		if _, err := planOf(t, "filters:"+path, h, strict); err == nil {
			t.Errorf("%s is followed in strict mode", path)
		}
	}
}
