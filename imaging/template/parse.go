package template

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// MaxDepth is how deeply layers of a template may be nested.
const MaxDepth = 16

// Parse reads an envelope. Unknown fields are kept, and UnknownFields lists them. The error of a malformed template is
// fault.Invalid, whose message and field contain a JSON pointer to the problem.
func Parse(data []byte) (*Template, error) {
	r := &reader{}
	if !json.Valid(data) {
		var v any
		err := json.Unmarshal(data, &v)
		if r.failed("", "cannot be read: %s", jsonProblem(err)); r.err != nil {
			return nil, r.err
		}
	}
	o := r.object("", data)
	t := &Template{Version: "1.0", Mode: Adaptive, fields: o.fields}
	o.text("version", &t.Version)
	if major, _, _ := strings.Cut(t.Version, "."); major != "1" {
		r.failed(o.at("version"), "is %s, expected 1.0", fault.Quote(t.Version))
	}
	o.text("name", &t.Name)
	o.text("description", &t.Description)
	mode := string(t.Mode)
	o.word("dimensionMode", &mode, string(Adaptive), string(Predefined))
	t.Mode = DimensionMode(mode)
	o.size("predefinedDimensions", &t.Predefined)
	o.image("sourceImagePath", &t.SourceImage)
	o.readVariables("variables", &t.Variables)
	r.transformations(o, "transformations", &t.Transformations, 0)
	if o.fields["transformations"] == nil {
		r.failed(o.at("transformations"), "is missing, expected an object")
	}
	if t.Image() == "" {
		r.failed(o.at("transformations")+"/imagePath", "is missing, expected the path of a picture")
	}
	o.end()
	if r.err != nil {
		return nil, r.err
	}
	t.checkVariables(r)
	t.unknown, t.warnings = r.unknown, r.warnings
	return t, nil
}

// image reads the name of a picture.
func (o *object) image(name string, to *string) {
	o.text(name, to)
	if *to == "" || o.r.err != nil {
		return
	}
	if err := imaging.CheckImage(*to); err != nil {
		o.r.failed(o.at(name), "is no picture's path, expected one relative to the storage root")
		return
	}
	if imaging.IsCanvas(*to) {
		if _, err := imaging.ParseCanvas(*to); err != nil {
			o.r.failed(o.at(name), "names no color, expected color: and a CSS name or hexadecimal digits")
		}
	}
}

// transformations reads the object with the given name into t; depth is the number of enclosing layers.
func (r *reader) transformations(parent *object, name string, t *Transformations, depth int) {
	raw := parent.take(name)
	if raw == nil || r.err != nil {
		return
	}
	o := r.object(parent.at(name), raw)
	o.image("imagePath", &t.Image)
	o.size("originalDimensions", &t.Original)
	o.readSize(t)
	o.readColours(t)
	o.readOutput(t)
	o.flag("visualCropEnabled", &t.Cropping)
	o.readLayers("layers", &t.Layers, depth)
	if depth == 0 {
		o.clearSide("width", &t.WidthSide)
		o.clearSide("height", &t.HeightSide)
	}
	if t.padded() && t.Fill == "" {
		r.warn(o.pointer, "has padding that nothing paints, expected a fillColor")
	}
	o.end()
}

// clearSide removes a side of the root that depends on a parent, and adds a warning.
func (o *object) clearSide(name string, s *imaging.Side) {
	switch {
	case s.Percent > 0:
		o.r.warn(o.at(name), "has no effect in percent outside of a layer, expected pixels")
	case s.Full:
		o.r.warn(o.at(name+"Full"), "has no effect outside of a layer")
	}
	*s = imaging.Side{}
}

func (t *Transformations) padded() bool {
	return t.PaddingLeft+t.PaddingTop+t.PaddingRight+t.PaddingBottom > 0
}

// readSize reads the fields that determine size and shape.
func (o *object) readSize(t *Transformations) {
	o.side("width", &t.Width, &t.WidthSide)
	o.side("height", &t.Height, &t.HeightSide)
	o.flag("fitIn", &t.FitIn)
	o.flag("stretch", &t.Stretch)
	o.flag("smart", &t.Smart)
	h, v := "", ""
	o.word("hAlign", &h, "left", "center", "right")
	o.word("vAlign", &v, "top", "middle", "center", "bottom")
	if v == "center" {
		v = string(imaging.VAlignMiddle)
	}
	t.HAlign, t.VAlign = imaging.HAlign(h), imaging.VAlign(v)
	o.flag("hFlip", &t.HFlip)
	o.flag("vFlip", &t.VFlip)
	o.whole("rotation", &t.Rotation, 0, 360)
	if t.Rotation %= 360; t.Rotation%90 != 0 {
		o.r.failed(o.at("rotation"), "is %d, expected 0, 90, 180 or 270", t.Rotation)
	}
	o.readCrop(t)
	o.whole("paddingTop", &t.PaddingTop, 0, maxSide)
	o.whole("paddingRight", &t.PaddingRight, 0, maxSide)
	o.whole("paddingBottom", &t.PaddingBottom, 0, maxSide)
	o.whole("paddingLeft", &t.PaddingLeft, 0, maxSide)
	o.number("proportion", &t.Proportion, 0, 100)
}

// readCrop reads the crop: by ratio, or else in pixels.
func (o *object) readCrop(t *Transformations) {
	t.CropX, t.CropY, t.CropScale = 0.5, 0.5, 1
	o.number("cropRatio", &t.CropRatio, 0, maxCropRatio)
	const minCropRatio = 1.0 / maxCropRatio
	if t.CropRatio > 0 && t.CropRatio < minCropRatio {
		o.r.failed(
			o.at("cropRatio"), "is %g, expected a number from %g to %d", t.CropRatio, minCropRatio, maxCropRatio,
		)
	}
	o.number("cropFocalX", &t.CropX, 0, 1)
	o.number("cropFocalY", &t.CropY, 0, 1)
	o.number("cropScale", &t.CropScale, 0.001, 1)
	o.number("cropLeft", &t.CropLeft, 0, maxSide)
	o.number("cropTop", &t.CropTop, 0, maxSide)
	o.number("cropWidth", &t.CropWidth, 0, maxSide)
	o.number("cropHeight", &t.CropHeight, 0, maxSide)
	if t.CropRatio > 0 && t.crops() {
		o.r.warn(o.at("cropLeft"), "has no effect beside cropRatio")
	}
}

// side reads a side: pixels, `30p` for percent of the parent's, or a flag that it equals the parent's, with the number
// of pixels by which it is shorter.
func (o *object) side(name string, pixels *int, to *imaging.Side) {
	o.pixelsOrPercent(name, pixels, to)
	o.flag(name+"Full", &to.Full)
	if to.Full {
		to.Percent = 0
	}
	less := 0
	o.whole(name+"FullOffset", &less, -maxSide, maxSide)
	if to.Full {
		to.Less = less
	}
}

// pixelsOrPercent reads a number of pixels, or text such as `30p`.
func (o *object) pixelsOrPercent(name string, pixels *int, to *imaging.Side) {
	raw := o.take(name)
	if jsonKind(raw) != "text" {
		o.whole(name, pixels, 0, maxSide)
		return
	}
	var s string
	o.text(name, &s)
	percent, ok := parsePercent(s, imaging.MaxPercent)
	if !ok && s != "" {
		o.r.failed(o.at(name), "is %s, expected pixels or a percentage such as 30p", fault.Quote(s))
	}
	to.Percent = percent
}

// parsePercent reads `30p`: greater than 0 and at most most.
func parsePercent(s string, most float64) (float64, bool) {
	number, ok := strings.CutSuffix(strings.TrimSpace(s), "p")
	if !ok {
		return 0, false
	}
	n, ok := imaging.ParseNumber(number)
	if !ok || n <= 0 || n > most {
		return 0, false
	}
	return n, true
}

// readColours reads the fields that change pixels.
func (o *object) readColours(t *Transformations) {
	o.number("brightness", &t.Brightness, -100, 100)
	o.number("contrast", &t.Contrast, -100, 100)
	o.number("saturation", &t.Saturation, -100, 100)
	o.number("hue", &t.Hue, -36000, 36000)
	o.number("blur", &t.Blur, 0, 1000)
	o.number("sharpen", &t.Sharpen, 0, 100)
	o.flag("grayscale", &t.Grayscale)
	o.filters("filters", &t.Filters)
	o.number("roundCornerRadius", &t.CornerRadius, 0, maxSide)
	o.colour("fillColor", &t.Fill, "blur")
}

// filters reads a list of filters in the syntax of image URLs. Each must be valid in a URL.
func (o *object) filters(name string, to *[]imaging.Filter) {
	o.list(name, "filters", func(in *object) {
		var f imaging.Filter
		in.text("name", &f.Name)
		in.text("args", &f.Args)
		if o.r.err != nil {
			return
		}
		text := imaging.FiltersOf(f)
		if parsed, ok := imaging.ParseFilters(string(text)); !ok || parsed != text || len(parsed.List()) != 1 {
			o.r.failed(in.pointer, "is not one filter, expected a name and arguments with matching parentheses")
			return
		}
		if _, _, err := text.Calls(true); err != nil {
			o.r.failed(in.pointer, "cannot be used: %s", fault.Of(err).Message)
			return
		}
		*to = append(*to, f)
	})
}

// colour reads a colour, or one of the words, without a leading #.
func (o *object) colour(name string, to *string, words ...string) {
	var v string
	if o.text(name, &v); v == "" || o.r.err != nil {
		return
	}
	v = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(v)), "#")
	if _, err := imaging.ParseColour(v); err != nil && !slices.Contains(words, v) {
		o.r.failed(o.at(name), "is %s, expected a CSS color name, RGB, RRGGBB, RRGGBBAA, none or auto", fault.Quote(v))
		return
	}
	*to = v
}

// readOutput reads the fields that say how the file is written.
func (o *object) readOutput(t *Transformations) {
	o.text("format", &t.Format)
	t.Format = strings.ToLower(t.Format)
	if _, known := imaging.ParseFormat(t.Format); !known && t.Format != "" && t.Format != imaging.FormatAuto &&
		t.Format != imaging.FormatBest {
		o.r.failed(o.at("format"), "is %s, expected the name of a picture format", fault.Quote(t.Format))
	}
	o.whole("quality", &t.Quality, 0, 100)
	o.whole("maxBytes", &t.MaxBytes, 0, 1<<31-1)
	o.flag("stripIcc", &t.StripICC)
	o.flag("stripExif", &t.StripExif)
}
