package preset_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/preset"
)

func ptr(n int32) *int32 { return &n }

// The presets of these tests.
var (
	width   = preset.Parameter{Name: "width", Default: "320", Values: []string{"320", "640"}}
	quality = preset.Parameter{Name: "q", Default: "80", Min: ptr(1), Max: ptr(100)}
	mode    = preset.Parameter{Name: "mode", Default: "smart", Values: []string{"smart", "top"}}
	set     = preset.NewSet([]preset.Version{
		{
			Name:   "card",
			Number: 2,
			Rule: preset.Rule{
				Operations: "fit-in/{width}x0/filters:quality({q})",
				Parameters: []preset.Parameter{width, quality},
			},
		},
		{Name: "card", Number: 1, Rule: preset.Rule{Operations: "{width}x100", Parameters: []preset.Parameter{width}}},
		{
			Name:   "square",
			Number: 3,
			Rule: preset.Rule{
				Operations: "trim/0x0:10x10/100x100/5x5/left/{mode}/filters:grayscale()",
				Parameters: []preset.Parameter{mode},
			},
		},
		{Name: "mark", Number: 1, Rule: preset.Rule{Operations: "filters:watermark(20x0/logo(1).png,5,5)"}},
		{Name: "plain", Number: 1, Rule: preset.Rule{}},
	})
)

// TestParse: a URL with presets means what the ordinary URL does.
func TestParse(t *testing.T) {
	for path, ordinary := range map[string]string{
		"preset(card)/a/b.jpg":              "fit-in/320x0/filters:quality(80)/a/b.jpg",
		"preset(card,640)/a/b.jpg":          "fit-in/640x0/filters:quality(80)/a/b.jpg",
		"preset(card,,7)/a.jpg":             "fit-in/320x0/filters:quality(7)/a.jpg",
		"preset(card@1,640)/a.jpg":          "640x100/a.jpg",
		"preset(card@2)/a.jpg":              "fit-in/320x0/filters:quality(80)/a.jpg",
		"preset(plain)/a.jpg":               "a.jpg",
		"meta/preset(card)/a.jpg":           "meta/fit-in/320x0/filters:quality(80)/a.jpg",
		"preset(card)/https://x.test/a.jpg": "fit-in/320x0/filters:quality(80)/https://x.test/a.jpg",
		// the URL's own go over those of the preset
		"preset(card)/300x200/a.jpg":                                                    "fit-in/300x200/filters:quality(80)/a.jpg",
		"preset(card)/stretch/300x200/a.jpg":                                            "stretch/300x200/filters:quality(80)/a.jpg",
		"300x200/preset(card)/a.jpg":                                                    "fit-in/300x200/filters:quality(80)/a.jpg",
		"smart/preset(card)/filters:blur(2)/a.jpg":                                      "fit-in/320x0/smart/filters:quality(80):blur(2)/a.jpg",
		"filters:blur(2)/preset(card)/a.jpg":                                            "fit-in/320x0/filters:quality(80):blur(2)/a.jpg",
		"trim/preset(card)/10x10/preset(mark)/right/a.jpg":                              "trim/fit-in/10x10/right/filters:quality(80):watermark(20x0/logo(1).png,5,5)/a.jpg",
		"preset(square)/-0x0/a.jpg":                                                     "trim/0x0:10x10/-100x100/5x5/left/smart/filters:grayscale()/a.jpg",
		"preset(square,top)/preset(card)/a.jpg":                                         "trim/0x0:10x10/fit-in/320x0/5x5/left/top/filters:grayscale():quality(80)/a.jpg",
		"filters:image(preset(card)/l.png,1,2)/a.jpg":                                   "filters:image(fit-in/320x0/filters:quality(80)/l.png,1,2)/a.jpg",
		"filters:watermark(/preset(card)/l.png, 1)/a.jpg":                               "filters:watermark(fit-in/320x0/filters:quality(80)/l.png,1)/a.jpg",
		"filters:image(fx10/preset(card)/l.png)/a.jpg":                                  "filters:image(fit-in/fx10/filters:quality(80)/l.png)/a.jpg",
		"filters:image(9x9/filters:image(preset(card)/l.png)/m.png)/preset(mark)/a.jpg": "filters:watermark(20x0/logo(1).png,5,5):image(9x9/filters:image(fit-in/320x0/filters:quality(80)/l.png)/m.png)/a.jpg",
		// a text, not a layer
		"filters:text(preset(card)/a)/preset(plain)/a.jpg": "filters:text(preset(card)/a)/a.jpg",
		// a folder or a file, not a call
		"preset%28card%29/a.jpg":          "preset%28card%29/a.jpg",
		"preset(card)%2Fa.jpg":            "preset(card)%2Fa.jpg",
		"%70reset(card)/a.jpg":            "%70reset(card)/a.jpg",
		"Preset(card)/a.jpg":              "Preset(card)/a.jpg",
		"folder/preset(card)/a.jpg":       "folder/preset(card)/a.jpg",
		"300x200/folder/preset(card)/a":   "300x200/folder/preset(card)/a",
		"preset(card)/folder/preset(x)/a": "fit-in/320x0/filters:quality(80)/folder/preset(x)/a",
		"preset(card).jpg":                "preset(card).jpg",
		"preset(card)":                    "preset(card)",
		"preset(card/a.jpg":               "preset(card/a.jpg",
		"x/meta/preset(card)/meta/a":      "x/meta/preset(card)/meta/a",
	} {
		got, err := set.Parse("unsafe/" + path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want, err := imaging.Parse("unsafe/" + ordinary)
		if err != nil {
			t.Fatal(err)
		}
		if got.Request != want {
			t.Errorf("%s is\n%s, expected\n%s", path, got.Path(), want.Path())
		}
	}
}

// TestKeptCalls: a call means the same when it is kept, and thousands of others do not change it.
func TestKeptCalls(t *testing.T) {
	s := preset.NewSet([]preset.Version{
		{
			Name:   "any",
			Number: 1,
			Rule: preset.Rule{
				Operations: "{w}x0",
				Parameters: []preset.Parameter{{Name: "w", Default: "1", Min: ptr(1), Max: ptr(5000)}},
			},
		},
	})
	for range 2 {
		for w := range 3000 {
			call := fmt.Sprintf("any,%d", w+1)
			u, o, err := s.Expand(call)
			if err != nil || o.Width != w+1 || u.Arguments["w"] != strconv.Itoa(w+1) || u.Pinned {
				t.Fatalf("%s is %+v, %+v, %v", call, u, o, err)
			}
		}
		if u, _, err := s.Expand("any@1,7"); err != nil || !u.Pinned {
			t.Fatalf("a pinned call is %+v, %v", u, err)
		}
		if _, _, err := s.Expand("any,5001"); err == nil {
			t.Fatal("a refused call was accepted")
		}
	}
}

// TestHostile: malformed calls are rejected with the reason.
func TestHostile(t *testing.T) {
	many := strings.Repeat("preset(card)/", preset.MaxCalls)
	for path, c := range map[string]struct {
		code    fault.Code
		message string
	}{
		"preset()/a":                          {fault.Invalid, "malformed"},
		"preset(none)/a":                      {fault.NotFound, "there is no preset none"},
		"preset(card@3)/a":                    {fault.NotFound, "no version 3, the newest is 2"},
		"preset(square@1)/a":                  {fault.NotFound, "no version 1"},
		"preset(card@0)/a":                    {fault.Invalid, "malformed"},
		"preset(card@01)/a":                   {fault.Invalid, "malformed"},
		"preset(card@)/a":                     {fault.Invalid, "malformed"},
		"preset(card@2@2)/a":                  {fault.Invalid, "malformed"},
		"preset(card@99999999999999999999)/a": {fault.Invalid, "malformed"},
		"preset(CARD)/a":                      {fault.Invalid, "malformed"},
		"preset( card)/a":                     {fault.Invalid, "malformed"},
		"preset(c\u0430rd)/a":                 {fault.Invalid, "malformed"},
		"preset(c%61rd)/a":                    {fault.Invalid, "malformed"},
		"preset(card)x)/a":                    {fault.Invalid, "malformed"},
		"preset(preset(card))/a":              {fault.Invalid, "malformed"},
		"preset(card,321)/a": {
			fault.Invalid, `preset card: width is "321", expected one of 320, 640`},
		"preset(card,0320)/a":          {fault.Invalid, "expected one of"},
		"preset(card,%33%32%30)/a":     {fault.Invalid, "expected one of"},
		"preset(card, 320)/a":          {fault.Invalid, "expected one of"},
		"preset(card,{width})/a":       {fault.Invalid, "expected one of"},
		"preset(card,320x0:blur(9))/a": {fault.Invalid, "expected one of"},
		"preset(card%2C320)/a":         {fault.Invalid, "malformed"},
		"preset(card,320,0)/a": {
			fault.Invalid, `q is "0", expected a whole number from 1 to 100`},
		"preset(card,320,101)/a":    {fault.Invalid, "expected a whole number"},
		"preset(card,320,+8)/a":     {fault.Invalid, "expected a whole number"},
		"preset(card,320,08)/a":     {fault.Invalid, "expected a whole number"},
		"preset(card,320,8.0)/a":    {fault.Invalid, "expected a whole number"},
		"preset(card,320,\u0668)/a": {fault.Invalid, "expected a whole number"},
		"preset(card,320,8,1)/a": {
			fault.Invalid, "preset card: 3 arguments, expected at most 2 (width, q)"},
		"preset(plain,)/a": {fault.Invalid, "1 arguments, expected at most 0"},
		"preset(card" + strings.Repeat(",", 10_000) + ")/a": {fault.Invalid, "10004 bytes, expected at most 1024"},
		many + "preset(card)/a":                             {fault.TooLarge, "more than 8 presets"},
		many + "filters:image(preset(card)/l)/a":            {fault.TooLarge, "more than 8 presets"},
		"filters:image(preset(none)/l)/a":                   {fault.NotFound, "there is no preset none"},
		"preset(card)/../a":                                 {fault.Invalid, ".."},
		"preset(card)/":                                     {fault.Invalid, "no image"},
		"filters:image(" + strings.Repeat("filters:image(", 20) + "preset(card)/l" + strings.Repeat(")/l", 20) +
			")/a": {fault.TooLarge, "16 deep"},
		"preset(mark)/filters:" + strings.Repeat("blur(1):", imaging.MaxFilters) + "/a": {fault.Invalid, "65 filters"},
	} {
		got, err := set.Parse("unsafe/" + path)
		if fault.CodeOf(err) != c.code || !strings.Contains(fault.Of(err).Message, c.message) ||
			len(fault.Of(err).Message) > 300 {
			t.Errorf("%.60s: %v, expected %s %q", path, err, c.code, c.message)
		}
		if got.Request != (imaging.Request{}) {
			t.Errorf("%.60s: an error and a request", path)
		}
	}
	if _, err := (*preset.Set)(nil).Parse("unsafe/preset(card)/a"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("no presets: %v", err)
	}
}

// TestUses: what a call stands for, defaults included.
func TestUses(t *testing.T) {
	p, err := set.Parse("unsafe/preset(card,640)/300x0/preset(plain)/a.jpg")
	if err != nil || len(p.Uses) != 2 || p.Own != (imaging.Operations{Width: 300}) {
		t.Fatalf("%+v, %v", p, err)
	}
	if u := p.Uses[0]; u.Name != "card" || u.Version != 2 || u.Arguments["width"] != "640" ||
		u.Arguments["q"] != "80" ||
		u.Operations != "fit-in/640x0/filters:quality(80)" {
		t.Errorf("%+v", u)
	}
}

// TestCheck: rules that cannot be saved.
func TestCheck(t *testing.T) {
	long := strings.Repeat("a", 65)
	for name, c := range map[string]struct {
		rule    preset.Rule
		message string
	}{
		"an image":             {preset.Rule{Operations: "300x200/cat.jpg"}, "is not understood"},
		"metadata":             {preset.Rule{Operations: "meta"}, "is not understood"},
		"metadata first":       {preset.Rule{Operations: "meta/300x200"}, "is not understood"},
		"a signature":          {preset.Rule{Operations: "unsafe/300x200"}, "is not understood"},
		"another order":        {preset.Rule{Operations: "smart/300x200"}, "is not understood"},
		"two filters segments": {preset.Rule{Operations: "filters:blur(1)/filters:blur(2)"}, "is not understood"},
		"an open parenthesis":  {preset.Rule{Operations: "filters:blur(1"}, "is not understood"},
		"up":                   {preset.Rule{Operations: ".."}, ".."},
		"a preset":             {preset.Rule{Operations: "preset(card)"}, "call a preset"},
		"a preset in a layer":  {preset.Rule{Operations: "filters:image(preset(card)/l.png)"}, "call a preset"},
		"an unknown filter":    {preset.Rule{Operations: "filters:bluur(1)"}, "unknown"},
		"a wrong argument":     {preset.Rule{Operations: "filters:quality(x)"}, "quality"},
		"a query":              {preset.Rule{Operations: "300x200?x=1"}, "percent-encoded"},
		"a space":              {preset.Rule{Operations: "300x 200"}, "percent-encoded"},
		"a line":               {preset.Rule{Operations: "300x200\n"}, "percent-encoded"},
		"no ASCII":             {preset.Rule{Operations: "filters:text(ä)"}, "percent-encoded"},
		"slashes":              {preset.Rule{Operations: "/300x200"}, "slash"},
		"a slash":              {preset.Rule{Operations: "300x200/"}, "slash"},
		"too long": {preset.Rule{Operations: strings.Repeat("a", preset.MaxOperations+1)},
			"at most 2048"},
		"a stray placeholder": {preset.Rule{Operations: "{w}x0"}, "belongs to no parameter"},
		"a stray brace":       {preset.Rule{Operations: "filters:text(})"}, "belongs to no parameter"},
		"nested braces": {preset.Rule{Operations: "{{width}}x0", Parameters: []preset.Parameter{width}},
			"belongs to no parameter"},
		"unused": {preset.Rule{Operations: "300x0", Parameters: []preset.Parameter{width}},
			"do not use the parameter width"},
		"twice": {preset.Rule{Operations: "{width}x0", Parameters: []preset.Parameter{width, width}},
			"two parameters width"},
		"too many parameters": {preset.Rule{Operations: "{width}x0", Parameters: make([]preset.Parameter, 9)},
			"at most 8"},
		"a hostile name": {preset.Rule{Operations: "{a}b}x0",
			Parameters: []preset.Parameter{{Name: "a}b", Default: "1", Values: []string{"1"}}}}, "is named"},
		"a capital": {preset.Rule{Operations: "{W}x0",
			Parameters: []preset.Parameter{{Name: "W", Default: "1", Values: []string{"1"}}}}, "is named"},
		"no values": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1"}}}, "either values, or min and max"},
		"values and a range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1"}, Min: ptr(1), Max: ptr(2)}}},
			"either values, or min and max"},
		"half a range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Min: ptr(1)}}}, "either values, or min and max"},
		"an empty range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Min: ptr(2), Max: ptr(1)}}}, "min <= max"},
		"a negative range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "-1", Min: ptr(-1), Max: ptr(1)}}}, "min <= max"},
		"a large range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Min: ptr(1), Max: ptr(1_000_001)}}}, "min <= max"},
		"a default out of range": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "3", Min: ptr(1), Max: ptr(2)}}}, `the default is "3"`},
		"a default of no value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "3", Values: []string{"1"}}}},
			`the default is "3", expected 1`},
		"no default": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Values: []string{"1"}}}}, "the default is"},
		"a slash in a value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "1x0/2"}}}}, "is malformed"},
		"a filter in a value": {preset.Rule{Operations: "filters:quality({w})",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "1):blur(9"}}}},
			"is malformed"},
		"a comma in a value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "1,2"}}}}, "is malformed"},
		"a placeholder as value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "{w}"}}}}, "is malformed"},
		"a percent in a value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "%2F"}}}}, "is malformed"},
		"an empty value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", ""}}}}, "is malformed"},
		"a long value": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", long}}}}, "is malformed"},
		"a value twice": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "1"}}}}, "listed twice"},
		"too many values": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: make([]string, 65)}}}, "at most 64"},
		"an unknown word": {preset.Rule{Operations: "{w}x0/{mode}",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1"}},
				{Name: "mode", Default: "smart", Values: []string{"smart", "clever"}}}}, `with mode "clever"`},
		"a word for a number": {preset.Rule{Operations: "{w}x0",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Values: []string{"1", "wide"}}}}, `with w "wide"`},
		"an end of the range": {preset.Rule{Operations: "filters:quality({w})",
			Parameters: []preset.Parameter{{Name: "w", Default: "1", Min: ptr(1), Max: ptr(101)}}}, `with w "101"`},
	} {
		err := c.rule.Check()
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Of(err).Message, c.message) {
			t.Errorf("%s: %v, expected %q", name, err, c.message)
		}
	}
	for _, name := range []string{"", "Card", "1card", "-a", "a b", "a(b", "a,b", "a@1", "ä", strings.Repeat("a", 33)} {
		if preset.CheckName(name) == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	for _, r := range []preset.Rule{{}, {Operations: "fit-in/{width}x0/filters:quality({q})", Parameters: []preset.Parameter{width, quality}}, {Operations: "{width}x{width}", Parameters: []preset.Parameter{width}}} {
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", r.Operations, err)
		}
	}
}

// TestLabels: results are labeled with what made them, and the template of a URL changes nothing else.
func TestLabels(t *testing.T) {
	made := preset.TemplateCall("f/a.template.json")
	label := preset.TemplateLabel("f/a.template.json")
	if label == preset.TemplateLabel("a.template.json") || strings.Contains(made, "f/a") {
		t.Errorf("%s, %s", label, made)
	}
	for path, want := range map[string]string{
		"10x10/a.jpg":                           "",
		"preset(plain)/a.jpg":                   "preset:plain",
		"preset(card@1,640)/preset(card)/a.jpg": "preset:card",
		"preset(plain)/filters:image(preset(card)/l.png)/a.jpg": "preset:card preset:plain",
		made + "/10x10/a.jpg":                    label,
		"10x10/" + made + "/preset(plain)/a.jpg": "preset:plain " + label,
	} {
		p, err := set.Parse("unsafe/" + path)
		if got := strings.Join(p.Labels(), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, expected %q", path, got, err, want)
		}
		ordinary, err := set.Parse("unsafe/" + strings.Replace(path, made+"/", "", 1))
		if err != nil || ordinary.Request != p.Request || p.IsOrdinary() != (want == "") {
			t.Errorf("%s: %+v, %v", path, p.Request, err)
		}
	}
	for _, path := range []string{"preset(@)/a.jpg", "preset(@0123456789ABCDEF)/a.jpg", "preset(@0123)/a.jpg",
		"preset(@0123456789abcdef,1)/a.jpg", made + "/" + made + "/a.jpg"} {
		if _, err := set.Parse("unsafe/" + path); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// FuzzPreset: whatever a URL calls, its image is the one that it writes, and its operations are those of the rules and
// its own.
func FuzzPreset(f *testing.F) {
	for _, path := range []string{
		"preset(card)/a.jpg", "preset(card,640,7)/filters:blur(2)/a b.jpg", "preset(square@3,top)/preset(mark)/-0x0/x",
		"filters:image(preset(card)/l.png,1)/a",
		"preset(card,320):blur(9)/a", "preset(card)/preset(card)%2Fa", "preset(mark)/b64:YS5qcGc",
		"meta/preset(plain)/color:red", "preset(card,../..)/a", "preset(card)//a",
		"preset(@0123456789abcdef)/preset(card)/a.jpg",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := set.Parse("unsafe/" + path)
		if err != nil {
			if got.Request != (imaging.Request{}) || len(got.Uses) > preset.MaxCalls+1 {
				t.Fatalf("%q: %v and %+v", path, err, got)
			}
			return
		}
		written, err := imaging.ParseWith("unsafe/"+path, func(string) error { return nil })
		if err != nil || got.Image != written.Image || got.Meta != written.Meta || got.Own != written.Operations {
			t.Fatalf("%q: the image is %q, %v, written is %q", path, got.Image, err, written.Image)
		}
		if got.IsOrdinary() && got.Request != written {
			t.Fatalf("%q has no preset and changes to %s", path, got.Path())
		}
		allowed := map[string]bool{"quality": true, "grayscale": true, "watermark": true}
		for _, one := range written.Operations.Filters.List() {
			allowed[one.Name] = true
		}
		for _, one := range got.Operations.Filters.List() {
			if !allowed[one.Name] {
				t.Fatalf("%q has the filter %s of no rule", path, one.Name)
			}
		}
		if o, err := imaging.Parse(got.Path()); err != nil || o != got.Request {
			t.Fatalf("%q: the ordinary URL %q is another: %v", path, got.Path(), err)
		}
	})
}
