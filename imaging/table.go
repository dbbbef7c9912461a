package imaging

import (
	"math"
	"slices"
)

// Kind is the type of an argument.
type Kind string

// The kinds of arguments.
const (
	KindInt    Kind = "integer"
	KindNumber Kind = "number"
	KindColour Kind = "colour"
	KindWord   Kind = "word" // one of Words
	KindText   Kind = "text" // percent-encoded, or b64: and base64url
	KindPath   Kind = "path" // an operation path, not decoded
	KindX      Kind = "horizontal position"
	KindY      Kind = "vertical position"
	KindFocal  Kind = "region or point"
	KindCurve  Kind = "curve" // a channel and points, with commas between them
)

// Parameter is one argument of a filter. Min and Max are the limits of numbers. A Parameter that is not Optional must
// be given; Default is the text of an omitted one.
type Parameter struct {
	Name     string
	Kind     Kind
	Min, Max float64
	Words    []string // additional words that the kind accepts; all words for KindWord
	Default  string
	Optional bool
}

// FilterSpec is one row of the table of filters.
type FilterSpec struct {
	Name       string
	Aliases    []string
	Parameters []Parameter
	Effect     string // one English sentence without a final period; {name} represents an argument

	Step     StepKind // effect on the picture's shape; empty for a filter that does not change pixels
	Neutral  bool     // does not depend on colours: with only such filters, a picture may keep its own profile
	Tone     bool     // computes each pixel's color from that pixel alone: consecutive tone filters are one step
	Weight   string   // rate per pixel of the result, see imaging/cost; empty: costs nothing
	Meta     bool     // a metadata filter: applied by /meta, and always strict
	Analyzes bool     // /meta has to decode the picture for it
}

// StepKind is the effect of a filter on the shape of a picture.
type StepKind string

// The kinds of steps.
const (
	StepKeeps    StepKind = "keeps" // neither size nor transparency changes
	StepFlattens StepKind = "flattens"
	StepCrops    StepKind = "crops"
	StepTrims    StepKind = "trims"
	StepPads     StepKind = "pads"
	StepFills    StepKind = "fills"
	StepRotates  StepKind = "rotates"
	StepScales   StepKind = "scales"
	StepRounds   StepKind = "rounds"
	StepLayer    StepKind = "layer"
	StepText     StepKind = "text"
)

// FilterTable returns every filter that URLs may name, in the order of the documentation.
func FilterTable() []FilterSpec { return append([]FilterSpec(nil), filterTable...) }

func integer(name string, low, high float64) Parameter {
	return Parameter{Name: name, Kind: KindInt, Min: low, Max: high}
}

func number(name string, low, high float64) Parameter {
	return Parameter{Name: name, Kind: KindNumber, Min: low, Max: high}
}

func colour(name string) Parameter { return Parameter{Name: name, Kind: KindColour} }
func text(name string) Parameter   { return Parameter{Name: name, Kind: KindText} }

func word(name string, words ...string) Parameter {
	return Parameter{Name: name, Kind: KindWord, Words: words}
}

// also adds words that the parameter accepts besides the values of its kind.
func (p Parameter) also(words ...string) Parameter {
	p.Words = words
	return p
}

// or makes a parameter optional with a default, which may be empty.
func (p Parameter) or(value string) Parameter {
	p.Optional, p.Default = true, value
	return p
}

func args(list ...Parameter) []Parameter { return list }

var (
	angles = word("degrees", "0", "90", "180", "270")
	xy     = []Parameter{
		{Name: "x", Kind: KindX, Optional: true, Default: "0"},
		{Name: "y", Kind: KindY, Optional: true, Default: "0"},
	}
	alpha      = number("alpha", 0, 100).or("0")
	blendModes = word(
		"blend", "normal", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn",
		"hard-light", "soft-light", "difference", "exclusion", "add", "mask", "mask-out",
	).or("normal")
	huge = float64(math.MaxInt32)
	// Lengths are percent of the text's size, or of the picture's shorter side, so that they scale with it.
	aroundText    = aroundLayer("30", "5", "6", "8")
	aroundPicture = aroundLayer("5", "2", "2", "4")
)

// aroundLayer are the arguments of what is drawn around and below a layer.
func aroundLayer(padding, outline, shadowY, blur string) []Parameter {
	return []Parameter{
		colour("box").or("none"), number("padding", 0, 200).or(padding), number("radius", 0, 200).or("0"),
		colour("outline").or("none"), number("outline_width", 0, 50).or(outline),
		colour("shadow").or("none"), number("shadow_x", -100, 100).or("0"), number("shadow_y", -100, 100).or(shadowY),
		number("shadow_blur", 0, 100).or(blur),
	}
}

// AroundLayer returns the arguments that text, label and image accept for what is drawn around them, in order. The
// defaults are those of a text.
func AroundLayer() []Parameter { return slices.Clone(aroundText) }

// BlendModes returns the words that the argument `blend` of layers accepts.
func BlendModes() []string { return slices.Clone(blendModes.Words) }

var filterTable = []FilterSpec{
	{Name: "attachment", Parameters: args(text("name").or("")), Effect: "Send the result as a download"},
	{Name: "autojpg", Effect: "Encode as JPEG"},
	{Name: "background_color", Parameters: args(colour("color")), Effect: "Flatten transparency onto {color}",
		Step: StepFlattens, Weight: "light"},
	{
		Name:       "bitdepth",
		Parameters: args(word("bits", "1", "2", "4", "8")),
		Effect:     "Encode as a palette PNG with {bits} bits per pixel",
	},
	{
		Name:       "blur",
		Parameters: args(number("sigma", 0, 1000), number("sigma2", 0, 1000).or("")),
		Effect:     "Blur with a Gaussian of sigma {sigma}",
		Step:       StepKeeps,
		Neutral:    true,
		Weight:     "blur",
	},
	{
		Name:       "brightness",
		Parameters: args(number("amount", -100, 100)),
		Effect:     "Change the brightness by {amount} percent",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "light",
	},
	{Name: "compression", Parameters: args(integer("level", 0, 9)), Effect: "Compress PNG at zlib level {level}"},
	{Name: "contrast", Parameters: args(number("amount", -100, 100)), Effect: "Change the contrast by {amount} percent",
		Step: StepKeeps, Tone: true, Weight: "light"},
	{
		Name: "crop",
		Parameters: args(
			number("left", 0, huge), number("top", 0, huge), number("width", 0, huge),
			number("height", 0, huge),
		),
		Effect:  "Crop {width} x {height} from {left}, {top} after resizing",
		Step:    StepCrops,
		Neutral: true,
		Weight:  "light",
	},
	{
		Name:       "curve",
		Parameters: args(Parameter{Name: "points", Kind: KindCurve}),
		Effect:     "Bend the tones along a curve through {points}",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "tone",
	},
	{Name: "dpi", Parameters: args(number("n", 1, 2400)), Effect: "Render SVG and PDF at {n} dots per inch"},
	{
		Name:       "expire",
		Parameters: args(integer("ms", 0, 1<<53)),
		Effect:     "Reject the URL after Unix time {ms} (milliseconds)",
	},
	{
		Name:       "exposure",
		Parameters: args(number("stops", -5, 5)),
		Effect:     "Change the exposure by {stops} EV",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "tone",
	},
	{
		Name:       "fill",
		Aliases:    []string{"fill_color"},
		Parameters: args(Parameter{Name: "color", Kind: KindColour, Words: []string{"blur"}}.or("auto")),
		Effect:     "Fill the empty part of the box and transparent areas with {color}",
		Step:       StepFills,
		Weight:     "light",
	},
	{
		Name:       "fallback_format",
		Parameters: args(text("format")),
		Effect:     "Encode as {format} if the result is animated and the chosen format does not support animation",
	},
	{
		Name:       "focal",
		Parameters: args(Parameter{Name: "region", Kind: KindFocal}),
		Effect:     "Keep {region} of the source in view when cropping",
	},
	{Name: "format", Parameters: args(text("format")), Effect: "Encode as {format}"},
	{Name: "grayscale", Aliases: []string{"greyscale"}, Effect: "Convert to grayscale",
		Step: StepKeeps, Tone: true, Weight: "light"},
	{Name: "highlights", Parameters: args(number("amount", -100, 100)),
		Effect: "Change the highlights by {amount} percent",
		Step:   StepKeeps, Tone: true, Weight: "tone"},
	{Name: "hue", Parameters: args(number("degrees", -36000, 36000)), Effect: "Rotate the hue by {degrees} degrees",
		Step: StepKeeps, Tone: true, Weight: "heavy"},
	{
		Name: "image",
		Parameters: slices.Concat(
			args(Parameter{Name: "path", Kind: KindPath}), xy, args(alpha, blendModes), aroundPicture,
		),
		Effect: "Overlay the image {path} at {x}, {y}",
		Step:   StepLayer,
	},
	{Name: "invert", Effect: "Invert all colors",
		Step: StepKeeps, Tone: true, Weight: "light"},
	{
		Name:   "keep_metadata",
		Effect: "Keep EXIF, IPTC and XMP except position, serial numbers, thumbnails and maker notes",
	},
	{
		Name: "label",
		Parameters: slices.Concat(
			args(text("text")), xy,
			args(number("size", 1, 2000).or("20"), colour("color").or("black"), alpha, text("font").or("sans")),
			aroundText,
		),
		Effect: "Draw the line {text} at {x}, {y}",
		Step:   StepText,
	},
	{Name: "lossless", Effect: "Encode losslessly if the format supports it"},
	{
		Name:       "max_age",
		Parameters: args(integer("seconds", 0, huge)),
		Effect:     "Let clients and CDNs cache the response for {seconds} seconds",
	},
	{
		Name:       "max_bytes",
		Parameters: args(integer("n", 1, huge)),
		Effect:     "Lower the quality until the file is at most {n} bytes",
	},
	{Name: "max_frames", Parameters: args(integer("n", 1, huge)), Effect: "Keep at most {n} frames"},
	{
		Name: "modulate",
		Parameters: args(
			number("brightness", -100, 100), number("saturation", -100, 100), number("hue", -36000, 36000),
		),
		Effect: "Change the brightness by {brightness} percent, the saturation by {saturation} percent and the hue " +
			"by {hue} degrees",
		Step:   StepKeeps,
		Tone:   true,
		Weight: "heavy",
	},
	{Name: "no_upscale", Effect: "Do not upscale"},
	{Name: "upscale", Effect: "Upscale if the image is smaller than the box"},
	{
		Name:       "orient",
		Parameters: args(angles),
		Effect:     "Rotate counter-clockwise by {degrees} degrees before all other operations",
	},
	{
		Name: "padding",
		Parameters: args(
			colour("color"), integer("left", 0, huge), integer("top", 0, huge).or(""),
			integer("right", 0, huge).or(""), integer("bottom", 0, huge).or(""),
		),
		Effect: "Add a border of {color}: {left}, {top}, {right}, {bottom} pixels",
		Step:   StepPads,
		Weight: "light",
	},
	{Name: "page", Parameters: args(integer("n", 1, huge)), Effect: "Use page or frame {n}"},
	{
		Name:       "palette",
		Parameters: args(integer("n", 2, 16).or("")),
		Effect:     "Encode as a palette PNG; in /meta, return the most prominent colors",
		Analyzes:   true,
	},
	{
		Name:       "pixelate",
		Parameters: args(integer("block", 1, 10000).or("10")),
		Effect:     "Pixelate in blocks of {block} pixels",
		Step:       StepKeeps,
		Neutral:    true,
		Weight:     "heavy",
	},
	{Name: "preview", Effect: "Cache the decoded source for further edits"},
	{
		Name:       "proportion",
		Parameters: args(number("percent", 0, 100)),
		Effect:     "Scale the result down to {percent} percent",
		Step:       StepScales,
		Neutral:    true,
		Weight:     "resize",
	},
	{Name: "quality", Parameters: args(integer("n", 1, 100).also("auto")), Effect: "Encode with quality {n}"},
	{Name: "raw", Effect: "Return the source's bytes unchanged"},
	{
		Name:       "rgb",
		Parameters: args(number("r", -100, 100), number("g", -100, 100), number("b", -100, 100)),
		Effect:     "Add {r} percent to red, {g} percent to green and {b} percent to blue",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "light",
	},
	{Name: "rotate", Parameters: args(angles), Effect: "Rotate counter-clockwise by {degrees} degrees after resizing",
		Step: StepRotates, Neutral: true, Weight: "heavy"},
	{
		Name:       "round_corner",
		Parameters: args(number("rx", 0, huge), number("ry", 0, huge).or(""), colour("color").or("none")),
		Effect:     "Round the corners with radii of {rx} x {ry} pixels onto {color}",
		Step:       StepRounds,
		Weight:     "heavy",
	},
	{
		Name:       "saturation",
		Parameters: args(number("amount", -100, 100)),
		Effect:     "Change the saturation by {amount} percent",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "heavy",
	},
	{Name: "scaling", Parameters: args(word("of", scalings...)),
		Effect: "Scale the {of} values of the pixels: linear keeps fine bright details bright"},
	{Name: "shadows", Parameters: args(number("amount", -100, 100)), Effect: "Change the shadows by {amount} percent",
		Step: StepKeeps, Tone: true, Weight: "tone"},
	{Name: "sharpen", Parameters: args(number("sigma", 0, 100)), Effect: "Sharpen with sigma {sigma}",
		Step: StepKeeps, Weight: "heavy"},
	{
		Name:       "speed",
		Parameters: args(word("of", speeds...)),
		Effect:     "Encode at the speed {of}: best saves bytes and resizes in linear light, fast saves time",
	},
	{
		Name:       "straighten",
		Parameters: args(number("angle", -45, 45)),
		Effect: "Rotate counter-clockwise by {angle} degrees before cropping and resizing, and cut off the " +
			"blank corners",
	},
	{Name: "stretch", Effect: "Stretch to the exact size, ignoring the aspect ratio"},
	{Name: "strip_exif", Effect: "Remove EXIF data"},
	{Name: "strip_icc", Effect: "Convert to sRGB and remove the color profile"},
	{Name: "strip_metadata", Effect: "Remove all metadata"},
	{
		Name: "text",
		Parameters: slices.Concat(
			args(text("text")), xy,
			args(
				text("font").or("sans 20"),
				colour("color").or("black"),
				alpha,
				blendModes,
				text("width").or("0"),
				word("align", "low", "centre", "center", "high").or("low"),
				word("justify", "true", "false").or("false"),
				word("wrap", "word", "char", "wordchar", "none").or("word"),
				number("spacing", -1000, 1000).or("0"),
				number("dpi", 1, 2400).or("72"),
			),
			aroundText,
		),
		Effect: "Draw {text} at {x}, {y}",
		Step:   StepText,
	},
	{
		Name:       "to_colorspace",
		Parameters: args(word("space", "srgb", "p3", "cmyk")),
		Effect:     "Convert to the {space} color space",
	},
	{
		Name: "trim",
		Parameters: args(
			number("tolerance", 0, 442).or("0"),
			word("corner", "top-left", "bottom-right").or("top-left"),
		),
		Effect:  "Trim the border that matches the color of the {corner} corner, after resizing",
		Step:    StepTrims,
		Neutral: true,
		Weight:  "light",
	},
	{Name: "vibrance", Parameters: args(number("amount", -100, 100)), Effect: "Change the vibrance by {amount} percent",
		Step: StepKeeps, Tone: true, Weight: "tone"},
	{
		Name: "watermark",
		Parameters: append(
			append(args(Parameter{Name: "image", Kind: KindPath}), xy...), alpha, text("w_ratio").or("none"),
			text("h_ratio").or("none"),
		),
		Effect: "Overlay the watermark {image} at {x}, {y}",
		Step:   StepLayer,
	},
	{
		Name:       "white_balance",
		Parameters: args(number("kelvin", 2000, 12000), number("tint", -100, 100).or("0")),
		Effect:     "Take light of {kelvin} kelvin and tint {tint} for white",
		Step:       StepKeeps,
		Tone:       true,
		Weight:     "tone",
	},

	{
		Name:       "blurhash",
		Meta:       true,
		Analyzes:   true,
		Parameters: args(integer("x", 1, 9), integer("y", 1, 9)),
		Effect:     "Return a BlurHash of {x} x {y} components",
	},
	{Name: "thumbhash", Meta: true, Analyzes: true, Effect: "Return a ThumbHash"},
	{Name: "avgcolor", Meta: true, Analyzes: true, Effect: "Return the average color"},
	{Name: "dominant", Meta: true, Analyzes: true, Effect: "Return the dominant color"},
	{Name: "phash", Meta: true, Analyzes: true, Effect: "Return a perceptual hash"},
	{Name: "sha256", Meta: true, Effect: "Return the SHA-256 of the source's bytes"},
	{Name: "lqip", Meta: true, Analyzes: true, Effect: "Return a tiny placeholder image (LQIP)"},
	{Name: "iptc", Meta: true, Effect: "Return the IPTC data"},
	{Name: "xmp", Meta: true, Effect: "Return the XMP data"},
	{Name: "icc", Meta: true, Effect: "Return the description of the color profile"},
}

// drawsLayer reports whether the filter's first parameter is the operation path of a layer.
func (s *FilterSpec) drawsLayer() bool {
	return len(s.Parameters) > 0 && s.Parameters[0].Kind == KindPath
}

// IsTone reports whether the filter of a call is a tone filter; see FilterSpec.
func (c Call) IsTone() bool {
	s := specOf(c.Name)
	return s != nil && s.Tone
}

// specOf returns the row with the given name or alias; nil if there is none.
func specOf(name string) *FilterSpec {
	for i := range filterTable {
		f := &filterTable[i]
		if f.Name == name {
			return f
		}
		for _, a := range f.Aliases {
			if a == name {
				return f
			}
		}
	}
	return nil
}
