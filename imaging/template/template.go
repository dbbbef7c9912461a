// Package template reads templates of edits, JSON documents, and turns them into the operations of a URL for a picture.
// Pure Go, no I/O.
package template

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// Template is an edit that can be applied to pictures: the envelope that is stored as NAME.template.json. Create it
// with Parse. Only the fields of the envelope may change afterwards.
type Template struct {
	Version     string // "1.0" if the envelope has none
	Name        string
	Description string
	Mode        DimensionMode
	Predefined  imaging.Size // size of the picture for which the template was made; zero: unknown
	SourceImage string       // picture for which the template was made; empty: unknown
	Variables   []Variable   // values that are filled in when the template is applied

	Transformations Transformations

	fields   map[string]json.RawMessage // the envelope as it was read
	unknown  []string
	warnings []string
}

// DimensionMode says how width and height are determined when a template is applied to another picture.
type DimensionMode string

// The dimension modes.
const (
	Adaptive   DimensionMode = "adaptive"   // those of the other picture
	Predefined DimensionMode = "predefined" // those of the template
)

// Transformations is what a template does to one picture. Numbers are pixels of the result before a rotation, those of
// the crop are pixels of the source.
type Transformations struct {
	Image    string       // empty: that of the envelope or the layer
	Original imaging.Size // of Image, upright

	Width, Height         int // 0: follows from the ratio; both 0: the natural size
	WidthSide, HeightSide imaging.Side
	FitIn, Stretch, Smart bool
	HAlign                imaging.HAlign
	VAlign                imaging.VAlign
	HFlip, VFlip          bool
	Rotation              int // degrees counter-clockwise, as in rotate(): 0, 90, 180, 270

	// A crop of a ratio, width / height, which applies to any picture: the largest one around the point CropX, CropY,
	// fractions of the picture, times CropScale. A CropRatio of 0 means no such crop.
	CropRatio, CropX, CropY, CropScale float64
	// A crop in pixels, which applies only to pictures of the same size. A zero width or height extends to the edge.
	CropLeft, CropTop, CropWidth, CropHeight float64

	Brightness, Contrast, Saturation, Hue, Blur, Sharpen float64
	Grayscale                                            bool
	// All other filters, which are applied after those above. Previews do not scale them.
	Filters      []imaging.Filter
	CornerRadius float64
	// Fill is a colour as ParseColour reads it, or blur; empty: none.
	Fill string

	PaddingLeft, PaddingTop, PaddingRight, PaddingBottom int

	Proportion          float64 // percent, or a fraction up to 1; 0: the whole size
	Format              string
	Quality, MaxBytes   int // 0: the server decides
	StripICC, StripExif bool

	// Cropping says that the crop is being dragged in an editor: previews show the whole picture.
	Cropping bool

	Layers []Layer
}

// crops reports whether a crop is set.
func (t *Transformations) crops() bool {
	return t.CropLeft != 0 || t.CropTop != 0 || t.CropWidth != 0 || t.CropHeight != 0
}

// LayerType is the type of content of a template's layer.
type LayerType string

// The types of layers. A group is a transparent canvas of its parent's size.
const (
	LayerImage LayerType = "image"
	LayerText  LayerType = "text"
	LayerColor LayerType = "color"
	LayerGroup LayerType = "group"
)

// Layer is one layer of a template; the first is at the bottom.
type Layer struct {
	ID, Name string
	Type     LayerType
	Hidden   bool
	X, Y     layerPlace
	Alpha    float64 // 0 opaque .. 100 transparent
	Blend    string  // blend mode; empty: normal
	// Around has the filter arguments of what is drawn around the layer, in the syntax of the filter; empty: the
	// default. They are percent of the text's size, or of the picture's shorter side, so that they scale with it.
	Around [len(aroundFields)]string

	// Transforms is what the layer does to its own picture; its Image is empty only for texts.
	Transforms Transformations
	Text       Text // of a text layer
}

// aroundFields are the fields of Around, in the order of imaging.AroundLayer.
var aroundFields = [...]string{
	"boxColor", "boxPadding", "boxRadius", "outlineColor", "outlineWidth", "shadowColor", "shadowX", "shadowY",
	"shadowBlur",
}

// Text is the content of a text layer.
type Text struct {
	Text  string
	Font  string // font family; empty: sans
	Style string // `bold`, `italic`; empty: none
	Size  float64
	// SizePercent is the size in percent of the parent's shorter side, instead of Size; 0: none.
	SizePercent float64
	Colour      string // empty is black
	Width       string // in the syntax of the text filter; empty: does not wrap
	Align       string // low, centre or high; empty: low
	Justify     bool
	Wrap        string // word, char, wordchar or none; empty: word
	Spacing     float64
	DPI         float64 // 0 is 72
	textWidth   float64 // Width in pixels; 0 if it has another form
}

// UnknownFields returns the JSON pointers of the fields that this version does not know, in their order. JSON keeps
// them.
func (t *Template) UnknownFields() []string { return slices.Clone(t.unknown) }

// Warnings returns one English sentence for each known field that has no effect.
func (t *Template) Warnings() []string { return slices.Clone(t.warnings) }

// Image returns the picture for which the template is made.
func (t *Template) Image() string {
	if t.Transformations.Image != "" {
		return t.Transformations.Image
	}
	return t.SourceImage
}

// Size returns the size of the result on the template's own picture; the zero Size if that depends on the picture.
func (t *Template) Size() imaging.Size {
	cropped, ok := t.Transformations.cropped()
	if !ok {
		return imaging.Size{}
	}
	return cropped.outer(imaging.Size{})
}

// envelopeOrder is the order in which JSON writes the fields; unknown ones follow by name.
var envelopeOrder = []string{
	"version",
	"name",
	"description",
	"dimensionMode",
	"predefinedDimensions",
	"sourceImagePath",
	"variables",
	"transformations",
}

// JSON returns the envelope, indented, with the unknown fields that it was read with, at every depth.
func (t *Template) JSON() []byte {
	fields := maps.Clone(t.fields)
	set := func(name string, v any, keep bool) {
		if !keep {
			delete(fields, name)
			return
		}
		fields[name] = plainJSON(v)
	}
	set("version", t.Version, true)
	set("name", t.Name, t.Name != "")
	set("description", t.Description, t.Description != "")
	set("dimensionMode", t.Mode, true)
	if t.Predefined.Known() {
		if _, written := fields["predefinedDimensions"]; !written {
			set(
				"predefinedDimensions",
				map[string]int{"width": t.Predefined.Width, "height": t.Predefined.Height}, true,
			)
		}
	}
	set("sourceImagePath", t.SourceImage, t.SourceImage != "")
	names := slices.DeleteFunc(
		slices.Sorted(maps.Keys(fields)),
		func(n string) bool { return slices.Contains(envelopeOrder, n) },
	)
	var b bytes.Buffer
	b.WriteByte('{')
	for _, name := range append(slices.Clone(envelopeOrder), names...) {
		v, ok := fields[name]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(plainJSON(name))
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return b.Bytes()
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// plainJSON encodes text and numbers without HTML escapes.
func plainJSON(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return []byte(strings.TrimSpace(b.String()))
}
