package template_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
)

// onPhoto wraps members of transformations into an envelope for a picture of 1920 x 1080.
func onPhoto(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"version":"1.0","transformations":{"imagePath":"p.jpg","originalDimensions":{"width":1920,"height":1080}` +
		members + `}}`
}

func withLayers(layers ...string) string {
	return onPhoto(`"layers":[` + strings.Join(layers, ",") + `]`)
}

func request(t *testing.T, envelope string, o template.Options) imaging.Request {
	t.Helper()
	parsed, err := template.Parse([]byte(envelope))
	if err != nil {
		t.Fatalf("%s: %v", envelope, err)
	}
	r, err := parsed.Request(o)
	if err != nil {
		t.Fatalf("%s: %v", envelope, err)
	}
	return r
}

func TestTemplatePaths(t *testing.T) {
	for _, c := range []struct{ name, envelope, path string }{
		{"nothing", onPhoto(""), "p.jpg"},
		{"size", onPhoto(`"width":800,"height":600`), "800x600/p.jpg"},
		{"one side", onPhoto(`"width":800`), "800x0/p.jpg"},
		{"fit", onPhoto(`"width":800,"height":600,"fitIn":true`), "fit-in/800x600/p.jpg"},
		{"stretch", onPhoto(`"width":800,"height":600,"stretch":true`), "stretch/800x600/p.jpg"},
		{"smart and aligned", onPhoto(`"width":8,"height":6,"smart":true,"hAlign":"left","vAlign":"center"`),
			"8x6/left/middle/smart/p.jpg"},
		{"flips", onPhoto(`"width":8,"height":6,"hFlip":true,"vFlip":true`), "-8x-6/p.jpg"},
		{"flip without size", onPhoto(`"hFlip":true`), "-0x0/p.jpg"},
		{"crop", onPhoto(`"cropLeft":10,"cropTop":20,"cropWidth":300,"cropHeight":400`), "10x20:310x420/p.jpg"},
		{"crop to the edge", onPhoto(`"cropLeft":10,"cropTop":0,"cropWidth":0,"cropHeight":0`), "10x0:0x0/p.jpg"},
		{"crop of one pixel", onPhoto(`"cropWidth":1,"cropHeight":1`), "0x0:1.01x1/p.jpg"},
		{"fractional crop", onPhoto(`"cropLeft":10.4,"cropTop":0.4,"cropWidth":300.2,"cropHeight":9.9`),
			"10x0:311x10/p.jpg"},
		{"colours", onPhoto(
			`"hue":30,"saturation":-20,"contrast":5.5,"brightness":10,"grayscale":true,"sharpen":1,"blur":3`),
			"filters:brightness(10):contrast(5.5):saturation(-20):hue(30):grayscale():blur(3):sharpen(1)/p.jpg"},
		{"shape", onPhoto(
			`"width":9,"height":9,"rotation":90,"fillColor":"#FFaa00","roundCornerRadius":4,"paddingTop":1,"paddingRight":2,"paddingBottom":3,"paddingLeft":4,"proportion":50`),
			"9x9/4x1:2x3/filters:round_corner(4):fill(ffaa00):rotate(90):proportion(50)/p.jpg"},
		{"padding that nothing paints", onPhoto(`"paddingTop":10`), "p.jpg"},
		{"whole turns", onPhoto(`"rotation":360`), "p.jpg"},
		{"output", onPhoto(`"format":"JPEG","quality":85,"maxBytes":9000,"stripIcc":true,"stripExif":true`),
			"filters:format(jpeg):quality(85):max_bytes(9000):strip_icc():strip_exif()/p.jpg"},
		{"null is missing", onPhoto(`"width":null,"layers":null,"format":null,"quality":0`), "p.jpg"},
		{"the envelope's picture", `{"sourceImagePath":"a b/c.jpg","transformations":{}}`, "a%20b/c.jpg"},
		{"image layer", withLayers(`{"id":"a","type":"image","imagePath":"l.png","x":10,"y":-20}`),
			"filters:image(l.png,10,-20)/p.jpg"},
		{"picture in the transforms",
			withLayers(
				`{"type":"image","transforms":{"imagePath":"l.png","width":30,"hFlip":true,"rotation":90,"blur":2}}`),
			"filters:image(-30x0/filters:blur(2):rotate(90)/l.png,0,0)/p.jpg"},
		{"places", withLayers(`{"type":"image","imagePath":"l","x":"center","y":"bottom-20"}`,
			`{"type":"image","imagePath":"l","x":"20p","y":"0.5"}`,
			`{"type":"image","imagePath":"l","x":"repeat","y":"-7"}`),
			"filters:image(l,center,bottom-20):image(l,20p,0.5):image(l,repeat,-7)/p.jpg"},
		{"alpha and blend", withLayers(`{"type":"image","imagePath":"l","alpha":40}`,
			`{"type":"image","imagePath":"l","blendMode":"multiply"}`,
			`{"type":"image","imagePath":"l","blendMode":"normal","locked":true}`),
			"filters:image(l,0,0,40):image(l,0,0,0,multiply):image(l,0,0)/p.jpg"},
		{"hidden layers", withLayers(`{"type":"image","imagePath":"l","visible":false}`,
			`{"type":"text","text":"x","visible":false}`, `{"type":"text","text":"  "}`), "p.jpg"},
		{
			"a layer's file settings", withLayers(
				`{"type":"image","imagePath":"l","transforms":{"format":"webp","quality":3,"maxBytes":5,"stripExif":true}}`), "filters:image(l,0,0)/p.jpg"},
		{"names with meaning", withLayers(`{"type":"image","imagePath":"a,(b).png"}`),
			"filters:image(b64:YSwoYikucG5n,0,0)/p.jpg"},
		{
			"follows its parent", withLayers(
				`{"type":"image","imagePath":"l","transforms":{"widthFull":true,"widthFullOffset":40,"heightFull":true}}`), "filters:image(f-40xf/l,0,0)/p.jpg"},
		{"percent", withLayers(`{"type":"image","imagePath":"l","x":"-5p","y":"bottom","transforms":{"width":"30p"}}`,
			`{"type":"color","color":"red","width":"100p","height":"7.5p"}`,
			`{"type":"text","text":"a","x":"center-2p","width":"80p","fontSize":"8.5p"}`),
			"filters:image(30px0/l,-5p,bottom):image(100px7.5p/color:red,0,0):text(a,center-2p,0,sans-8.5p,black,0,normal,80p)/p.jpg"},
		{
			"colour layer", withLayers(
				`{"type":"color","color":"#ff0000","x":5,"transforms":{"width":20,"height":10,"roundCornerRadius":3}}`),
			"filters:image(20x10/filters:round_corner(3)/color:ff0000,5,0)/p.jpg"},
		{"colour over all", withLayers(`{"type":"color","color":"navy","alpha":50}`),
			"filters:image(fxf/color:navy,0,0,50)/p.jpg"},
		{"colour with sides beside", withLayers(`{"type":"color","color":"navy","width":20,"height":10}`),
			"filters:image(20x10/color:navy,0,0)/p.jpg"},
		{"text", withLayers(`{"type":"text","text":"Hello"}`), "filters:text(Hello,0,0)/p.jpg"},
		{"text in full", withLayers(
			`{"type":"text","text":"Hi, (you)","x":"center","y":-10,"font":"DejaVu Sans","fontStyle":"bold","fontSize":32,"color":"#FFF","alpha":20,"blendMode":"screen","width":"80p","align":"right","justify":true,"wrap":"char","spacing":4,"dpi":96}`),
			"filters:text(b64:SGksICh5b3Up,center,-10,DejaVu-Sans-bold-32,fff,20,screen,80p,high,true,char,4,96)/p.jpg"},
		{
			"text with a box, an outline and a shadow",
			withLayers(
				`{"type":"text","text":"a","boxColor":"#000000A0","boxPadding":50,"boxRadius":40}`,
				`{"type":"text","text":"a","outlineColor":"red","shadowColor":"auto","shadowX":-5,"shadowY":0,"shadowBlur":2.5}`,
			),
			"filters:text(a,0,0,sans-20,black,0,normal,0,low,false,word,0,72,000000a0,50,40):" +
				"text(a,0,0,sans-20,black,0,normal,0,low,false,word,0,72,,,,red,,auto,-5,0,2.5)/p.jpg",
		},
		{
			"pictures with a box, round corners and a shadow",
			withLayers(
				`{"type":"image","imagePath":"l.png","boxColor":"white","boxPadding":5}`,
				`{"type":"color","color":"navy","boxRadius":20,"shadowColor":"black","transforms":{"width":20,"height":10}}`,
			),
			"filters:image(l.png,0,0,0,normal,white,5):image(20x10/color:navy,0,0,0,normal,,,20,,,black)/p.jpg",
		},
		{"text widths", withLayers(`{"type":"text","text":"a","width":200}`, `{"type":"text","text":"a","width":0.5}`,
			`{"type":"text","text":"a","width":"f-20"}`, `{"type":"text","text":"a","width":"full"}`),
			"filters:text(a,0,0,sans-20,black,0,normal,200):text(a,0,0,sans-20,black,0,normal,0.5):text(a,0,0,sans-20,black,0,normal,f-20):text(a,0,0,sans-20,black,0,normal,full)/p.jpg"},
		{"group", withLayers(
			`{"type":"group","alpha":30,"blendMode":"multiply","transforms":{"blur":4,"rotation":180,"layers":[{"type":"text","text":"a","x":1},{"type":"image","imagePath":"l","y":2}]}}`),
			"filters:image(fxf/filters:text(a,1,0):image(l,0,2):blur(4):rotate(180)/color:none,0,0,30,multiply)/p.jpg"},
		{"group with layers beside", withLayers(`{"type":"group","layers":[{"type":"text","text":"a"}]}`),
			"filters:image(fxf/filters:text(a,0,0)/color:none,0,0)/p.jpg"},
		{"nested", withLayers(
			`{"type":"image","imagePath":"l","transforms":{"brightness":5,"layers":[{"type":"image","imagePath":"m","transforms":{"layers":[{"type":"text","text":"a"}]}}]}}`),
			"filters:image(filters:brightness(5):image(filters:text(a,0,0)/m,0,0)/l,0,0)/p.jpg"},
		{"layers come after a rotation", onPhoto(`"rotation":90,"format":"png","layers":[{"type":"text","text":"a"}]`),
			"filters:rotate(90):text(a,0,0):format(png)/p.jpg"},
	} {
		r := request(t, c.envelope, template.Options{})
		if got := r.Path(); got != c.path {
			t.Errorf("%s:\n%s, expected\n%s", c.name, got, c.path)
		}
		again, err := imaging.Parse("unsafe/" + r.Path())
		if err != nil || again.Operations != r.Operations || again.Image != r.Image {
			t.Errorf("%s: %s is read as %+v, %v", c.name, r.Path(), again, err)
		}
		if _, warnings, err := r.Operations.Filters.Calls(true); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %s, %v %v", c.name, r.Path(), warnings, err)
		}
		if _, err := imaging.Layers(r.Operations, imaging.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTemplateOnAnotherPicture(t *testing.T) {
	envelope := func(mode string) string {
		return `{"version":"1.0","dimensionMode":"` + mode + `","predefinedDimensions":{"width":1920,"height":1080},"transformations":{"imagePath":"p.jpg",
			"width":800,"height":600,"cropLeft":10,"cropTop":20,"cropWidth":300,"cropHeight":400,"brightness":10}}`
	}
	same, other := imaging.Size{Width: 1920, Height: 1080}, imaging.Size{Width: 1080, Height: 1920}
	for _, c := range []struct {
		mode string
		size imaging.Size
		path string
	}{
		{"predefined", same, "10x20:310x420/800x600/filters:brightness(10)/q.jpg"},
		{"predefined", other, "800x600/filters:brightness(10)/q.jpg"},
		{"predefined", imaging.Size{}, "800x600/filters:brightness(10)/q.jpg"},
		{"adaptive", same, "10x20:310x420/1920x1080/filters:brightness(10)/q.jpg"},
		{"adaptive", other, "1080x1920/filters:brightness(10)/q.jpg"},
		{"adaptive", imaging.Size{}, "filters:brightness(10)/q.jpg"},
	} {
		o := template.Options{Image: "q.jpg", Sizes: map[string]imaging.Size{"q.jpg": c.size}}
		if got := request(t, envelope(c.mode), o).Path(); got != c.path {
			t.Errorf("%s on %v:\n%s, expected\n%s", c.mode, c.size, got, c.path)
		}
	}
	if got := request(t, envelope("adaptive"), template.Options{}).
		Path(); got != "10x20:310x420/800x600/filters:brightness(10)/p.jpg" {
		t.Errorf("on its own picture: %s", got)
	}
	if got := request(t, envelope("adaptive"), template.Options{Image: "color:red"}).
		Path(); got != "800x600/filters:brightness(10)/color:red" {
		t.Errorf("on a canvas: %s", got)
	}
}

// TestCropOfRatio checks that a crop of a ratio applies to pictures of every shape.
func TestCropOfRatio(t *testing.T) {
	own := imaging.Size{Width: 1920, Height: 1080}
	wide, tall, square := imaging.Size{Width: 3000, Height: 2000}, imaging.Size{Width: 2000, Height: 3000},
		imaging.Size{Width: 500, Height: 500}
	for _, c := range []struct {
		name, mode, members string
		size                imaging.Size
		path                string
	}{
		{"wide", "predefined", `"width":600,"cropRatio":0.8`, wide, "700x0:2300x2000/600x0/q.jpg"},
		{"tall", "predefined", `"width":600,"cropRatio":0.8`, tall, "0x250:2000x2750/600x0/q.jpg"},
		{"square", "predefined", `"width":600,"cropRatio":0.8`, square, "50x0:450x500/600x0/q.jpg"},
		{"own size", "predefined", `"width":600,"cropRatio":0.8`, own, "528x0:1392x1080/600x0/q.jpg"},
		{"at the edge", "predefined", `"width":600,"cropRatio":0.8,"cropFocalX":0.9,"cropFocalY":0.1`, wide,
			"1400x0:3000x2000/600x0/q.jpg"},
		{
			"around a point", "predefined",
			`"width":600,"cropRatio":0.8,"cropFocalX":0.4,"cropFocalY":0.6,"cropScale":0.5`, tall,
			"300x1175:1300x2425/600x0/q.jpg"},
		{"natural size", "adaptive", `"width":600,"cropRatio":0.8`, wide, "700x0:2300x2000/q.jpg"},
		{"turned", "predefined", `"width":600,"cropRatio":0.8,"filters":[{"name":"orient","args":"90"}]`, wide,
			"0x250:2000x2750/600x0/filters:orient(90)/q.jpg"},
		{"straightened", "predefined", `"width":600,"cropRatio":0.8,"filters":[{"name":"straighten","args":"5"}]`, wide,
			"622x0:2041x1774/600x0/filters:straighten(5)/q.jpg"},
		{"unknown size", "predefined", `"width":600,"cropRatio":0.8,"cropFocalX":0.4`, imaging.Size{},
			"600x750/filters:focal(0.4,0.5)/q.jpg"},
		{"unknown size and both sides", "predefined", `"width":600,"height":749,"cropRatio":0.8`, imaging.Size{},
			"600x749/filters:focal(0.5,0.5)/q.jpg"},
		{"unknown size and a side of no parent", "predefined", `"width":"50p","height":750,"cropRatio":0.8`,
			imaging.Size{}, "600x750/filters:focal(0.5,0.5)/q.jpg"},
		{"beside a crop of pixels", "predefined", `"width":600,"cropRatio":0.8,"cropLeft":1,"cropWidth":9`, square,
			"50x0:450x500/600x0/q.jpg"},
	} {
		envelope := `{"dimensionMode":"` + c.mode +
			`","predefinedDimensions":{"width":1920,"height":1080},"transformations":{"imagePath":"p.jpg",` +
			c.members + `}}`
		o := template.Options{Image: "q.jpg", Sizes: map[string]imaging.Size{"q.jpg": c.size}}
		if got := request(t, envelope, o).Path(); got != c.path {
			t.Errorf("%s:\n%s, expected\n%s", c.name, got, c.path)
		}
	}
	if got := request(t, onPhoto(`"cropRatio":2`), template.Options{}).Path(); got != "0x60:1920x1020/p.jpg" {
		t.Errorf("on its own picture: %s", got)
	}
	layer := withLayers(`{"type":"image","imagePath":"l.jpg","transforms":{"width":90,"cropRatio":1}}`)
	o := template.Options{Sizes: map[string]imaging.Size{"l.jpg": {Width: 300, Height: 200}}}
	if got := request(t, layer, o).Path(); got != "filters:image(50x0:250x200/90x0/l.jpg,0,0)/p.jpg" {
		t.Errorf("in a layer: %s", got)
	}
	parsed, err := template.Parse([]byte(layer))
	if err != nil {
		t.Fatal(err)
	}
	if got := parsed.NeedsSizes(template.Options{}); !slices.Equal(got, []string{"l.jpg"}) {
		t.Errorf("needs the sizes of %q", got)
	}
	parsed, err = template.Parse([]byte(onPhoto(`"width":600,"cropRatio":0.8,"rotation":90`)))
	if err != nil || parsed.Size() != (imaging.Size{Width: 750, Height: 600}) {
		t.Errorf("size %v, %v", parsed.Size(), err)
	}
	for _, wrong := range []string{`"cropRatio":-1`, `"cropRatio":0.0001`, `"cropRatio":1001`, `"cropFocalX":1.1`,
		`"cropFocalY":-0.1`, `"cropScale":0`, `"cropScale":1.1`} {
		if _, err := template.Parse([]byte(onPhoto(wrong))); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestCropThatIsLost checks that a crop of a picture of unknown size is kept or refused, and that a canvas has no
// content to lose.
func TestCropThatIsLost(t *testing.T) {
	root := func(members string) string {
		return `{"transformations":{"imagePath":"p.jpg",` + members + `}}`
	}
	layer := func(members string) string {
		return withLayers(`{"type":"image","imagePath":"l.jpg","transforms":{` + members + `}}`)
	}
	for name, envelope := range map[string]string{
		"no side":              root(`"cropRatio":1`),
		"no side but percent":  root(`"width":"30p","cropRatio":1`),
		"a fit":                root(`"height":750,"fitIn":true,"cropRatio":0.8`),
		"a stretch":            root(`"height":750,"stretch":true,"cropRatio":0.8`),
		"a share":              root(`"height":750,"cropRatio":0.8,"cropScale":0.5`),
		"a box of other ratio": root(`"width":600,"height":100,"cropRatio":0.8`),
		"a layer's percent":    layer(`"width":"30p","cropRatio":1`),
		"a layer's full side":  layer(`"heightFull":true,"width":30,"cropRatio":1`),
		"a layer's fit":        layer(`"width":30,"fitIn":true,"cropRatio":1`),
		"a layer's share":      layer(`"width":30,"cropScale":0.9,"cropRatio":1`),
	} {
		parsed, err := template.Parse([]byte(envelope))
		if err != nil {
			t.Fatal(err)
		}
		r, err := parsed.Request(template.Options{})
		if fault.CodeOf(err) != fault.Invalid || fault.Of(err).Field != "templateJson" {
			t.Errorf("%s: %s, %v", name, r.Path(), err)
		}
		sizes := map[string]imaging.Size{"p.jpg": {Width: 300, Height: 200}, "l.jpg": {Width: 300, Height: 200}}
		if _, err := parsed.Request(template.Options{Sizes: sizes}); err != nil {
			t.Errorf("%s, with the size: %v", name, err)
		}
	}
	for members, path := range map[string]string{
		`"cropRatio":2`:                            "fxf",
		`"width":"30p","cropRatio":2`:              "30pxf",
		`"width":30,"height":30,"cropRatio":2`:     "30x30",
		`"width":30,"cropScale":0.5,"cropRatio":2`: "30xf",
	} {
		canvas := withLayers(`{"type":"color","color":"red","transforms":{` + members + `}}`)
		if got := request(t, canvas, template.Options{}).Path(); got != "filters:image("+path+"/color:red,0,0)/p.jpg" {
			t.Errorf("a canvas with %s: %s", members, got)
		}
	}
}

func TestTemplatePreviews(t *testing.T) {
	box := func(w, h int) template.Options {
		return template.Options{
			Preview:    true,
			PreviewMax: imaging.Size{Width: w, Height: h},
			Sizes:      map[string]imaging.Size{"known.png": {Width: 200, Height: 100}},
		}
	}
	end := ":preview():format(webp)/p.jpg"
	for _, c := range []struct {
		name, envelope string
		o              template.Options
		path           string
	}{
		{"without bounds", onPhoto(`"blur":4,"format":"png","maxBytes":7,"quality":80`),
			template.Options{Preview: true}, "filters:blur(4):preview():format(webp):quality(80)/p.jpg"},
		{"never larger", onPhoto(`"blur":4`), box(4000, 4000), "filters:blur(4)" + end},
		{"bounds of something else", onPhoto(`"blur":4`),
			template.Options{PreviewMax: imaging.Size{Width: 10, Height: 10}}, "filters:blur(4)/p.jpg"},
		{"natural size", onPhoto(`"blur":4,"sharpen":2,"roundCornerRadius":40`), box(960, 2000),
			"960x540/filters:blur(2):sharpen(1):round_corner(20)" + end},
		{"one bound", onPhoto(`"blur":4`), box(0, 108), "192x108/filters:blur(0.4)" + end},
		{"sized", onPhoto(`"width":1000,"height":1000`), box(500, 900), "500x500/filters:preview():format(webp)/p.jpg"},
		{"one side", onPhoto(`"width":960`), box(480, 480), "480x0/filters:preview():format(webp)/p.jpg"},
		{
			"padded", onPhoto(
				`"width":1000,"height":500,"fillColor":"red","paddingLeft":100,"paddingRight":100,"paddingTop":50,"paddingBottom":50`), box(600, 600), "500x250/50x25/filters:fill(red)" + end},
		{"rotated", onPhoto(`"rotation":90`), box(540, 960), "960x540/filters:rotate(90)" + end},
		{"proportion", onPhoto(`"proportion":50`), box(480, 480), "960x540/filters:proportion(50)" + end},
		{"crop stays in the source", onPhoto(`"cropLeft":100,"cropTop":100,"cropWidth":1000,"cropHeight":500`),
			box(500, 500), "100x100:1100x600/500x250/filters:preview():format(webp)/p.jpg"},
		{"fit", onPhoto(`"width":960,"height":960,"fitIn":true`), box(480, 480),
			"fit-in/480x270/filters:preview():format(webp)/p.jpg"},
		{"fit in a larger box", onPhoto(`"width":4000,"height":4000,"fitIn":true`), box(960, 960),
			"fit-in/960x540/filters:preview():format(webp)/p.jpg"},
		{"fit with room", onPhoto(`"width":960,"height":960,"fitIn":true,"fillColor":"red"`), box(480, 480),
			"fit-in/480x480/filters:fill(red)" + end},
		{"room around what does not grow", onPhoto(
			`"width":3840,"height":3840,"fitIn":true,"fillColor":"red","vAlign":"top"`), box(960, 960),
			"fit-in/480x270/240x0:240x690/top/filters:fill(red)" + end},
		{"layers", withLayers(
			`{"type":"image","imagePath":"l","originalDimensions":{"width":200,"height":100},"x":100,"y":-40}`,
			`{"type":"image","imagePath":"l","x":"left-30","y":"20p","transforms":{"width":300,"blur":2}}`),
			box(960, 960),
			"960x540/filters:image(100x50/l,50,-20):image(150x0/filters:blur(1)/l,left-15,20p)" + end},
		{"a layer whose size is looked up", withLayers(`{"type":"image","imagePath":"known.png"}`), box(960, 960),
			"960x540/filters:image(100x50/known.png,0,0)" + end},
		{"a layer of unknown size", withLayers(
			`{"type":"image","imagePath":"l","x":10,"transforms":{"blur":2,"layers":[{"type":"text","text":"a","x":6}]}}`), box(960, 960),
			"960x540/filters:image(filters:blur(2):text(a,6,0):proportion(50)/l,5,0)" + end},
		{
			"small negative places", withLayers(
				`{"type":"image","imagePath":"l","x":-1,"y":-1,"transforms":{"width":8,"height":8}}`), box(192, 192),
			"192x108/filters:image(1x1/l,right,bottom)" + end},
		{
			"follows its parent", withLayers(
				`{"type":"image","imagePath":"l","transforms":{"widthFull":true,"widthFullOffset":40,"height":20}}`),
			box(960, 960), "960x540/filters:image(f-20x10/l,0,0)" + end},
		{"percent stays", withLayers(
			`{"type":"image","imagePath":"l","originalDimensions":{"width":200,"height":100},"x":"5p","transforms":{"width":"50p","blur":2}}`, `{"type":"text","text":"a","x":"right-4p","fontSize":"8p"}`), box(960, 960),
			"960x540/filters:image(50px0/filters:blur(1)/l,5p,0):text(a,right-4p,0,sans-8p)" + end},
		{"text", withLayers(`{"type":"text","text":"a","x":11,"fontSize":33,"width":300,"spacing":6}`,
			`{"type":"text","text":"a","width":"f-20"}`), box(960, 960),
			"960x540/filters:text(a,6,0,sans-16.5,black,0,normal,150,low,false,word,3):text(a,0,0,sans-10,black,0,normal,f-10)" + end},
		{"group", withLayers(
			`{"type":"group","transforms":{"blur":4,"layers":[{"type":"color","color":"red","x":10,"width":20,"height":20}]}}`), box(960, 960),
			"960x540/filters:image(fxf/filters:image(10x10/color:red,5,0):blur(2)/color:none,0,0)" + end},
		{
			"dragging the crop", onPhoto(
				`"visualCropEnabled":true,"cropLeft":9,"cropWidth":9,"width":9,"rotation":90,"brightness":3,"layers":[{"type":"text","text":"a"}]`), box(960, 960), "960x540/filters:brightness(3)" + end},
	} {
		r := request(t, c.envelope, c.o)
		if got := r.Path(); got != c.path {
			t.Errorf("%s:\n%s, expected\n%s", c.name, got, c.path)
		}
		if _, warnings, err := r.Operations.Filters.Calls(true); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %s, %v %v", c.name, r.Path(), warnings, err)
		}
	}
}

const tree = `{"id":"a","type":"image","imagePath":"a.png","originalDimensions":{"width":400,"height":300},"x":7,"alpha":9,"transforms":{"width":200,"height":100,"rotation":90,"layers":[
	{"id":"b","type":"image","imagePath":"b.png","transforms":{"widthFull":true,"heightFull":true,"heightFullOffset":10,"layers":[{"id":"t","type":"text","text":"deep"}]}},
	{"id":"t2","type":"text","text":"over","x":3}]}},
	{"id":"g","type":"group","transforms":{"layers":[{"id":"c","type":"color","color":"red"}]}}`

func TestTemplateContext(t *testing.T) {
	for _, c := range []struct {
		context, skip string
		o             template.Options
		path          string
	}{
		{
			context: "",
			path:    "filters:image(200x100/filters:rotate(90):image(fxf-10/filters:text(deep,0,0)/b.png,0,0):text(over,3,0)/a.png,7,0,9):image(fxf/filters:image(fxf/color:red,0,0)/color:none,0,0)/p.jpg"},
		{
			context: "a",
			path:    "200x100/filters:rotate(90):image(fxf-10/filters:text(deep,0,0)/b.png,0,0):text(over,3,0)/a.png"},
		{context: "a/b", path: "100x190/filters:text(deep,0,0)/b.png"},
		{context: "a/b/t", path: "100x190/filters:text(deep,0,0)/color:none"},
		{context: "g", path: "1920x1080/filters:image(fxf/color:red,0,0)/color:none"},
		{context: "g/c", path: "1920x1080/color:red"},
		{context: "a", skip: "b", path: "200x100/filters:rotate(90):text(over,3,0)/a.png"},
		{
			context: "",
			skip:    "t",
			path:    "filters:image(200x100/filters:rotate(90):image(fxf-10/b.png,0,0):text(over,3,0)/a.png,7,0,9):image(fxf/filters:image(fxf/color:red,0,0)/color:none,0,0)/p.jpg"},
		{context: "a/b", o: template.Options{Preview: true, PreviewMax: imaging.Size{Width: 95, Height: 95},
			Append: "attachment():quality(3)"},
			path: "50x95/filters:text(deep,0,0,sans-10):preview():format(webp):attachment():quality(3)/b.png"},
		{context: "", skip: "a", o: template.Options{Append: "attachment()"},
			path: "filters:image(fxf/filters:image(fxf/color:red,0,0)/color:none,0,0):attachment()/p.jpg"},
	} {
		if c.context != "" {
			c.o.ContextPath = strings.Split(c.context, "/")
		}
		c.o.SkipLayer = c.skip
		if got := request(t, withLayers(tree), c.o).Path(); got != c.path {
			t.Errorf("%s without %q:\n%s, expected\n%s", c.context, c.skip, got, c.path)
		}
	}
	parsed, err := template.Parse([]byte(withLayers(tree)))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range [][]string{{"x"}, {"a", "x"}, {"b"}, {"a", "t2", "x"}, {""}} {
		if _, err := parsed.Request(template.Options{ContextPath: path}); fault.CodeOf(err) != fault.Invalid ||
			fault.Of(err).Field != "contextPath" {
			t.Errorf("%q: %v", path, err)
		}
	}
	got := parsed.NeedsSizes(template.Options{Image: "q.jpg", ContextPath: []string{"a"}})
	if !slices.Equal(got, []string{"q.jpg", "b.png"}) {
		t.Errorf("NeedsSizes = %q", got)
	}
	if got := parsed.NeedsSizes(template.Options{}); len(got) != 0 {
		t.Errorf("NeedsSizes = %q", got)
	}
}

func TestTemplateSizeMissing(t *testing.T) {
	parsed, err := template.Parse(
		[]byte(`{"transformations":{"imagePath":"p.jpg","layers":[{"id":"a","type":"color","color":"red"}]}}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []template.Options{{Preview: true, PreviewMax: imaging.Size{Width: 9, Height: 9}},
		{ContextPath: []string{"a"}}} {
		if _, err := parsed.Request(o); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
		o.Sizes = map[string]imaging.Size{"p.jpg": {Width: 90, Height: 60}}
		if _, err := parsed.Request(o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestMalformedTemplates(t *testing.T) {
	for pointer, envelopes := range map[string][]string{
		"":                      {"", "nonsense", "[]", `"x"`, "null", `{"a":1`, "{} {}"},
		"/version":              {`{"version":1}`, `{"version":"2.0","transformations":{"imagePath":"p"}}`},
		"/dimensionMode":        {`{"dimensionMode":"both"}`, `{"dimensionMode":3}`},
		"/predefinedDimensions": {`{"predefinedDimensions":[]}`},
		"/predefinedDimensions/height": {`{"predefinedDimensions":{"width":3}}`,
			`{"predefinedDimensions":{"width":3,"height":0}}`, `{"predefinedDimensions":{"width":3,"height":"4"}}`},
		"/sourceImagePath": {`{"sourceImagePath":"../x"}`, `{"sourceImagePath":"/x"}`,
			`{"sourceImagePath":{}}`, `{"sourceImagePath":"color:nonsense"}`},
		"/transformations": {`{}`, `{"sourceImagePath":"p"}`, `{"transformations":3}`,
			`{"transformations":[]}`},
		"/transformations/imagePath": {`{"transformations":{}}`, `{"transformations":{"imagePath":"a/../../b"}}`},
		"/transformations/rotation": {onPhoto(`"rotation":45`), onPhoto(`"rotation":"90"`),
			onPhoto(`"rotation":-90`)},
		"/transformations/width":      {onPhoto(`"width":-1`), onPhoto(`"width":1e9`), onPhoto(`"width":true`)},
		"/transformations/brightness": {onPhoto(`"brightness":101`), onPhoto(`"brightness":"10"`)},
		"/transformations/quality":    {onPhoto(`"quality":101`)},
		"/transformations/format":     {onPhoto(`"format":"docx"`), onPhoto(`"format":7`)},
		"/transformations/fillColor":  {onPhoto(`"fillColor":"reddish"`), onPhoto(`"fillColor":1`)},
		"/transformations/hAlign":     {onPhoto(`"hAlign":"top"`)},
		"/transformations/fitIn":      {onPhoto(`"fitIn":1`)},
		"/transformations/layers":     {onPhoto(`"layers":{}`)},
		"/transformations/layers/0":   {onPhoto(`"layers":[3]`), onPhoto(`"layers":[null]`)},
		"/transformations/layers/0/type": {withLayers(`{}`), withLayers(`{"type":"video"}`),
			withLayers(`{"type":null}`)},
		"/transformations/layers/0/boxPadding": {
			withLayers(`{"type":"text","boxPadding":-1}`), withLayers(`{"type":"text","boxPadding":201}`),
		},
		"/transformations/layers/0/boxRadius": {withLayers(`{"type":"text","boxRadius":-1}`)},
		"/transformations/layers/0/outlineWidth": {
			withLayers(`{"type":"text","outlineWidth":-1}`), withLayers(`{"type":"text","outlineWidth":50.5}`),
		},
		"/transformations/layers/0/shadowX": {withLayers(`{"type":"text","shadowX":-101}`)},
		"/transformations/layers/0/shadowY": {withLayers(`{"type":"text","shadowY":101}`)},
		"/transformations/layers/0/shadowBlur": {
			withLayers(`{"type":"text","shadowBlur":-1}`), withLayers(`{"type":"text","shadowBlur":101}`),
		},
		"/transformations/layers/1/x": {
			withLayers(`{"type":"text","text":"a"}`, `{"type":"text","x":"bottom"}`)},
		"/transformations/layers/0/y": {
			withLayers(`{"type":"text","y":"left"}`), withLayers(`{"type":"text","y":{}}`)},
		"/transformations/layers/0/alpha": {withLayers(`{"type":"text","alpha":101}`)},
		"/transformations/layers/0/blendMode": {
			withLayers(`{"type":"text","blendMode":"burn"}`)},
		"/transformations/layers/0/imagePath": {
			withLayers(`{"type":"image"}`), withLayers(`{"type":"image","imagePath":"a/../b"}`)},
		"/transformations/layers/0/color": {
			withLayers(`{"type":"color"}`), withLayers(`{"type":"color","color":"auto"}`),
			withLayers(`{"type":"text","color":"colour"}`)},
		"/transformations/layers/0/width": {
			withLayers(`{"type":"text","width":"wide"}`), withLayers(`{"type":"text","width":-3}`),
			withLayers(`{"type":"text","width":"f+3"}`)},
		"/transformations/layers/0/fontSize": {withLayers(`{"type":"text","fontSize":0}`)},
		"/transformations/layers/0/transforms/layers/0/transforms/blur": {
			withLayers(
				`{"type":"group","transforms":{"layers":[{"type":"image","imagePath":"l","transforms":{"blur":-1}}]}}`)},
	} {
		for _, envelope := range envelopes {
			_, err := template.Parse([]byte(envelope))
			f := fault.Of(err)
			if f == nil || f.Code != fault.Invalid || f.Field != "templateJson"+pointer ||
				!strings.HasPrefix(f.Message, pointer) {
				t.Errorf("%s: %v, expected a fault at %q", envelope, err, pointer)
			}
		}
	}
	deep := `{"type":"text","text":"a"}`
	for range template.MaxDepth {
		deep = `{"type":"group","transforms":{"layers":[` + deep + `]}}`
	}
	if _, err := template.Parse([]byte(withLayers(deep))); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a deep template: %v", err)
	}
}

func TestUnknownFieldsAreKept(t *testing.T) {
	const envelope = `{"author":{"name":"<A&B>","n":1e400},"version":"1.0","a/b~c":[1,2.50],"transformations":{"imagePath":"p","zoom":2.50,"originalDimensions":{"width":1,"height":2,"unit":"px"},
		"layers":[{"type":"text","shadow":true,"text":"a"},{"type":"group","transforms":{"glow":null}}]}}`
	parsed, err := template.Parse([]byte(envelope))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/transformations/originalDimensions/unit",
		"/transformations/layers/0/shadow",
		"/transformations/layers/1/transforms/glow",
		"/transformations/zoom",
		"/a~1b~0c",
		"/author",
	}
	if got := parsed.UnknownFields(); !slices.Equal(got, want) {
		t.Errorf("unknown: %q", got)
	}
	parsed.Name, parsed.Description = "Warm <3", "for \"evenings\""
	parsed.SourceImage = "q.jpg"
	written := parsed.JSON()
	again, err := template.Parse(written)
	if err != nil {
		t.Fatalf("%v in %s", err, written)
	}
	if again.Name != parsed.Name || again.Description != parsed.Description || again.SourceImage != "q.jpg" ||
		!slices.Equal(again.UnknownFields(), want) {
		t.Errorf("%+v", again)
	}
	if string(again.JSON()) != string(written) {
		t.Errorf("written again:\n%s\nbefore:\n%s", again.JSON(), written)
	}
	var was, is map[string]json.RawMessage
	for data, to := range map[string]*map[string]json.RawMessage{envelope: &was, string(written): &is} {
		if err := json.Unmarshal([]byte(data), to); err != nil {
			t.Fatal(err)
		}
	}
	for name := range was {
		if compact(t, was[name]) != compact(t, is[name]) {
			t.Errorf("%s was %s, is %s", name, was[name], is[name])
		}
	}
	if !strings.HasPrefix(string(written), "{\n  \"version\": \"1.0\",\n  \"name\": \"Warm <3\"") {
		t.Errorf("written:\n%s", written)
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	return strings.Join(strings.Fields(string(raw)), "")
}

func TestTemplateWarnings(t *testing.T) {
	parsed, err := template.Parse(
		[]byte(
			onPhoto(
				`"paddingLeft":3,"layers":[{"type":"text","text":"a","transforms":{"blur":3}},{"type":"text","text":"a","transforms":{}}]`,
			),
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	got := parsed.Warnings()
	if len(got) != 2 || !strings.HasPrefix(got[0], "/transformations/layers/0/transforms has no effect") ||
		!strings.HasPrefix(got[1], "/transformations has padding") {
		t.Errorf("%q", got)
	}
	for members, want := range map[string][]string{
		`"width":"30p","height":"200p"`: {
			"/transformations/width has no effect in percent outside of a layer, expected pixels",
			"/transformations/height has no effect in percent outside of a layer, expected pixels",
		},
		`"width":30,"heightFull":true,"heightFullOffset":4`: {
			"/transformations/heightFull has no effect outside of a layer",
		},
		`"width":30,"widthFull":false,"layers":[{"type":"color","color":"red","transforms":{"width":"30p"}}]`: nil,
	} {
		parsed, err := template.Parse([]byte(onPhoto(members)))
		if err != nil || !slices.Equal(parsed.Warnings(), want) {
			t.Errorf("%s: %q, %v", members, parsed.Warnings(), err)
		}
	}
}

// TestPathOfATemplateIsBounded refuses a template whose path is too long for the parser; found by FuzzTemplate.
func TestPathOfATemplateIsBounded(t *testing.T) {
	for length, code := range map[int]fault.Code{3_000: "", 3_700: fault.Invalid} { // 9 bytes each, escaped
		parsed, err := template.Parse(
			[]byte(`{"transformations":{"imagePath":"` + strings.Repeat("\u65e5", length) + `.jpg","width":3}}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := parsed.Request(template.Options{})
		if fault.CodeOf(err) != code {
			t.Errorf("%d characters: %v, expected %q", length, err, code)
		}
		if err == nil {
			if _, err := imaging.Parse("unsafe/" + r.Path()); err != nil {
				t.Error(err)
			}
		}
	}
}

// FuzzTemplate checks that no template makes the parser or the writer fail otherwise than by saying so, and that what
// comes out is what a URL can say.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{onPhoto(""), withLayers(tree),
		onPhoto(`"width":3,"fitIn":true,"fillColor":"red","paddingTop":3`),
		withLayers(`{"type":"text","text":"a","x":"left-3","width":"f-3"}`),
		`{"transformations":{"imagePath":"color:red"}}`} {
		f.Add([]byte(s), uint8(1), "a")
		f.Add([]byte(s), uint8(3), "a/b")
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, context string) {
		parsed, err := template.Parse(data)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		again, err := template.Parse(parsed.JSON())
		if err != nil || !slices.Equal(again.UnknownFields(), parsed.UnknownFields()) {
			t.Fatalf("%s\nis written as\n%s, %v", data, parsed.JSON(), err)
		}
		o := template.Options{Preview: kind&1 > 0, PreviewMax: imaging.Size{Width: 37, Height: 41}}
		if kind&2 > 0 {
			o.ContextPath = strings.Split(context, "/")
		}
		if kind&4 > 0 {
			o.Image, o.Sizes = "q.jpg", map[string]imaging.Size{"q.jpg": {Width: 300, Height: 200}}
		}
		r, err := parsed.Request(o)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		if read, err := imaging.Parse("unsafe/" + r.Path()); err != nil || read.Operations != r.Operations ||
			read.Image != r.Image {
			t.Fatalf("%s is read as %+v, %v", r.Path(), read, err)
		}
		if _, warnings, err := r.Operations.Filters.Calls(true); err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", r.Path(), warnings, err)
		}
	})
}
