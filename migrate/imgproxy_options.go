package migrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// imgproxy collects the options of a URL. A later option replaces an earlier one.
type imgproxy struct {
	target
	kind                     string // of resizing
	width, height            float64
	zoomX, zoomY, dpr        float64
	enlarge, extend          bool
	gravity, cropGravity     option
	crop                     option // has no args if the URL does not crop
	trim                     option
	padding                  option
	background               string // RRGGBB; empty: none
	blur, sharpen, pixelate  float64
	tones                    tones
	rotate                   int
	flipX, flipY             bool
	quality, maxBytes        int
	format                   string
	filename                 string
	attachment, raw, noICC   bool
	keepMetadata, firstFrame bool
	page, dpi                float64
	expires                  float64
}

// translateImgproxy translates a URL of imgproxy. ok is false for any other URL.
func translateImgproxy(urlPath string) (r Result, ok bool) {
	u, ok := parseImgproxy(urlPath)
	if !ok {
		return Result{}, false
	}
	p := &imgproxy{target: target{from: Imgproxy}, kind: "fit", zoomX: 1, zoomY: 1, dpr: 1, format: u.extension}
	if u.encrypted {
		return p.refuse("the address of the image is encrypted: only imgproxy can read it"), true
	}
	for _, o := range u.options {
		p.set(o)
	}
	if err := p.source(u.source); err != nil && p.refused == "" {
		p.refused = fault.Of(err).Message
	}
	if !strings.Contains(u.source, "://") {
		p.needs("storage: the images below IMGPROXY_BASE_URL")
	}
	p.geometry()
	p.pixels()
	p.output()
	return p.finish(), true
}

// set applies an option.
func (p *imgproxy) set(o option) {
	if p.setSize(o) || p.setPixels(o) || p.setOutput(o) {
		return
	}
	switch o.name {
	case "cachebuster", "max_src_resolution", "max_src_file_size", "max_animation_frames",
		"max_animation_frame_resolution", "max_result_dimension",
		"enforce_thumbnail", "keep_copyright", "hashsum": // options without a visible effect
	case "preset":
		p.refused = fmt.Sprintf("preset %s is a setting of imgproxy: replace it by its options", o.arg(0))
	case "blur_detections":
		p.refused = "blur_detections hides a part of the picture and is not supported"
	case "watermark", "watermark_url", "watermark_text":
		p.refused = "the image of the watermark is a setting of imgproxy: add filters:watermark(IMAGE,X,Y,ALPHA) to " +
			"the translated URL"
	case "skip_processing":
		p.differs(o.name, "every image is processed: use raw() for those that should not be")
	default:
		if !o.known {
			p.refused = fmt.Sprintf("option %s is unknown; it may be a preset", fault.Quote(o.name))
			return
		}
		p.differs(o.name, "option %s is not supported", o.name)
	}
}

// setSize applies an option about size and position. It returns false for any other option.
func (p *imgproxy) setSize(o option) bool {
	switch o.name {
	case "resize":
		p.setKind(o.arg(0))
		p.setBox(o, 1)
	case "size":
		p.setBox(o, 0)
	case "resizing_type":
		p.setKind(o.arg(0))
	case "width":
		p.width = o.number(0)
	case "height":
		p.height = o.number(0)
	case "zoom":
		p.zoomX, p.zoomY = o.number(0), o.number(0)
		if len(o.args) > 1 {
			p.zoomY = o.number(1)
		}
	case "dpr":
		p.dpr = o.number(0)
	case "enlarge":
		p.enlarge = isTrue(o.arg(0))
	case "extend":
		p.extend = isTrue(o.arg(0))
		if g := o.arg(1); g != "" && g != "ce" {
			p.differs("extend", "the picture stays in the middle of the box")
		}
	case "gravity":
		p.gravity = o
	case "crop":
		p.crop = o
		if len(o.args) > 2 {
			p.cropGravity = option{args: o.args[2:]}
		}
	case "trim":
		p.trim = o
	case "rotate":
		p.rotate = int(o.number(0))
	case "flip":
		p.flipX, p.flipY = isTrue(o.arg(0)), isTrue(o.arg(1))
	default:
		return false
	}
	return true
}

func (p *imgproxy) setKind(kind string) {
	if kind != "" {
		p.kind = kind
	}
}

// setBox applies WIDTH:HEIGHT:ENLARGE:EXTEND, which begin at argument at. Empty arguments change nothing.
func (p *imgproxy) setBox(o option, at int) {
	for i, set := range []func(){
		func() { p.width = o.number(at) }, func() { p.height = o.number(at + 1) },
		func() { p.enlarge = isTrue(o.arg(at + 2)) }, func() { p.extend = isTrue(o.arg(at + 3)) },
	} {
		if o.arg(at+i) != "" {
			set()
		}
	}
}

// setPixels applies an option that changes pixels. It returns false for any other option.
func (p *imgproxy) setPixels(o option) bool {
	switch o.name {
	case "padding":
		p.padding = o
	case "background":
		p.background = o.arg(0)
		if len(o.args) == 3 {
			p.background = hexColour(o.args)
		}
	case "blur":
		p.blur = o.number(0)
	case "sharpen":
		p.sharpen = o.number(0)
	case "pixelate":
		p.pixelate = o.number(0)
	case "adjust":
		p.tones.set(0, o.arg(0))
		p.tones.set(1, o.arg(1))
		p.tones.set(2, o.arg(2))
	case "brightness":
		p.tones.set(0, o.arg(0))
	case "contrast":
		p.tones.set(1, o.arg(0))
	case "saturation":
		p.tones.set(2, o.arg(0))
	case "auto_rotate":
		if !isTrue(o.arg(0)) {
			p.differs(o.name, "the orientation in EXIF is always applied")
		}
	case "page":
		p.page = o.number(0) + 1
	case "dpi":
		p.dpi = o.number(0)
	case "disable_animation":
		p.firstFrame = isTrue(o.arg(0))
	case "strip_color_profile":
		p.noICC = isTrue(o.arg(0))
	case "strip_metadata":
		p.keepMetadata = !isTrue(o.arg(0))
	default:
		return false
	}
	return true
}

// tones are brightness, contrast and saturation in percent, as the filters here take them; 0 changes nothing.
type tones [3]float64

// toneNames are the filters of tones.
var toneNames = [3]string{"brightness", "contrast", "saturation"}

// set takes over an argument of imgproxy; an empty one keeps the value. Brightness is what is added to values of 0 to
// 255, contrast and saturation are factors. The contrast of the filter is a factor, too, of 259(c+255)/(255(259-c)) for
// c of 2.55 times its percent.
func (t *tones) set(n int, arg string) {
	v, ok := number(arg)
	if !ok {
		return
	}
	switch toneNames[n] {
	case "brightness":
		v /= 2.55
	case "contrast":
		v = max(v, 0)
		v = 259 * 255 * (v - 1) / (259 + 255*v) / 2.55
	case "saturation":
		v = (v - 1) * 100
	}
	t[n] = min(max(v, -100), 100)
}

// setOutput applies an option that affects the output file. It returns false for any other option.
func (p *imgproxy) setOutput(o option) bool {
	switch o.name {
	case "quality":
		p.quality = int(o.number(0))
	case "max_bytes":
		p.maxBytes = int(o.number(0))
	case "format":
		p.format = o.arg(0)
	case "expires":
		p.expires = o.number(0)
	case "filename":
		p.filename = o.arg(0)
		if isTrue(o.arg(1)) {
			if text, err := decodeBase64(o.arg(0)); err == nil {
				p.filename = string(text)
			}
		}
	case "return_attachment":
		p.attachment = isTrue(o.arg(0))
	case "raw":
		p.raw = isTrue(o.arg(0))
	default:
		return false
	}
	return true
}

// aligns maps the gravities that are an edge or a corner.
var aligns = map[string]struct {
	h imaging.HAlign
	v imaging.VAlign
}{
	"": {}, "ce": {}, "no": {v: imaging.VAlignTop}, "so": {v: imaging.VAlignBottom}, "ea": {h: imaging.HAlignRight},
	"we":   {h: imaging.HAlignLeft},
	"noea": {imaging.HAlignRight, imaging.VAlignTop}, "nowe": {imaging.HAlignLeft, imaging.VAlignTop},
	"soea": {imaging.HAlignRight, imaging.VAlignBottom}, "sowe": {imaging.HAlignLeft, imaging.VAlignBottom},
}

// output adds the filters that affect the output file.
func (p *imgproxy) output() {
	var filename []any
	if p.filename != "" {
		filename = []any{imaging.EncodeText(p.filename)}
	}
	for _, f := range []struct {
		when bool
		name string
		args []any
	}{
		{p.format != "", "format", []any{p.format}},
		{p.quality > 0, "quality", []any{qualityFor(p.resultFormat(p.format), p.quality)}},
		{p.maxBytes > 0, "max_bytes", []any{p.maxBytes}},
		{p.noICC, "strip_icc", nil},
		{p.keepMetadata, "keep_metadata", nil},
		{p.expires > 0, "expire", []any{strconv.FormatFloat(p.expires*1000, 'f', 0, 64)}},
		{p.attachment, "attachment", filename},
		{p.raw, "raw", nil},
	} {
		if f.when {
			p.add(f.name, f.args...)
		}
	}
	if p.filename != "" && !p.attachment {
		p.differs("filename", "only downloads have a name: add attachment(%s)", p.filename)
	}
}

// whole rounds a size to pixels.
func whole(f float64) int { return int(math.Round(min(max(f, 0), 1e9))) }
