package preset

import (
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Parsed is a URL that was parsed: the corresponding ordinary request, and its presets.
type Parsed struct {
	imaging.Request
	Own    imaging.Operations // operations of the URL besides its presets; its layers may have presets
	Called imaging.Operations // operations of the presets, without the layers' presets
	Uses   []Use              // in their order

	Template string // mark of the template that made the URL; empty: none
}

// Parse reads the path of an image URL as imaging.Parse does, with presets replaced by their operations. The URL's own
// operations replace those of presets, and later presets those of earlier ones; the filters of all of them are applied
// in sequence. Layers may have presets too. Errors are those of imaging.Parse and Expand, and fault.TooLarge for more
// than MaxCalls.
func (s *Set) Parse(path string) (Parsed, error) {
	var uses []Use
	var made Parsed
	p, err := parse(path, func(text string) (imaging.Operations, error) {
		if name, isMark, err := mark(text); isMark {
			if err == nil {
				err = made.addMark(name)
			}
			return imaging.Operations{}, err
		}
		if len(uses) == MaxCalls {
			return imaging.Operations{}, fault.OnField(
				fault.TooLarge, "preset", "the URL has more than %d presets", MaxCalls,
			)
		}
		u, o, err := s.Expand(text)
		uses = append(uses, u)
		return o, err
	})
	p.Uses, p.Template = uses, made.Template
	return p, err
}

// Written reads a URL as Parse does, but omits the operations of its presets, including those in layers. The request
// has only the image and the operations that are written in the URL itself. Errors are those of Parse.
func (s *Set) Written(path string) (imaging.Request, error) {
	p, err := parse(path, func(text string) (imaging.Operations, error) {
		_, isMark, err := mark(text)
		if !isMark {
			_, _, err = s.Expand(text)
		}
		return imaging.Operations{}, err
	})
	return p.Request, err
}

type expander func(text string) (imaging.Operations, error)

func parse(path string, expand expander) (p Parsed, err error) {
	var called imaging.Operations
	p.Request, err = imaging.ParseWith(path, collect(&called, expand))
	if err != nil {
		return Parsed{}, err
	}
	p.Own, p.Called = p.Operations, called
	own, err := expandLayers(p.Own, expand, 1)
	if err != nil {
		return Parsed{}, err
	}
	if p.Operations, err = over(called, own); err != nil {
		return Parsed{}, err
	}
	return p, nil
}

// collect returns a function that adds each preset to into.
func collect(into *imaging.Operations, expand expander) func(text string) error {
	return func(text string) error {
		o, err := expand(text)
		if err == nil {
			*into, err = over(*into, o)
		}
		return err
	}
}

// over returns base with its operations overridden by those of o, and with the filters of both.
func over(base, o imaging.Operations) (imaging.Operations, error) {
	if o.Trim {
		base.Trim, base.TrimBy, base.TrimTolerance = true, o.TrimBy, o.TrimTolerance
	}
	if o.CropLeft != 0 || o.CropTop != 0 || o.CropRight != 0 || o.CropBottom != 0 {
		base.CropLeft, base.CropTop, base.CropRight, base.CropBottom = o.CropLeft, o.CropTop, o.CropRight, o.CropBottom
	}
	if o.Fit.In || o.Stretch { // a fit takes precedence over stretching, so remove the fit of base
		base.Fit = o.Fit
	}
	sized := o.Width != 0 || o.Height != 0 || o.WidthOriginal || o.HeightOriginal
	if sized {
		base.Width, base.Height, base.WidthOriginal, base.HeightOriginal = o.Width, o.Height, o.WidthOriginal,
			o.HeightOriginal
	}
	if sized || o.HFlip || o.VFlip {
		base.HFlip, base.VFlip = o.HFlip, o.VFlip
	}
	if o.PaddingLeft != 0 || o.PaddingTop != 0 || o.PaddingRight != 0 || o.PaddingBottom != 0 {
		base.PaddingLeft, base.PaddingTop, base.PaddingRight, base.PaddingBottom = o.PaddingLeft, o.PaddingTop,
			o.PaddingRight, o.PaddingBottom
	}
	if o.HAlign != "" {
		base.HAlign = o.HAlign
	}
	if o.VAlign != "" {
		base.VAlign = o.VAlign
	}
	base.Stretch, base.Smart = base.Stretch || o.Stretch, base.Smart || o.Smart
	filters := append(base.Filters.List(), o.Filters.List()...)
	if n := len(filters); n > imaging.MaxFilters {
		return base, fault.OnField(
			fault.Invalid, "filters",
			"%d filters together with those of presets, expected at most %d on one level", n,
			imaging.MaxFilters,
		)
	}
	base.Filters = imaging.FiltersOf(filters...)
	return base, nil
}

// expandLayers returns operations with the presets of their layers replaced.
func expandLayers(o imaging.Operations, expand expander, depth int) (imaging.Operations, error) {
	if !strings.Contains(string(o.Filters), "preset(") {
		return o, nil
	}
	return o.ReplaceLayers(func(path string) (string, error) { return expandLayer(path, expand, depth) })
}

// expandLayer returns the path of a layer without presets.
func expandLayer(path string, expand expander, depth int) (string, error) {
	if depth > imaging.MaxNesting {
		return "", imaging.TooNested()
	}
	var presets imaging.Operations
	calls, add := 0, collect(&presets, expand)
	l, err := imaging.ParseLayerWith(path, func(text string) error {
		calls++
		return add(text)
	})
	if err != nil && calls == 0 {
		return path, nil // imaging.Layers returns the error
	}
	if err != nil {
		return "", err
	}
	own, err := expandLayers(l.Operations, expand, depth+1)
	if err != nil || calls == 0 && own == l.Operations {
		return path, err
	}
	if l.Operations, err = over(presets, own); err != nil {
		return "", err
	}
	if l.Width.Follows() || l.Height.Follows() { // the size is the layer's own
		l.Operations.Width, l.Operations.Height, l.Operations.HFlip, l.Operations.VFlip = own.Width, own.Height,
			own.HFlip, own.VFlip
	}
	return l.Argument(), nil
}
