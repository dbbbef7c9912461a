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

// Template is an edit that can be applied to pictures: the envelope that is stored as NAME.template.json.
// Make one with Parse; it is not changed afterwards but for the fields of the envelope.
type Template struct {
	Version     string // "1.0" where the envelope names none
	Name        string
	Description string
	Mode        DimensionMode
	Predefined  imaging.Size // of the picture that the template was made on; zero when it is not told
	SourceImage string       // the picture that the template was made on; empty when it is not told
	Variables   []Variable   // what is filled in when it is applied

	Transformations Transformations

	fields   map[string]json.RawMessage // the envelope as it was read
	unknown  []string
	warnings []string
}

// DimensionMode is what width and height become when a template is applied to another picture.
type DimensionMode string

// The dimension modes.
const (
	Adaptive   DimensionMode = "adaptive"   // those of the other picture
	Predefined DimensionMode = "predefined" // those of the template
)

// Transformations is what a template does to one picture. Numbers are pixels of the result before a
// rotation, those of the crop pixels of the source.
type Transformations struct {
	Image    string       // empty: the envelope's, or the layer's
	Original imaging.Size // of Image, upright

	Width, Height         int // 0 is from the ratio; both 0 is the natural size
	WidthSide, HeightSide imaging.Side
	FitIn, Stretch, Smart bool
	HAlign                imaging.HAlign
	VAlign                imaging.VAlign
	HFlip, VFlip          bool
	Rotation              int // degrees counter-clockwise, as rotate(): 0, 90, 180, 270

	// A crop of a ratio, width / height, which applies to any picture: the largest one around the point CropX, CropY,
	// fractions of the picture, times CropScale. A CropRatio of 0 is none.
	CropRatio, CropX, CropY, CropScale float64
	// A crop of one picture, which applies to others of its size only. A zero width or height reaches to the edge.
	CropLeft, CropTop, CropWidth, CropHeight float64

	Brightness, Contrast, Saturation, Hue, Blur, Sharpen float64
	Grayscale                                            bool
	// All other filters, which follow those above. Previews do not scale them.
	Filters      []imaging.Filter
	CornerRadius float64
	// a colour as ParseColour reads it, or blur; empty for none
	Fill string

	PaddingLeft, PaddingTop, PaddingRight, PaddingBottom int

	Proportion          float64 // percent, or a fraction up to 1; 0 is the whole size
	Format              string
	Quality, MaxBytes   int // 0 for what the server decides
	StripICC, StripExif bool

	// Cropping says that the crop is being dragged in an editor: previews show the whole picture.
	Cropping bool

	Layers []Layer
}

// crops reports whether a crop is set.
func (t *Transformations) crops() bool {
	return t.CropLeft != 0 || t.CropTop != 0 || t.CropWidth != 0 || t.CropHeight != 0
}

// LayerType is what a layer of a template shows.
type LayerType string

// The types of layers. A group is a transparent canvas of its parent's size.
const (
	LayerImage LayerType = "image"
	LayerText  LayerType = "text"
	LayerColor LayerType = "color"
	LayerGroup LayerType = "group"
)

// Layer is one layer of a template; the first lies lowest.
type Layer struct {
	ID, Name string
	Type     LayerType
	Hidden   bool
	X, Y     layerPlace
	Alpha    float64 // 0 opaque .. 100 transparent
	Blend    string  // a blend mode; empty is normal
	// Around has the arguments of the filter for what is drawn around the layer, as they are written there; empty is
	// the default. They are percent of the text's size, or of the picture's shorter side, so that they follow it.
	Around [len(aroundFields)]string

	// Transforms is what the layer does to its own picture; its Image is never empty but for texts.
	Transforms Transformations
	Text       Text // of a text layer
}

// aroundFields are the fields of Around, in the order of imaging.AroundLayer.
var aroundFields = [...]string{
	"boxColor", "boxPadding", "boxRadius", "outlineColor", "outlineWidth", "shadowColor", "shadowX", "shadowY",
	"shadowBlur",
}

// Text is what a text layer writes.
type Text struct {
	Text  string
	Font  string // family; empty is sans
	Style string // `bold`, `italic`; empty for none
	Size  float64
	// The size in percent of the parent's shorter side, in place of Size; 0 for none.
	SizePercent float64
	Colour      string // empty is black
	Width       string // as the text filter takes it; empty does not wrap
	Align       string // low, centre or high; empty is low
	Justify     bool
	Wrap        string // word, char, wordchar or none; empty is word
	Spacing     float64
	DPI         float64 // 0 is 72
	textWidth   float64 // Width as pixels; 0 when it is written otherwise
}

// UnknownFields returns the JSON pointers of the fields that this version does not know, in their order.
// They are kept by JSON.
func (t *Template) UnknownFields() []string { return slices.Clone(t.unknown) }

// Warnings returns what is known and has no effect, one English sentence each.
func (t *Template) Warnings() []string { return slices.Clone(t.warnings) }

// Image returns the picture that the template is made for.
func (t *Template) Image() string {
	if t.Transformations.Image != "" {
		return t.Transformations.Image
	}
	return t.SourceImage
}

// Size returns the size of the result on the template's own picture; the zero Size when that is not known
// without looking at the picture.
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

// plainJSON encodes text and numbers without escaping what HTML would mind.
func plainJSON(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return []byte(strings.TrimSpace(b.String()))
}
