package migrate

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// imaginary translates /OPERATION?PARAMETER=VALUE&...
type imaginary struct {
	target
	operation     string
	values        url.Values
	width, height int
}

// imaginaryOperations are the operations of imaginary 1.
var imaginaryOperations = strings.Fields(
	"crop smartcrop resize enlarge extract rotate autorotate flip flop thumbnail " +
		"zoom convert watermark watermarkimage blur pipeline fit info",
)

// translated lists the parameters that have a translation, and ignored those without a visible effect.
var (
	translated = strings.Fields("width height top left areawidth areaheight quality compression rotate force nocrop " +
		"flip flop type gravity url file embed extend background colorspace sigma noprofile norotation palette " +
		"aspectratio image opacity")
	ignored = strings.Fields("key sign stripmeta speed field minampl interlace dpi margin font color noreplicate " +
		"textwidth factor")
)

// translateImaginary translates a URL of imaginary. ok is false for any other URL, and for a URL that does not name an
// image.
func translateImaginary(urlPath, query string) (Result, bool) {
	values, err := url.ParseQuery(query)
	operation := path.Base("/" + urlPath)
	address := values.Get("url")
	if err != nil || !slices.Contains(imaginaryOperations, operation) || address == "" && values.Get("file") == "" {
		return Result{}, false
	}
	p := &imaginary{target: target{from: Imaginary}, operation: operation, values: values}
	if address == "" {
		address = values.Get("file")
		p.needs("storage: the files of imaginary's -mount")
	}
	if err := p.source(address); err != nil {
		return p.refuse("%s", fault.Of(err).Message), true
	}
	p.sizes()
	p.operate()
	p.modify()
	p.output()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(translated, name) && !slices.Contains(ignored, name) {
			p.differs(name, "parameter %s is not supported", name)
		}
	}
	return p.finish(), true
}

// number returns a parameter as a number; 0 if it is missing or not a number.
func (p *imaginary) number(name string) float64 {
	f, _ := number(p.values.Get(name))
	return max(f, -f) // imaginary takes the absolute value
}

// is reports whether a parameter is true.
func (p *imaginary) is(name string) bool { return isTrue(p.values.Get(name)) }

// sizes reads width and height, and derives one of them from the aspect ratio.
func (p *imaginary) sizes() {
	p.width, p.height = whole(p.number("width")), whole(p.number("height"))
	w, h, ok := strings.Cut(p.values.Get("aspectratio"), ":")
	x, ok1 := number(w)
	y, ok2 := number(h)
	if !ok || !ok1 || !ok2 || whole(x) == 0 || whole(y) == 0 {
		return
	}
	switch { // imaginary divides first, and drops the remainder
	case p.width > 0 && p.height == 0:
		p.height = p.width / whole(x) * whole(y)
	case p.height > 0 && p.width == 0:
		p.width = p.height / whole(y) * whole(x)
	}
}

// operate translates the operation.
func (p *imaginary) operate() {
	switch p.operation {
	case "crop":
		p.fill(false)
	case "smartcrop":
		p.request.Operations.Smart = true
		p.fill(false)
	case "resize":
		p.resize()
	case "enlarge":
		if p.is("nocrop") {
			p.fit(true)
		} else {
			p.fill(true)
		}
	case "fit":
		p.fit(false)
	case "thumbnail":
		p.exact()
	case "extract":
		p.extract()
	case "info":
		p.request.Meta = true
		p.differs("info", "the JSON has other fields")
	case "watermarkimage":
		p.exact()
		p.watermark()
	case "rotate", "flip", "flop", "convert", "blur":
		p.exact()
	case "autorotate": // ignores all sizes
	case "zoom":
		p.refused = "zoom repeats pixels, which no filter here does"
	case "watermark":
		p.refused = "the text is drawn in another way: use filters:text(TEXT,X,Y,FONT,COLOR,ALPHA)"
	case "pipeline":
		p.refused = "a pipeline may repeat steps in any order: write its operations as one URL"
	}
}

// exact sets the size of an operation that neither crops nor fits: it stretches the image if both sides are given, and
// otherwise keeps its ratio. It may enlarge the image.
func (p *imaginary) exact() {
	o := &p.request.Operations
	o.Width, o.Height = p.width, p.height
	switch {
	case p.number("rotate") != 0 && !p.is("force"):
		o.Fit.In = p.width > 0 || p.height > 0
	case p.width > 0 && p.height > 0:
		o.Stretch = true
	}
}

// box sets the size of an operation that crops or fits. forced is true if the parameter force makes it stretch instead.
func (p *imaginary) box() (forced bool) {
	if p.is("force") {
		p.exact()
		return true
	}
	p.request.Operations.Width, p.request.Operations.Height = p.width, p.height
	return false
}

// fit makes the picture fit into the box.
func (p *imaginary) fit(enlarge bool) {
	if p.box() {
		return
	}
	p.fitIn(enlarge)
}

// fill covers the box and crops. A missing side defaults to that of the image.
func (p *imaginary) fill(enlarge bool) {
	if p.box() {
		return
	}
	o := &p.request.Operations
	o.WidthOriginal, o.HeightOriginal = p.width == 0, p.height == 0
	switch p.values.Get("gravity") {
	case "north":
		o.VAlign = imaging.VAlignTop
	case "south":
		o.VAlign = imaging.VAlignBottom
	case "east":
		o.HAlign = imaging.HAlignRight
	case "west":
		o.HAlign = imaging.HAlignLeft
	case "smart":
		o.Smart = true
	}
	p.fills(enlarge)
	if !enlarge && p.width > 0 && p.height > 0 {
		p.differs(p.operation, "a picture that is smaller than the box in one direction only keeps its size; "+
			"imaginary enlarges it")
	}
}

// resize fits the picture into the box and fills the rest of the box. With nocrop=false it crops instead.
func (p *imaginary) resize() {
	both := p.width > 0 && p.height > 0
	if both && p.values.Has("nocrop") && !p.is("nocrop") {
		p.fill(false)
		return
	}
	p.fit(false)
	if !both || p.is("force") {
		return
	}
	colour := "auto"
	switch extend := p.values.Get("extend"); extend {
	case "white", "black":
		colour = extend
	case "background":
		colour = p.background()
	default:
		p.differs("extend", "the rest of the box gets the average color; imaginary continues the edge of the picture")
	}
	p.add("fill", colour)
	p.differs("resize", "a picture that is smaller than the box is put into its middle; imaginary returns it as it is")
}

// extract crops: before everything else if there is no size, and after resizing otherwise.
func (p *imaginary) extract() {
	left, top, width, height := p.number("left"), p.number("top"), p.number("areawidth"), p.number("areaheight")
	if p.width == 0 && p.height == 0 {
		o := &p.request.Operations
		o.CropLeft, o.CropTop, o.CropRight, o.CropBottom = left, top, left+width, top+height
		return
	}
	p.exact()
	p.add("crop", whole(left), whole(top), whole(width), whole(height))
}

// watermark lays an image over the picture.
func (p *imaginary) watermark() {
	address := p.values.Get("image")
	p.needsHost(address)
	opacity := 1.0
	if p.values.Has("opacity") {
		opacity = p.number("opacity")
	}
	p.add("watermark", imaging.EncodeText(address), whole(p.number("left")), whole(p.number("top")),
		decimal(max(0, 100-opacity*100)))
}

// background returns the color of R,G,B as RRGGBB; black without one.
func (p *imaginary) background() string {
	parts := strings.Split(p.values.Get("background"), ",")
	if len(parts) != 3 {
		return "black"
	}
	return hexColour(parts)
}

// modify translates the parameters that every operation accepts.
func (p *imaginary) modify() {
	o := &p.request.Operations
	o.HFlip = p.is("flip") || p.operation == "flip"
	o.VFlip = p.is("flop") || p.operation == "flop"
	if turn := (360 - int(p.number("rotate"))%360) % 360; turn != 0 {
		p.add("orient", turn)
		p.differs("rotate", "the orientation in EXIF is applied first; imaginary drops it when it rotates")
	}
	if p.values.Has("background") && p.values.Get("extend") != "background" {
		p.add("background_color", p.background())
	}
	if p.values.Get("colorspace") == "bw" {
		p.add("grayscale")
	}
	if sigma := p.number("sigma"); sigma > 0 {
		p.add("blur", decimal(sigma), decimal(sigma))
	}
	if p.is("norotation") {
		p.differs("norotation", "the orientation in EXIF is always applied")
	}
	if p.is("embed") && p.operation != "resize" {
		p.differs("embed", "the rest of the box is left out")
	}
}

// output translates the parameters that affect the output file.
func (p *imaginary) output() {
	name := p.values.Get("type")
	if name != "" {
		p.add("format", name)
	}
	if quality := int(p.number("quality")); quality > 0 {
		p.add("quality", qualityFor(p.resultFormat(name), quality))
	}
	if p.values.Has("compression") {
		p.add("compression", int(p.number("compression")))
	}
	if p.is("palette") {
		p.add("palette")
	}
	if p.is("noprofile") {
		p.add("strip_icc")
	}
}
