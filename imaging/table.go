package imaging

import "math"

// Kind is what an argument is.
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
)

// Parameter is one argument of a filter. Min and Max bound numbers. A Parameter that is not
// Optional must be written; Default is the text that stands for one that is not.
type Parameter struct {
	Name     string
	Kind     Kind
	Min, Max float64
	Words    []string // that the kind takes besides its own; all of them for KindWord
	Default  string
	Optional bool
}

// FilterSpec is one row of the table of filters.
type FilterSpec struct {
	Name       string
	Aliases    []string
	Parameters []Parameter
	Meta       bool   // a metadata filter: obeyed by /meta, always strict
	Effect     string // one English sentence without a final dot; {name} stands for an argument
}

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

// also adds words that the kind takes besides its own.
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
	angles     = word("degrees", "0", "90", "180", "270")
	xy         = []Parameter{{Name: "x", Kind: KindX, Optional: true, Default: "0"}, {Name: "y", Kind: KindY, Optional: true, Default: "0"}}
	alpha      = number("alpha", 0, 100).or("0")
	blendModes = word("blend", "normal", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn",
		"hard-light", "soft-light", "difference", "exclusion", "add", "mask", "mask-out").or("normal")
	huge = float64(math.MaxInt32)
)

var filterTable = []FilterSpec{
	{Name: "attachment", Parameters: args(text("name").or("")), Effect: "Offer the result as a download"},
	{Name: "autojpg", Effect: "Write a JPEG"},
	{Name: "background_color", Parameters: args(colour("colour")), Effect: "Lay transparency over {colour}"},
	{Name: "bitdepth", Parameters: args(word("bits", "1", "2", "4", "8")), Effect: "Write a palette PNG of {bits} bits a pixel"},
	{Name: "blur", Parameters: args(number("sigma", 0, 1000), number("sigma2", 0, 1000).or("")), Effect: "Blur with a Gaussian of sigma {sigma}"},
	{Name: "brightness", Parameters: args(number("amount", -100, 100)), Effect: "Change the brightness by {amount} percent"},
	{Name: "compression", Parameters: args(integer("level", 0, 9)), Effect: "Write PNG with zlib level {level}"},
	{Name: "contrast", Parameters: args(number("amount", -100, 100)), Effect: "Change the contrast by {amount} percent"},
	{Name: "crop", Parameters: args(number("left", 0, huge), number("top", 0, huge), number("width", 0, huge), number("height", 0, huge)), Effect: "Keep {width} x {height} from {left}, {top} after resizing"},
	{Name: "dpi", Parameters: args(number("n", 1, 2400)), Effect: "Draw SVG and PDF at {n} dots per inch"},
	{Name: "expire", Parameters: args(integer("ms", 0, 1<<53)), Effect: "Refuse the URL after {ms} ms since 1970"},
	{Name: "fill", Aliases: []string{"fill_color"}, Parameters: args(Parameter{Name: "colour", Kind: KindColour, Words: []string{"blur"}}.or("auto")), Effect: "Fill what is missing and transparent with {colour}"},
	{Name: "fallback_format", Parameters: args(text("format")), Effect: "Write {format} when the result is animated and the chosen format cannot be"},
	{Name: "focal", Parameters: args(Parameter{Name: "region", Kind: KindFocal}), Effect: "Keep {region} of the source when cropping"},
	{Name: "format", Parameters: args(text("format")), Effect: "Write {format}"},
	{Name: "grayscale", Aliases: []string{"greyscale"}, Effect: "Take the colour away"},
	{Name: "hue", Parameters: args(number("degrees", -36000, 36000)), Effect: "Turn the hue by {degrees} degrees"},
	{Name: "image", Parameters: append(append(args(Parameter{Name: "path", Kind: KindPath}), xy...), alpha, blendModes), Effect: "Lay the picture {path} over it at {x}, {y}"},
	{Name: "invert", Effect: "Turn every colour into its opposite"},
	{Name: "label", Parameters: append(append(args(text("text")), xy...), number("size", 1, 2000).or("20"), colour("colour").or("black"), alpha, text("font").or("sans")), Effect: "Write the line {text} at {x}, {y}"},
	{Name: "lossless", Effect: "Encode without loss where the format can"},
	{Name: "max_age", Parameters: args(integer("seconds", 0, huge)), Effect: "Let caches keep the response for {seconds} seconds"},
	{Name: "max_bytes", Parameters: args(integer("n", 1, huge)), Effect: "Lower the quality until the file has at most {n} bytes"},
	{Name: "max_frames", Parameters: args(integer("n", 1, huge)), Effect: "Keep at most {n} frames"},
	{Name: "modulate", Parameters: args(number("brightness", -100, 100), number("saturation", -100, 100), number("hue", -36000, 36000)), Effect: "Change brightness by {brightness}, saturation by {saturation} percent, hue by {hue} degrees"},
	{Name: "no_upscale", Effect: "Never enlarge"},
	{Name: "upscale", Effect: "Enlarge where the box is larger than the picture"},
	{Name: "orient", Parameters: args(angles), Effect: "Rotate by {degrees} degrees before everything else"},
	{Name: "padding", Parameters: args(colour("colour"), integer("left", 0, huge), integer("top", 0, huge).or(""), integer("right", 0, huge).or(""), integer("bottom", 0, huge).or("")), Effect: "Add a border of {colour}: {left}, {top}, {right}, {bottom} pixels"},
	{Name: "page", Parameters: args(integer("n", 1, huge)), Effect: "Take page or frame {n}"},
	{Name: "palette", Parameters: args(integer("n", 2, 16).or("")), Effect: "Write a palette PNG; in /meta, name the most important colours"},
	{Name: "pixelate", Parameters: args(integer("block", 1, 10000).or("10")), Effect: "Make blocks of {block} pixels"},
	{Name: "preview", Effect: "Keep the decoded source at hand for editing"},
	{Name: "proportion", Parameters: args(number("percent", 0, 100)), Effect: "Scale the result down to {percent} percent"},
	{Name: "quality", Parameters: args(integer("n", 1, 100).also("auto")), Effect: "Encode with quality {n}"},
	{Name: "raw", Effect: "Answer with the source's bytes, untouched"},
	{Name: "rgb", Parameters: args(number("r", -100, 100), number("g", -100, 100), number("b", -100, 100)), Effect: "Add {r}, {g}, {b} percent to red, green, blue"},
	{Name: "rotate", Parameters: args(angles), Effect: "Rotate by {degrees} degrees after resizing"},
	{Name: "round_corner", Parameters: args(number("rx", 0, huge), number("ry", 0, huge).or(""), colour("colour").or("none")), Effect: "Round the corners by {rx} x {ry} pixels over {colour}"},
	{Name: "saturation", Parameters: args(number("amount", -100, 100)), Effect: "Change the saturation by {amount} percent"},
	{Name: "sharpen", Parameters: args(number("sigma", 0, 100)), Effect: "Sharpen with sigma {sigma}"},
	{Name: "stretch", Effect: "Reach the exact size without keeping the ratio"},
	{Name: "strip_exif", Effect: "Drop EXIF"},
	{Name: "strip_icc", Effect: "Convert to sRGB and drop the colour profile"},
	{Name: "strip_metadata", Effect: "Drop all metadata"},
	{Name: "text", Parameters: append(append(args(text("text")), xy...), text("font").or("sans 20"), colour("colour").or("black"), alpha, blendModes,
		text("width").or("0"), word("align", "low", "centre", "center", "high").or("low"), word("justify", "true", "false").or("false"),
		word("wrap", "word", "char", "wordchar", "none").or("word"), number("spacing", -1000, 1000).or("0"), number("dpi", 1, 2400).or("72")), Effect: "Write {text} at {x}, {y}"},
	{Name: "to_colorspace", Parameters: args(word("space", "srgb", "p3", "cmyk")), Effect: "Convert to the colour space {space}"},
	{Name: "trim", Parameters: args(number("tolerance", 0, 442).or("0"), word("corner", "top-left", "bottom-right").or("top-left")), Effect: "Cut the border that has the colour of the {corner} corner, after resizing"},
	{Name: "watermark", Parameters: append(append(args(Parameter{Name: "image", Kind: KindPath}), xy...), alpha, text("w_ratio").or("none"), text("h_ratio").or("none")), Effect: "Lay the watermark {image} over it at {x}, {y}"},

	{Name: "blurhash", Meta: true, Parameters: args(integer("x", 1, 9), integer("y", 1, 9)), Effect: "Tell a BlurHash of {x} x {y} components"},
	{Name: "thumbhash", Meta: true, Effect: "Tell a ThumbHash"},
	{Name: "avgcolor", Meta: true, Effect: "Tell the average colour"},
	{Name: "dominant", Meta: true, Effect: "Tell the dominant colour"},
	{Name: "phash", Meta: true, Effect: "Tell a perceptual hash"},
	{Name: "sha256", Meta: true, Effect: "Tell the SHA-256 of the source's bytes"},
	{Name: "lqip", Meta: true, Effect: "Tell a tiny placeholder picture"},
	{Name: "iptc", Meta: true, Effect: "Tell the IPTC data"},
	{Name: "xmp", Meta: true, Effect: "Tell the XMP data"},
	{Name: "icc", Meta: true, Effect: "Tell the colour profile's description"},
}

// specOf returns the row of that name or alias; nil when there is none.
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
