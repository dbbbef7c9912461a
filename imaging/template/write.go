package template

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// writer converts transformations to operations.
type writer struct {
	skip    string
	preview bool
	top     bool // the next picture is the result itself and not a layer
}

// filterList collects filters.
type filterList []imaging.Filter

func (f *filterList) add(name string, args ...string) {
	*f = append(*f, imaging.Filter{Name: name, Args: strings.Join(args, ",")})
}

// number adds a filter with one number unless that is 0.
func (f *filterList) number(name string, v float64) {
	if v != 0 {
		f.add(name, imaging.FormatDecimal(v))
	}
}

// flag adds a filter without arguments.
func (f *filterList) flag(name string, on bool) {
	if on {
		f.add(name)
	}
}

// picture returns a picture at the given scale. parent is the parent's size at scale 1. The layers of a group are
// drawn before its colours and shape change; the layers of a picture are drawn on top.
func (w *writer) picture(t Transformations, parent imaging.Size, scale float64, group bool) imaging.Layer {
	top := w.top
	w.top = false
	sizes := t.sizes(parent)
	small, ok := t.scaled(scale, sizes, parent)
	rest := 1.0 // part of the scale that remains for the end
	if !ok {
		rest, scale = scale, 1
	}
	var f filterList
	if group {
		// The layers of a group are positioned on its canvas before padding and rotation.
		w.layers(&f, t.Layers, sizes.inner, scale)
	}
	small.colours(&f)
	small.shape(&f)
	if !group {
		w.layers(&f, t.Layers, sizes.outer, scale)
	}
	if share := t.share() * rest; share < 1 {
		f.number("proportion", proportion(share))
	}
	if top {
		w.output(&f, t)
	}
	o := small.operations()
	o.Filters = imaging.FiltersOf(f...)
	return imaging.Layer{Operations: o, Image: t.Image, Width: small.WidthSide, Height: small.HeightSide}.AsArgument()
}

// proportion writes a fraction in percent, in a form that cannot be read as a fraction.
func proportion(share float64) float64 {
	if percent := math.Round(share*1e4) / 100; percent > 1 {
		return percent
	}
	return math.Round(share*1e6) / 1e6
}

// operations returns the operations before the filters.
func (t *Transformations) operations() imaging.Operations {
	o := imaging.Operations{
		Fit: imaging.Fit{In: t.FitIn}, Stretch: t.Stretch, Smart: t.Smart, HAlign: t.HAlign, VAlign: t.VAlign,
		HFlip: t.HFlip, VFlip: t.VFlip,
	}
	if !t.WidthSide.Follows() {
		o.Width = t.Width
	}
	if !t.HeightSide.Follows() {
		o.Height = t.Height
	}
	if t.Fill != "" {
		o.PaddingLeft, o.PaddingTop, o.PaddingRight, o.PaddingBottom = t.PaddingLeft, t.PaddingTop, t.PaddingRight,
			t.PaddingBottom
	}
	if !t.crops() {
		return o
	}
	o.CropLeft, o.CropTop = math.Round(t.CropLeft), math.Round(t.CropTop)
	if t.CropWidth > 0 {
		o.CropRight = max(math.Round(t.CropLeft+t.CropWidth), o.CropLeft+1)
	}
	if t.CropHeight > 0 {
		o.CropBottom = max(math.Round(t.CropTop+t.CropHeight), o.CropTop+1)
	}
	if o.CropLeft == 0 && o.CropTop == 0 && o.CropRight <= 1 && o.CropBottom <= 1 {
		// A right edge of 1 pixel would be read as the whole side; this value is rounded to 1 pixel.
		if o.CropRight == 1 {
			o.CropRight = 1.01
		} else if o.CropBottom == 1 {
			o.CropBottom = 1.01
		}
	}
	return o
}

// colours adds the filters that change colours, and blur.
func (t *Transformations) colours(f *filterList) {
	f.number("brightness", t.Brightness)
	f.number("contrast", t.Contrast)
	f.number("saturation", t.Saturation)
	f.number("hue", t.Hue)
	f.flag("grayscale", t.Grayscale)
	f.number("blur", t.Blur)
	f.number("sharpen", t.Sharpen)
	*f = append(*f, t.Filters...)
}

// shape adds the filters that change the outline.
func (t *Transformations) shape(f *filterList) {
	f.number("round_corner", t.CornerRadius)
	if t.Fill != "" {
		f.add("fill", t.Fill)
	}
	if t.Rotation != 0 {
		f.add("rotate", strconv.Itoa(t.Rotation))
	}
}

// output adds the filters that say how the result is written.
func (w *writer) output(f *filterList, t Transformations) {
	if w.preview {
		f.add("preview")
		f.add("format", string(imaging.WebP))
	} else if t.Format != "" {
		f.add("format", t.Format)
	}
	f.number("quality", float64(t.Quality))
	if !w.preview {
		f.number("max_bytes", float64(t.MaxBytes))
	}
	f.flag("strip_icc", t.StripICC)
	f.flag("strip_exif", t.StripExif)
}

// layers adds the layers that are visible. parent is the parent's size at scale 1.
func (w *writer) layers(f *filterList, list []Layer, parent imaging.Size, scale float64) {
	for i := range list {
		l := &list[i]
		switch {
		case l.Hidden, w.skip != "" && l.ID == w.skip:
		case l.Type == LayerText:
			l.text(f, scale)
		default:
			path := w.picture(l.Transforms, parent, scale, l.Type == LayerGroup).Path()
			f.add("image", l.placed(scale, path)...)
		}
	}
}

// placed returns a layer's arguments: what it shows, where, and how it is blended with its parent unless that is the
// default.
func (l *Layer) placed(scale float64, what string) []string {
	args := []string{what, l.X.text(scale), l.Y.text(scale), imaging.FormatDecimal(l.Alpha), cmp.Or(l.Blend, "normal")}
	return l.withAround(args, []string{"", "", "", "0", "normal"})
}

// withAround appends what is drawn around the layer to the arguments of its filter, whose defaults are given. It omits
// trailing defaults.
func (l *Layer) withAround(args, defaults []string) []string {
	args = append(args, l.Around[:]...)
	defaults = append(defaults, make([]string, len(l.Around))...)
	for n := len(args); n > 3 && args[n-1] == defaults[n-1]; n-- {
		args = args[:n-1]
	}
	return args
}

// text adds a text layer; it adds nothing for a blank text.
func (l *Layer) text(f *filterList, scale float64) {
	t := &l.Text
	if strings.TrimSpace(t.Text) == "" {
		return
	}
	width := cmp.Or(t.Width, "0")
	if t.textWidth > 0 {
		width = strconv.Itoa(max(int(math.Round(t.textWidth*scale)), 1))
	} else if less, ok := strings.CutPrefix(strings.Replace(t.Width, "full", "f", 1), "f-"); ok {
		if n, ok := imaging.ParseNumber(less); ok {
			width = "f-" + strconv.Itoa(int(math.Round(n*scale)))
		}
	}
	size := imaging.FormatDecimal(max(cents(t.Size*scale), 0.1))
	if t.SizePercent > 0 { // scales by itself
		size = imaging.FormatDecimal(t.SizePercent) + "p"
	}
	font := strings.Fields(cmp.Or(t.Font, "sans") + " " + t.Style + " " + size)
	args := []string{
		argument(t.Text),
		l.X.text(scale),
		l.Y.text(scale),
		argument(strings.Join(font, "-")),
		cmp.Or(t.Colour, "black"),
		imaging.FormatDecimal(l.Alpha),
		cmp.Or(l.Blend, "normal"),
		width,
		cmp.Or(t.Align, "low"),
		strconv.FormatBool(t.Justify),
		cmp.Or(t.Wrap, "word"),
		imaging.FormatDecimal(math.Round(t.Spacing * scale)),
		imaging.FormatDecimal(t.DPI),
	}
	if t.DPI == 0 {
		args[12] = "72"
	}
	defaults := []string{"", "", "", "sans-20", "black", "0", "normal", "0", "low", "false", "word", "0", "72"}
	f.add("text", l.withAround(args, defaults)...)
}

// unquoted are the characters that need no encoding in a filter argument.
const unquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// argument writes text as an argument of a filter.
func argument(s string) string {
	if strings.Trim(s, unquoted) == "" {
		return s
	}
	return imaging.EncodeText(s)
}
