package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
)

// drawTemplate renders a template as its URL would; pictures are found by their names.
func drawTemplate(
	t *testing.T,
	e *Engine,
	envelope string,
	o template.Options,
	pictures map[string][]byte,
) stdimage.Image {
	t.Helper()
	parsed, err := template.Parse([]byte(envelope))
	if err != nil {
		t.Fatalf("%s: %v", envelope, err)
	}
	o.Append = o.Append.Add(imaging.Filter{Name: "format", Args: "png"})
	asked, err := parsed.Request(o)
	if err != nil {
		t.Fatalf("%s: %v", envelope, err)
	}
	r, err := imaging.Parse("unsafe/" + asked.Path())
	if err != nil {
		t.Fatalf("%s: %v", asked.Path(), err)
	}
	source := func(name string) imaging.Source {
		return imaging.Source{Name: name, Size: int64(len(pictures[name])), Reader: bytes.NewReader(pictures[name])}
	}
	src := source(r.Image)
	if imaging.IsCanvas(r.Image) {
		c, err := imaging.ParseCanvas(r.Image)
		if err != nil {
			t.Fatal(err)
		}
		src = imaging.Source{Name: r.Image, Canvas: &c}
	}
	src.Layers = map[string]imaging.Source{}
	for name := range pictures {
		src.Layers[name] = source(name)
	}
	result, err := e.Process(t.Context(), src, r.Operations, imaging.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", asked.Path(), err)
	}
	if len(result.Warnings) > 0 {
		t.Errorf("%s: %v", asked.Path(), result.Warnings)
	}
	if dir := os.Getenv("SAFELIGHT_TEMPLATES_TO"); dir != "" { // to look at
		name := strings.NewReplacer("/", "_", " ", "_").Replace(t.Name())
		if o.Preview {
			name += "_preview"
		}
		if err := os.WriteFile(filepath.Join(dir, name+".png"), result.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return decoded(t, result.Data)
}

var (
	red      = color.NRGBA{255, 0, 0, 255}
	green    = color.NRGBA{0, 128, 0, 255}
	blue     = color.NRGBA{0, 0, 255, 255}
	white255 = color.NRGBA{255, 255, 255, 255}
)

// quarters is a picture of four colours: red and green over blue and white.
func quarters(width, height int) stdimage.Image {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := []color.NRGBA{red, green, blue, white255}[x*2/width+y*2/height*2]
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// templateCases are templates on quarters of 80 x 60, and colours at places of their result.
var templateCases = []struct {
	name, members string
	size          stdimage.Point
	at            map[stdimage.Point]color.NRGBA
}{
	{
		"plain",
		``,
		stdimage.Pt(80, 60),
		map[stdimage.Point]color.NRGBA{{10, 10}: red, {70, 10}: green, {10, 50}: blue, {70, 50}: white255},
	},
	{
		"flipped",
		`"hFlip":true`,
		stdimage.Pt(80, 60),
		map[stdimage.Point]color.NRGBA{{10, 10}: green, {70, 10}: red, {10, 50}: white255},
	},
	{
		"rotated",
		`"rotation":90`,
		stdimage.Pt(60, 80),
		map[stdimage.Point]color.NRGBA{{10, 10}: green, {50, 10}: white255, {50, 70}: blue, {10, 70}: red},
	},
	{
		"flipped then rotated",
		`"hFlip":true,"rotation":90`,
		stdimage.Pt(60, 80),
		map[stdimage.Point]color.NRGBA{{10, 10}: red, {50, 10}: blue, {50, 70}: white255, {10, 70}: green},
	},
	{
		"cropped, sized",
		`"cropLeft":40,"cropTop":0,"cropWidth":40,"cropHeight":60,"width":20,"height":30`,
		stdimage.Pt(20, 30),
		map[stdimage.Point]color.NRGBA{{4, 4}: green, {4, 26}: white255},
	},
	{
		"padding turns with the picture",
		`"fillColor":"black","paddingLeft":10,"paddingTop":4,"rotation":90`,
		stdimage.Pt(64, 90),
		map[stdimage.Point]color.NRGBA{
			{10, 85}: {0, 0, 0, 255},
			{1, 50}:  {0, 0, 0, 255},
			{10, 20}: green,
			{50, 20}: white255,
		},
	},
	{
		"room around a fit",
		`"width":80,"height":80,"fitIn":true,"fillColor":"000080"`,
		stdimage.Pt(80, 80),
		map[stdimage.Point]color.NRGBA{
			{40, 4}:  {0, 0, 128, 255},
			{10, 14}: red,
			{70, 66}: white255,
			{40, 76}: {0, 0, 128, 255},
		},
	},
	{
		"proportion",
		`"proportion":50`,
		stdimage.Pt(40, 30),
		map[stdimage.Point]color.NRGBA{{5, 5}: red, {35, 25}: white255},
	},
	{
		"layer on the rotated picture",
		`"rotation":90,"layers":[{"type":"color","color":"black","x":-10,"y":30,"width":20,"height":10}]`,
		stdimage.Pt(60, 80),
		map[stdimage.Point]color.NRGBA{
			{31, 31}: {0, 0, 0, 255},
			{49, 39}: {0, 0, 0, 255},
			{28, 35}: green,
			{52, 35}: white255,
			{40, 28}: white255,
			{40, 42}: blue,
		},
	},
	{
		"rotated flipped layer",
		`"layers":[{"type":"image","imagePath":"q","x":20,"y":10,"transforms":{"width":40,"height":20,"vFlip":true,"rotation":270}}]`,
		stdimage.Pt(80, 60),
		// blue white over red green, turned right: red blue over green white
		map[stdimage.Point]color.NRGBA{
			{22, 12}: red,
			{37, 12}: blue,
			{22, 47}: green,
			{37, 47}: white255,
			{17, 12}: red,
			{43, 47}: white255,
		},
	},
	{
		"blended",
		`"layers":[{"type":"color","color":"808080","blendMode":"multiply"},{"type":"color","color":"black","alpha":50,"x":40,"width":40,"height":30}]`,
		stdimage.Pt(80, 60),
		map[stdimage.Point]color.NRGBA{
			{10, 10}: {128, 0, 0, 255},
			{70, 10}: {0, 32, 0, 255},
			{70, 50}: {128, 128, 128, 255},
		},
	},
	{
		"nested",
		`"layers":[{"type":"image","imagePath":"q","x":40,"y":30,"transforms":{"width":40,"height":30,"layers":[{"type":"image","imagePath":"q","x":-2,"y":-2,"transforms":{"width":16,"height":12,"layers":[{"type":"color","color":"black","width":4,"height":4}]}}]}}]`,
		stdimage.Pt(
			80,
			60,
		),
		map[stdimage.Point]color.NRGBA{
			{44, 34}: red,
			{64, 48}: {0, 0, 0, 255},
			{79, 59}: white255,
			{68, 48}: red,
			{75, 48}: green,
			{64, 56}: blue,
		},
	},
	{
		"group turned and half there",
		`"layers":[{"type":"group","alpha":50,"transforms":{"rotation":180,"layers":[{"type":"color","color":"black","width":20,"height":20},{"type":"color","color":"white","x":20,"width":20,"height":20,"visible":false}]}}]`,
		stdimage.Pt(
			80,
			60,
		),
		map[stdimage.Point]color.NRGBA{{70, 50}: {128, 128, 128, 255}, {10, 10}: red, {50, 50}: white255},
	},
	{
		"group multiplies as one",
		`"layers":[{"type":"group","blendMode":"multiply","transforms":{"layers":[{"type":"color","color":"ff0000","x":40,"y":30},{"type":"color","color":"00ff00","x":60,"y":30}]}}]`,
		stdimage.Pt(80, 60),
		map[stdimage.Point]color.NRGBA{{50, 50}: red, {70, 50}: {0, 255, 0, 255}, {10, 10}: red},
	},
	{
		"rounded layer",
		`"layers":[{"type":"color","color":"black","x":40,"y":30,"width":40,"height":30,"transforms":{"roundCornerRadius":15}}]`,
		stdimage.Pt(80, 60),
		map[stdimage.Point]color.NRGBA{{41, 31}: white255, {60, 45}: {0, 0, 0, 255}, {78, 58}: white255},
	},
}

func onQuarters(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"version":"1.0","transformations":{"imagePath":"q","originalDimensions":{"width":80,"height":60}` +
		members + `}}`
}

// TestTemplatesRender holds what templates look like to colours that their JSON says.
func TestTemplatesRender(t *testing.T) {
	e := open(t)
	pictures := map[string][]byte{"q": pngOf(t, quarters(80, 60))}
	for _, c := range templateCases {
		t.Run(c.name, func(t *testing.T) {
			img := drawTemplate(t, e, onQuarters(c.members), template.Options{}, pictures)
			if img.Bounds().Size() != c.size {
				t.Fatalf("%v, expected %v", img.Bounds().Size(), c.size)
			}
			for p, want := range c.at {
				if got := at(img, p.X, p.Y); !near(got, want, 3) {
					t.Errorf("at %v: %v, expected %v", p, got, want)
				}
			}
		})
	}
}

const poster = `"fillColor":"f4f0e8","paddingTop":40,"paddingLeft":40,"paddingRight":40,"paddingBottom":160,"width":1200,"height":800,"brightness":5,"sharpen":1,"layers":[
	{"id":"title","type":"text","text":"Northern Lights & co","x":"center","y":-80,"font":"DejaVu Sans","fontStyle":"bold","fontSize":64,"color":"#223344"},
	{"id":"sub","type":"text","text":"a long line that has to be wrapped somewhere in its middle","x":60,"y":60,"fontSize":36,"color":"white","width":400,"align":"centre","spacing":8},
	{"id":"g","type":"group","alpha":20,"transforms":{"blur":6,"layers":[{"id":"c","type":"color","color":"ff8800","x":800,"y":200,"width":300,"height":300,"transforms":{"roundCornerRadius":150}}]}},
	{"id":"i","type":"image","imagePath":"q","x":"right-20","y":100,"blendMode":"screen","transforms":{"width":240,"height":160,"rotation":90,"hFlip":true,"layers":[{"id":"n","type":"text","text":"deep","x":"center","y":"center","fontSize":48,"color":"black"}]}},
	{"id":"f","type":"color","color":"000000","alpha":60,"x":"center","y":"bottom+10","transforms":{"widthFull":true,"widthFullOffset":200,"height":12}}]`

// TestPreviewsLookAlike compares a preview with the result, made as small afterwards.
func TestPreviewsLookAlike(t *testing.T) {
	e := open(t)
	pictures := map[string][]byte{"q": pngOf(t, scenery(1200, 900))}
	envelope := func(members string) string {
		return strings.ReplaceAll(
			strings.ReplaceAll(onQuarters(members), `"width":80,`, `"width":1200,`), `"height":60}`,
			`"height":900}`,
		)
	}
	for name, members := range map[string]string{
		"poster": poster, "turned poster": `"rotation":90,` + poster, "half poster": `"proportion":50,` + poster,
		"fit with room": `"width":1600,"height":1600,"fitIn":true,"fillColor":"red","hAlign":"left"`,
		"crop":          `"cropLeft":100,"cropTop":200,"cropWidth":600,"cropHeight":600,"blur":8,"roundCornerRadius":200,"fillColor":"white"`,
	} {
		t.Run(name, func(t *testing.T) {
			whole := drawTemplate(t, e, envelope(members), template.Options{}, pictures)
			small := drawTemplate(
				t, e, envelope(members),
				template.Options{Preview: true, PreviewMax: imaging.Size{Width: 400, Height: 300}}, pictures,
			)
			size := small.Bounds().Size()
			if size.X > 400 || size.Y > 300 || size.X < 398 && size.Y < 298 {
				t.Errorf("the preview has %v", size)
			}
			r, err := layered(t, e, "stretch/"+sizeText(size), pngOf(t, whole), nil, imaging.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if d := meanDifference(decoded(t, r.Data), small); d > 4 {
				t.Errorf("the preview differs by %.2f on average", d)
			}
		})
	}
}

func sizeText(p stdimage.Point) string { return strconv.Itoa(p.X) + "x" + strconv.Itoa(p.Y) }

// meanDifference is how far the channels of two pictures of one size lie apart on average, alpha over white.
func meanDifference(a, b stdimage.Image) float64 {
	sum, n := 0.0, 0
	size := a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			p, q := at(a, x, y), at(b, x, y)
			over := func(c color.NRGBA, v uint8) float64 { return 255 + (float64(v)-255)*float64(c.A)/255 }
			sum += math.Abs(over(p, p.R)-over(q, q.R)) + math.Abs(over(p, p.G)-over(q, q.G)) +
				math.Abs(over(p, p.B)-over(q, q.B))
			n += 3
		}
	}
	return sum / float64(n)
}
