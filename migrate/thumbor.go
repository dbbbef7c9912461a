package migrate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// judge returns the differences for a URL in thumbor's grammar, which Safelight shares. If from is empty, it guesses
// the product.
func judge(path, query string, from Product) (Result, bool) {
	t := &target{from: from}
	r, err := imaging.Parse(path)
	if err != nil {
		if hash, _ := imaging.SplitSigned(path); hash == "" {
			return Result{}, false
		}
		t.from = guessFamily(from, nil)
		return t.refuse("%s", fault.Of(err).Message), true
	}
	if !r.Unsafe && r.Hash == "" {
		return Result{}, false
	}
	t.request, t.from = r, guessFamily(from, r.Operations.Filters.List())
	if reason := refusal(r); reason != "" {
		return t.refuse("%s", reason), true
	}
	if r.Unsafe {
		t.needs("unsafe: on, or signed URLs instead")
	}
	t.judgeSegments(path)
	t.judgeImage(r.Image, query)
	t.judgeFilters(r.Operations, "")
	_, signed := imaging.SplitSigned(path)
	return t.done(signed), true
}

// guessFamily returns from or, if it is empty, the product that has all of the filters.
func guessFamily(from Product, filters []imaging.Filter) Product {
	if from != "" {
		return from
	}
	for _, f := range filters {
		rule, known := filterRules[f.Name]
		switch {
		case !known:
		case rule.thumborOnly(f):
			return Thumbor
		case rule.imagorOnly():
			return Imagor
		}
	}
	return ThumborFamily
}

// judgeSegments compares the segments before the filters.
func (t *target) judgeSegments(path string) {
	for _, text := range imaging.Params(path, t.request, nil).Warnings {
		if strings.HasPrefix(text, "segment ") || strings.HasPrefix(text, "the trim ") {
			t.differs("segments", "%s", text)
		}
	}
	o := t.request.Operations
	switch t.from {
	case Imagor:
		t.judgeImagor(o)
		return
	case ThumborFamily:
		return
	}
	if t.request.Operations.Smart {
		t.differs("smart", "thumbor crops around faces and features that its detectors find, Safelight around what "+
			"draws attention")
	}
	if t.request.Meta {
		t.differs("meta", "the JSON has other fields")
	}
}

// judgeImagor compares the segments before the filters, and the result, with those of imagor 1.9.
func (t *target) judgeImagor(o imaging.Operations) {
	if t.request.Meta {
		t.differs("meta", "values of EXIF may have another JSON type: a whole number is a number here, other values "+
			"are text")
	}
	if isFraction := o.CropRight > 0 && o.CropRight <= 1 || o.CropBottom > 0 && o.CropBottom <= 1; isFraction {
		t.differs("crop", "close: the edges of a crop in fractions may be a pixel apart")
	}
	if o.Trim && o.TrimTolerance > 1 {
		t.differs("trim", "close: imagor measures the tolerance for each channel, Safelight as the distance of the "+
			"colors")
	}
	calls, _, _ := o.Filters.Calls(false)
	has := func(names ...string) bool {
		return slices.ContainsFunc(calls, func(c imaging.Call) bool { return slices.Contains(names, c.Name) })
	}
	if colour, err := imaging.ParseCanvas(t.request.Image); imaging.IsCanvas(t.request.Image) && err == nil {
		if isClear := colour.Word != "" || colour.A != 255; isClear && !has("format", "autojpg") {
			t.differs("color", "imagor writes a canvas with transparency as JPEG, Safelight as PNG")
		}
		return
	}
	source := t.resultFormat("")
	target, _ := imaging.ParseFormat(lastFormat(calls))
	if has("autojpg") {
		target = imaging.JPEG
	}
	if target == imaging.JPEG && source != imaging.JPEG && !has("fill", "background_color") {
		t.differs("transparency", "transparent areas become black in imagor's JPEG, white here: add "+
			"background_color(black) to keep that")
	}
	if moves := source == imaging.GIF || source == imaging.WebP; moves && has("blur", "sharpen") {
		t.differs("animation", "imagor neither blurs nor sharpens animations, Safelight does")
	}
}

// lastFormat returns the argument of the last format(); empty if there is none.
func lastFormat(calls []imaging.Call) (name string) {
	for _, c := range calls {
		if c.Name == "format" {
			name = c.Text("format")
		}
	}
	return name
}

// judgeImage records what a remote image requires.
func (t *target) judgeImage(image, query string) {
	switch {
	case imaging.IsCanvas(image):
		return
	case imaging.IsRemote(image):
	case looksRemote(image):
		image = "https://" + image
	default:
		return
	}
	t.needsHost(image)
	if query != "" {
		t.differs("query", "the query of the URL is not a part of the remote image: percent-encode the image, or "+
			"write it as b64:")
	}
}

// looksRemote reports whether an image without a scheme begins with a host: a name with a dot that does not end in an
// image extension.
func looksRemote(image string) bool {
	first, _, more := strings.Cut(image, "/")
	u, err := url.Parse("https://" + first)
	if !more || err != nil {
		return false
	}
	host := u.Hostname()
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || u.Port() == "" &&
		strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") != "" {
		return false
	}
	top := strings.ToLower(host[dot+1:])
	_, extension := imaging.ParseFormat(top)
	return !extension && len(top) > 1 && strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") == ""
}

// judgeFilters compares filters, including those of layers. inside names the layer; it is empty for the picture itself.
func (t *target) judgeFilters(o imaging.Operations, inside string) {
	calls, warnings, _ := o.Filters.Calls(false) // refusal has already reported the error
	format := ""
	for _, f := range o.Filters.List() {
		text, explained := "", false
		if rule, known := filterRules[f.Name]; known || isApplied(f) {
			text, explained = rule.difference(t.from, f)
		}
		for _, w := range warnings {
			if w.Filter == f.Name && !explained {
				t.differs(inside+f.Name, "%s", w.Message)
			}
		}
		if text != "" {
			t.differs(inside+f.Name, "%s", text)
		}
		if f.Name == "format" {
			format = f.Args
		}
	}
	t.judgeQuality(o.Filters.List(), format, inside)
	for _, c := range calls {
		path, drawn := c.LayerPath()
		if !drawn || path == "" {
			continue
		}
		if layer, err := imaging.ParseLayer(path); err == nil {
			t.judgeImage(layer.Image, "")
			t.judgeFilters(layer.Operations, inside+c.Name+" > ")
		}
	}
}

// judgeQuality compares quality() for a format whose encoder has a different scale than JPEG's.
func (t *target) judgeQuality(filters []imaging.Filter, format, inside string) {
	f, ok := imaging.ParseFormat(format)
	at := slices.IndexFunc(filters, func(f imaging.Filter) bool { return f.Name == "quality" })
	if !ok || at < 0 {
		return
	}
	encoder, isNumber := number(filters[at].Args)
	if q := qualityFor(f, int(encoder)); isNumber && q != int(encoder) {
		t.differs(inside+"quality", "quality is on JPEG's scale for every format here: quality(%d) gives the %s "+
			"encoder what quality(%d) gave it", q, f, int(encoder))
	}
}
