package template

import (
	"bytes"
	"math"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// readLayers appends a list of layers to the list.
func (o *object) readLayers(name string, to *[]Layer, depth int) {
	o.list(name, "layers", func(in *object) {
		if depth == MaxDepth {
			o.r.failed(o.at(name), "lies more than %d layers deep", MaxDepth)
			return
		}
		*to = append(*to, in.readLayer(depth+1))
	})
}

// layerWords are the values of a layer's type.
var layerWords = []string{string(LayerImage), string(LayerText), string(LayerColor), string(LayerGroup)}

func (o *object) readLayer(depth int) Layer {
	var l Layer
	kind, visible, locked := "", true, false
	o.word("type", &kind, layerWords...)
	if l.Type = LayerType(kind); kind == "" {
		o.r.failed(o.at("type"), "is missing, expected one of %s", strings.Join(layerWords, " "))
	}
	o.text("id", &l.ID)
	o.text("name", &l.Name)
	o.flag("visible", &visible)
	o.flag("locked", &locked) // matters only to an editor
	l.Hidden = !visible
	o.place("x", &l.X, false)
	o.place("y", &l.Y, true)
	o.number("alpha", &l.Alpha, 0, 100)
	o.word("blendMode", &l.Blend, imaging.BlendModes()...)
	if l.Blend == "normal" {
		l.Blend = ""
	}
	o.around(&l)
	if l.Type == LayerText {
		o.readText(&l.Text)
		o.r.transformations(o, "transforms", &l.Transforms, depth)
		if raw := o.take("transforms"); raw != nil && string(bytes.TrimSpace(raw)) != "{}" {
			o.r.warn(o.at("transforms"), "has no effect on a text, expected a group around it")
		}
		return l
	}
	o.readPicture(&l, depth)
	return l
}

// readPicture reads what image, color and group layers show. The transforms take precedence over the other fields.
func (o *object) readPicture(l *Layer, depth int) {
	var beside Transformations
	o.image("imagePath", &beside.Image)
	o.size("originalDimensions", &beside.Original)
	o.pixelsOrPercent("width", &beside.Width, &beside.WidthSide)
	o.pixelsOrPercent("height", &beside.Height, &beside.HeightSide)
	o.readLayers("layers", &beside.Layers, depth)
	colour := ""
	o.colour("color", &colour)
	t := &l.Transforms
	o.r.transformations(o, "transforms", t, depth)
	t.Layers = append(beside.Layers, t.Layers...)
	if beside.Image != "" {
		t.Image = beside.Image
	}
	if beside.Original.Known() {
		t.Original = beside.Original
	}
	if t.Width == 0 && t.Height == 0 && !t.WidthSide.Follows() && !t.HeightSide.Follows() {
		t.Width, t.Height, t.WidthSide, t.HeightSide = beside.Width, beside.Height, beside.WidthSide, beside.HeightSide
	}
	switch l.Type {
	case LayerColor:
		if colour == "" && !imaging.IsCanvas(t.Image) {
			o.r.failed(o.at("color"), "is missing, expected a color")
		}
		if colour == "auto" {
			o.r.failed(o.at("color"), "is auto, which has no picture to take the color from")
		}
		if colour != "" {
			t.Image = imaging.CanvasPrefix + colour
		}
	case LayerGroup:
		t.Image = imaging.CanvasPrefix + "none"
	}
	if l.Type != LayerImage || imaging.IsCanvas(t.Image) {
		t.Original = imaging.Size{}
		t.canvasSides()
	}
	if t.Image == "" {
		o.r.failed(o.at("imagePath"), "is missing, expected the path of a picture")
	}
}

// canvasSides gives a canvas the parent's sides where it has none of its own.
func (t *Transformations) canvasSides() {
	t.WidthSide.Full = t.WidthSide.Full || t.Width == 0 && t.WidthSide.Percent == 0
	t.HeightSide.Full = t.HeightSide.Full || t.Height == 0 && t.HeightSide.Percent == 0
	t.FitIn, t.Smart, t.Stretch = false, false, false
}

// place reads the position of a layer along an axis: pixels, or text that the image filter accepts.
func (o *object) place(name string, to *layerPlace, vertical bool) {
	to.vertical = vertical
	raw := o.take(name)
	if raw == nil || o.r.err != nil {
		return
	}
	if jsonKind(raw) != "text" {
		o.number(name, &to.pixels, -maxSide, maxSide)
		return
	}
	var s string
	o.text(name, &s)
	p, ok := imaging.ParsePosition(strings.TrimSpace(s), vertical)
	switch {
	case s == "":
	case !ok:
		o.r.failed(o.at(name), "is %s, expected pixels, 20p, 0..1, an edge, center or repeat", fault.Quote(s))
	case p.Unit == imaging.UnitPixels:
		to.pixels = p.Number
	default:
		to.word, to.at = strings.ToLower(strings.TrimSpace(s)), p
	}
}

// readText reads the content of a text layer.
func (o *object) readText(t *Text) {
	o.text("text", &t.Text)
	o.text("font", &t.Font)
	o.text("fontStyle", &t.Style)
	o.fontSize(t)
	o.colour("color", &t.Colour)
	o.textWidth(t)
	var height float64
	if raw := o.take("height"); raw != nil && jsonKind(raw) == "a number" {
		o.number("height", &height, 0, maxSide) // matters only to an editor
	}
	o.word("align", &t.Align, "low", "centre", "center", "high", "left", "right")
	switch t.Align {
	case "left":
		t.Align = "low"
	case "right":
		t.Align = "high"
	}
	o.flag("justify", &t.Justify)
	o.word("wrap", &t.Wrap, "word", "char", "wordchar", "none")
	o.number("spacing", &t.Spacing, -1000, 1000)
	o.number("dpi", &t.DPI, 0, 2400)
}

// around reads the fields of what is drawn around a layer.
func (o *object) around(l *Layer) {
	for i, argument := range imaging.AroundLayer() {
		name := aroundFields[i]
		if argument.Kind == imaging.KindColour {
			o.colour(name, &l.Around[i])
			continue
		}
		if o.take(name) == nil {
			continue
		}
		var percent float64
		o.number(name, &percent, argument.Min, argument.Max)
		l.Around[i] = imaging.FormatDecimal(percent)
	}
}

// fontSize reads the size of a text: points, or `8p` for percent of the shorter side of its parent.
func (o *object) fontSize(t *Text) {
	t.Size = 20
	if raw := o.take("fontSize"); jsonKind(raw) != "text" {
		o.number("fontSize", &t.Size, 0.1, 2000)
		return
	}
	var s string
	o.text("fontSize", &s)
	percent, ok := parsePercent(s, 100)
	if !ok {
		o.r.failed(o.at("fontSize"), "is %s, expected points or a percentage such as 8p", fault.Quote(s))
	}
	t.SizePercent = percent
}

// textWidth reads the width of a text: pixels, a fraction, or text that the text filter accepts.
func (o *object) textWidth(t *Text) {
	raw := o.take("width")
	if raw == nil || o.r.err != nil {
		return
	}
	if jsonKind(raw) != "text" {
		o.number("width", &t.textWidth, 0, maxSide)
		if t.textWidth > 0 && t.textWidth < 1 {
			t.Width, t.textWidth = imaging.FormatDecimal(t.textWidth), 0
		}
		return
	}
	var s string
	o.text("width", &s)
	s = strings.TrimSpace(s)
	if n, ok := imaging.ParseNumber(s); ok && n >= 1 && n == math.Trunc(n) && !strings.Contains(s, ".") {
		t.textWidth = n
		return
	}
	rest, full := strings.CutPrefix(strings.Replace(s, "full", "f", 1), "f")
	number := strings.TrimSuffix(rest, "p")
	if full {
		number = strings.TrimPrefix(rest, "-")
	}
	if n, ok := imaging.ParseNumber(number); s != "" && !(full && rest == "") &&
		(!ok || n < 0 || full && !strings.HasPrefix(rest, "-")) {
		o.r.failed(o.at("width"), "is %s, expected pixels, 80p, 0..1, f or f-20", fault.Quote(s))
		return
	}
	t.Width = s
}
