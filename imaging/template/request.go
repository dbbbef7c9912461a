package template

import (
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Options says which part of a template to apply, and to which picture.
type Options struct {
	Image       string                  // used instead of the template's own picture; empty: the template's own
	Sizes       map[string]imaging.Size // upright sizes of the pictures that NeedsSizes returns
	ContextPath []string                // ids of layers, from the outermost: only the last one's picture is rendered
	Preview     bool                    // for an editor: adds preview() and format(webp), within PreviewMax
	PreviewMax  imaging.Size            // pixels; a side of 0 is unlimited
	SkipLayer   string                  // id of a layer that is omitted at any depth
	Append      imaging.Filters         // filters that are appended
	Variables   map[string]string       // values by name; the others have their defaults
}

// measured reports whether sizes of pictures matter.
func (o Options) measured() bool {
	return len(o.ContextPath) > 0 || o.Preview && (o.PreviewMax.Width > 0 || o.PreviewMax.Height > 0)
}

// NeedsSizes returns the pictures whose sizes Request needs in o.Sizes, without duplicates: the one to which the
// template is applied, and those whose size matters and is not in the template. If a size cannot be determined, a
// layer's preview is less exact, and a crop in pixels is not kept.
func (t *Template) NeedsSizes(o Options) []string {
	if filled, err := t.filled(o.Variables); err == nil { // otherwise Request reports the reason
		t = filled
	}
	var list []string
	add := func(image string) {
		if image != "" && !imaging.IsCanvas(image) && !slices.Contains(list, image) {
			list = append(list, image)
		}
	}
	add(o.Image)
	matters := func(t *Transformations) bool { return !t.Original.Known() && (o.measured() || t.CropRatio > 0) }
	if o.Image == "" && matters(&t.Transformations) {
		add(t.Image())
	}
	var layers func([]Layer)
	layers = func(all []Layer) {
		for i := range all {
			if matters(&all[i].Transforms) {
				add(all[i].Transforms.Image)
			}
			layers(all[i].Transforms.Layers)
		}
	}
	layers(t.Transformations.Layers)
	return list
}

// maxPath is the max length of a template's path in bytes. The URL also needs room for a signature of at most 88
// bytes.
const maxPath = imaging.MaxPathBytes - 128

// Request converts the template to the request of a URL. It returns fault.Invalid on contextPath for a missing layer,
// on variables for an unknown variable or one that cannot be filled in, on templateJson for a template that must be
// scaled and whose size is unknown, and for a path that is too long for a URL.
func (t *Template) Request(o Options) (imaging.Request, error) {
	t, err := t.filled(o.Variables)
	if err != nil {
		return imaging.Request{}, err
	}
	root, ok := t.applied(o).cropped()
	if !ok {
		return imaging.Request{}, sizeMissing(root.Image)
	}
	if root.Layers, err = croppedLayers(measuredLayers(root.Layers, o.Sizes)); err != nil {
		return imaging.Request{}, err
	}
	shown, parent, group, err := inContext(root, o.ContextPath)
	if err != nil {
		return imaging.Request{}, err
	}
	w := writer{skip: o.SkipLayer, preview: o.Preview, top: true}
	if o.Preview && shown.Cropping {
		shown = shown.uncropped()
	}
	scale, err := previewScale(shown, parent, o)
	if err != nil {
		return imaging.Request{}, err
	}
	l := w.picture(shown, parent, scale, group)
	l.Operations.Filters = l.Operations.Filters.Add(o.Append.List()...)
	r := imaging.Request{Operations: l.Operations, Image: shown.Image}
	if n := len(r.Path()); n > maxPath {
		return imaging.Request{}, fault.New(
			fault.Invalid, "the URL of the template has a path of %d bytes, expected at most %d", n, maxPath,
		)
	}
	return r, nil
}

// applied returns the transformations for the requested picture.
func (t *Template) applied(o Options) Transformations {
	out := t.Transformations
	out.Image = t.Image()
	if o.Image == "" {
		if !out.Original.Known() {
			out.Original = o.Sizes[out.Image]
		}
		return out
	}
	out.Image, out.Original = o.Image, o.Sizes[o.Image]
	if !out.Original.Known() || out.Original != t.Predefined {
		out.CropLeft, out.CropTop, out.CropWidth, out.CropHeight = 0, 0, 0, 0
	}
	if t.Mode == Adaptive && !imaging.IsCanvas(o.Image) {
		out.Width, out.Height = out.Original.Width, out.Original.Height
		if out.CropRatio > 0 && out.Original.Known() { // the part of the picture's own pixels that the crop keeps
			out.Width, out.Height = 0, 0
		}
	}
	return out
}

// measuredLayers returns the layers with the sizes of their pictures, if known.
func measuredLayers(list []Layer, sizes map[string]imaging.Size) []Layer {
	list = slices.Clone(list)
	for i := range list {
		t := &list[i].Transforms
		if !t.Original.Known() {
			t.Original = sizes[t.Image]
		}
		t.Layers = measuredLayers(t.Layers, sizes)
	}
	return list
}

// inContext walks down to the layer that path names. parent is the size of the parent's picture; the zero Size for the
// root.
func inContext(
	root Transformations,
	path []string,
) (shown Transformations, parent imaging.Size, group bool, err error) {
	shown = root
	shown.WidthSide, shown.HeightSide = imaging.Side{}, imaging.Side{} // the root has no parent
	for n, id := range path {
		i := slices.IndexFunc(shown.Layers, func(l Layer) bool { return l.ID == id })
		if i < 0 {
			return shown, parent, group, fault.OnField(
				fault.Invalid, "contextPath",
				"the template has no layer %s there, expected the ids of layers from the outermost",
				fault.Quote(strings.Join(path[:n+1], "/")),
			)
		}
		if parent = shown.outer(parent); !parent.Known() {
			return shown, parent, group, sizeMissing(shown.Image)
		}
		l := shown.Layers[i]
		shown, group = l.Transforms, l.Type == LayerGroup
		if l.Type == LayerText {
			l.Hidden = false
			shown = Transformations{
				Image:  imaging.CanvasPrefix + "none",
				Width:  parent.Width,
				Height: parent.Height,
				Layers: []Layer{l},
			}
		}
	}
	if len(path) > 0 {
		box := shown.box(parent)
		shown.Width, shown.Height = box.Width, box.Height
		shown.WidthSide, shown.HeightSide = imaging.Side{}, imaging.Side{}
	}
	return shown, parent, group, nil
}

func sizeMissing(image string) error {
	return fault.OnField(
		fault.Invalid, "templateJson", "the size of %s is not known, expected originalDimensions",
		fault.Quote(image),
	)
}

// uncropped returns the whole picture with its colour changes, on which an editor shows the crop.
func (t Transformations) uncropped() Transformations {
	return Transformations{
		Image: t.Image, Original: t.Original, HFlip: t.HFlip, VFlip: t.VFlip,
		Brightness: t.Brightness, Contrast: t.Contrast, Saturation: t.Saturation, Hue: t.Hue, Blur: t.Blur,
		Sharpen:   t.Sharpen,
		Grayscale: t.Grayscale, Fill: t.Fill, Quality: t.Quality,
	}
}

// previewScale returns the factor, at most 1, at which the result fits into PreviewMax.
func previewScale(t Transformations, parent imaging.Size, o Options) (float64, error) {
	if !o.Preview || o.PreviewMax.Width <= 0 && o.PreviewMax.Height <= 0 {
		return 1, nil
	}
	known := t.sizes(parent)
	result := known.outer
	if !result.Known() {
		return 0, sizeMissing(t.Image)
	}
	scale := 1.0
	for range 8 { // rounding can make it a pixel too large
		over := 1.0
		if most := o.PreviewMax.Width; most > 0 {
			over = min(over, float64(most)/float64(result.Width))
		}
		if most := o.PreviewMax.Height; most > 0 {
			over = min(over, float64(most)/float64(result.Height))
		}
		if over == 1 {
			break
		}
		scale *= over
		small, _ := t.scaled(scale, known, parent)
		result = small.outer(parent)
	}
	return scale, nil
}
