package docsite

import (
	"fmt"
	"path"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// filtersIndex is the document that lists all filters.
const filtersIndex = "reference/filters/README.md"

// The samples of the examples. `safelight demo` writes them to the gallery.
const (
	detail      = "/demo/patterns/julia.jpg"
	landscape   = "/demo/landscapes/dawn.jpg"
	transparent = "/demo/transparent/bubbles.png"
	animated    = "/demo/animated/orbit.gif"
)

// shown is what a filter's page shows in addition to its row in imaging.FilterTable.
type shown struct {
	group    string
	examples []string // paths of URLs
	note     string
}

// The groups of filters, in the order of the list of all filters.
var filterGroups = []string{
	"Tone and color", "Detail", "Shape", "Layers and text", "Format and weight", "Delivery", "Metadata",
}

// filtered returns an example of a filter on a sample, 720 pixels wide.
func filtered(filters, sample string) string { return "720x480/filters:" + filters + sample }

// filterPages describe every filter of imaging.FilterTable; a test checks that none is missing.
var filterPages = map[string]shown{
	"attachment": {"Delivery", []string{filtered("attachment(dawn.jpg)", landscape)},
		"The bytes are the same. Browsers save the file instead of showing it."},
	"autojpg": {"Format and weight", []string{filtered("autojpg()", transparent)},
		"JPEG has no transparency: transparent areas become white unless `background_color()` or `fill()` names a " +
			"color."},
	"background_color": {"Tone and color", []string{filtered("background_color(fbe6d8)", transparent)}, ""},
	"bitdepth": {"Format and weight", []string{filtered("bitdepth(2):format(png)", landscape)},
		"Two bits are four colors."},
	"blur": {"Detail", []string{filtered("blur(12)", detail)},
		"A blurred picture compresses well, so it makes a light background."},
	"brightness": {"Tone and color", []string{filtered("brightness(25)", landscape)}, ""},
	"compression": {"Format and weight", []string{filtered("compression(9)", transparent)},
		"The pixels stay the same."},
	"contrast": {"Tone and color", []string{filtered("contrast(40)", landscape)}, ""},
	"crop": {"Shape", []string{filtered("crop(360,40,320,240)", landscape)},
		"It counts in pixels of the result. To cut the source before it is resized, write the crop as a segment of the " +
			"URL: [segments](../operations.md#segments)."},
	"curve": {"Tone and color", []string{
		filtered("curve(64,46,192,212)", landscape), filtered("curve(b,0,40,255,200)", landscape),
	},
		"The curve goes from 0,0 to 255,255 through the points, without overshooting between them. A point with x 0 " +
			"or 255 moves an end. Several curves apply one after the other, for example one for all channels and one " +
			"for blue."},
	"dpi":    {"Format and weight", []string{filtered("dpi(144)", landscape)}, "It has no effect on other formats."},
	"expire": {"Delivery", []string{filtered("expire(4102444800000)", landscape)}, "This one ends with the year 2099."},
	"exposure": {"Tone and color", []string{filtered("exposure(1)", landscape), filtered("exposure(-1)", landscape)},
		"One stop is twice the light. What would be brighter than white is compressed instead of cut off; white " +
			"stays white."},
	"fill": {"Tone and color", []string{
		"fit-in/720x480/filters:fill(blur)/demo/landscapes/moonlight.jpg",
		"fit-in/720x480/filters:fill(auto)/demo/landscapes/moonlight.jpg",
	}, "`auto` is the average color of the picture, `blur` the picture itself, enlarged and blurred."},
	"fallback_format": {"Format and weight", []string{
		"300x/filters:format(jpeg):fallback_format(gif)" + animated}, ""},
	"focal": {"Shape", []string{"320x480/filters:focal(0.55x0.3:0.8x0.6)" + landscape},
		"The region stays in view at every size and aspect ratio."},
	"format": {"Format and weight", []string{filtered("format(webp)", landscape), filtered("format(avif)", landscape)},
		"`format(auto)` chooses by the Accept header of the request."},
	"grayscale": {"Tone and color", []string{filtered("grayscale()", landscape)}, ""},
	"highlights": {"Tone and color", []string{filtered("highlights(-80)", landscape)},
		"Black and white stay. Negative amounts bring back bright skies without taking their color."},
	"hue": {"Tone and color", []string{filtered("hue(120)", detail)}, ""},
	"image": {"Layers and text", []string{
		filtered("image(240x180"+transparent+",-24,24)", landscape),
		filtered("image(720x480"+detail+",0,0,0,screen)", landscape),
	}, "The path of a layer may have operations of its own, even layers."},
	"invert":        {"Tone and color", []string{filtered("invert()", landscape)}, ""},
	"keep_metadata": {"Metadata", []string{filtered("keep_metadata()", landscape)}, ""},
	"label":         {"Layers and text", []string{filtered("label(Dawn,center,-40,48,white)", landscape)}, ""},
	"lossless":      {"Format and weight", []string{filtered("format(webp):lossless()", landscape)}, ""},
	"max_age":       {"Delivery", []string{filtered("max_age(3600)", landscape)}, ""},
	"max_bytes": {"Format and weight", []string{filtered("format(webp):max_bytes(12000)", detail)},
		"The picture is encoded several times, so it takes longer than `quality()`."},
	"max_frames": {"Shape", []string{"300x/filters:max_frames(1)" + animated}, ""},
	"modulate":   {"Tone and color", []string{filtered("modulate(10,30,-20)", landscape)}, ""},
	"no_upscale": {"Shape", []string{"480x480/filters:no_upscale()" + animated}, ""},
	"upscale":    {"Shape", []string{"fit-in/480x480/filters:upscale()" + animated}, ""},
	"orient":     {"Shape", []string{"480x/filters:orient(90)" + landscape}, ""},
	"padding":    {"Shape", []string{"640x/filters:padding(fbe6d8,40,20)" + landscape}, ""},
	"page": {"Shape", []string{"300x/filters:page(8):format(png)" + animated},
		"The first page has the number 1."},
	"palette":  {"Format and weight", []string{filtered("palette(8):format(png)", detail)}, ""},
	"pixelate": {"Detail", []string{filtered("pixelate(16)", detail)}, ""},
	"preview": {"Delivery", []string{filtered("preview():format(webp)", landscape)},
		"The editor uses it, so that a slider follows the pointer."},
	"proportion": {"Shape", []string{"720x480/filters:proportion(50)" + landscape}, ""},
	"quality": {"Format and weight", []string{filtered("quality(20)", detail)},
		"`quality(auto)` finds the quality at which this picture shows no difference."},
	"raw": {"Delivery", []string{"filters:raw()" + animated},
		"Its size is that of the source, whatever the URL says."},
	"rgb":    {"Tone and color", []string{filtered("rgb(20,0,-20)", landscape)}, ""},
	"rotate": {"Shape", []string{"480x/filters:rotate(90)" + landscape}, ""},
	"round_corner": {"Shape", []string{
		filtered("round_corner(48)", landscape), "400x400/filters:round_corner(200):format(png)" + landscape,
	}, "The corners are transparent if the format can be, so name one that can, such as PNG, WebP or AVIF."},
	"saturation": {"Tone and color", []string{filtered("saturation(60)", landscape)}, ""},
	"scaling":    {"Format and weight", []string{filtered("scaling(linear)", detail)}, ""},
	"shadows": {"Tone and color", []string{filtered("shadows(60)", landscape)},
		"Black and white stay, and colors keep their saturation."},
	"sharpen":        {"Detail", []string{filtered("sharpen(3)", detail)}, ""},
	"speed":          {"Format and weight", []string{filtered("format(webp):speed(best)", detail)}, ""},
	"straighten":     {"Shape", []string{filtered("straighten(6)", landscape)}, ""},
	"stretch":        {"Shape", []string{"720x300/filters:stretch()" + landscape}, ""},
	"strip_exif":     {"Metadata", []string{filtered("strip_exif()", landscape)}, ""},
	"strip_icc":      {"Metadata", []string{filtered("strip_icc()", landscape)}, ""},
	"strip_metadata": {"Metadata", []string{filtered("strip_metadata()", landscape)}, ""},
	"text": {"Layers and text", []string{
		filtered("text(First%20light,center,-48,sans-bold-36,white)", landscape)},
		"Sizes in percent of the picture, such as `sans-bold-8p`, look the same at every size."},
	"to_colorspace": {"Tone and color", []string{filtered("to_colorspace(p3)", landscape)}, ""},
	"trim":          {"Shape", []string{"filters:trim(20)/demo/animated/orbit.gif"}, ""},
	"vibrance": {"Tone and color", []string{filtered("vibrance(70)", landscape)},
		"It changes pale colors most, strong ones hardly and the hues of skin half as much. Brightness stays."},
	"white_balance": {"Tone and color", []string{
		filtered("white_balance(4500)", landscape), filtered("white_balance(8500,10)", landscape),
	},
		"6500 changes nothing, lower temperatures make the picture colder, higher ones warmer. A positive tint goes to " +
			"magenta, a negative one to green. White stays white."},
	"watermark": {"Layers and text", []string{
		filtered("watermark(demo/transparent/bubbles.png,-20,-20,30,25,25)", landscape)}, ""},

	"blurhash":  {"Metadata", []string{"meta/filters:blurhash(4,3)" + landscape}, ""},
	"thumbhash": {"Metadata", []string{"meta/filters:thumbhash()" + landscape}, ""},
	"avgcolor":  {"Metadata", []string{"meta/filters:avgcolor()" + landscape}, ""},
	"dominant":  {"Metadata", []string{"meta/filters:dominant()" + landscape}, ""},
	"phash":     {"Metadata", []string{"meta/filters:phash()" + landscape}, ""},
	"sha256":    {"Metadata", []string{"meta/filters:sha256()" + landscape}, ""},
	"lqip":      {"Metadata", []string{"meta/filters:lqip()" + landscape}, ""},
	"iptc":      {"Metadata", []string{"meta/filters:iptc()" + landscape}, ""},
	"xmp":       {"Metadata", []string{"meta/filters:xmp()" + landscape}, ""},
	"icc":       {"Metadata", []string{"meta/filters:icc()" + landscape}, ""},
}

// filterDocuments returns a Markdown document for each filter, and one that lists them.
func filterDocuments() map[string]string {
	documents := map[string]string{filtersIndex: filterList()}
	for _, f := range imaging.FilterTable() {
		documents[path.Dir(filtersIndex)+"/"+f.Name+".md"] = filterDocument(f)
	}
	return documents
}

func filterList() string {
	var b strings.Builder
	b.WriteString("# Filters\n\nEvery filter with an example that you can change. [Image URLs](../operations.md) " +
		"explains where filters stand in a URL.\n")
	for _, group := range filterGroups {
		fmt.Fprintf(&b, "\n## %s\n\n| filter | effect |\n|---|---|\n", group)
		for _, f := range imaging.FilterTable() {
			if filterPages[f.Name].group == group {
				fmt.Fprintf(&b, "| [`%s`](%s.md) | %s |\n", f.Name, f.Name, effect(f))
			}
		}
	}
	return b.String()
}

func effect(f imaging.FilterSpec) string {
	return strings.NewReplacer("{", "`", "}", "`").Replace(f.Effect)
}

func filterDocument(f imaging.FilterSpec) string {
	extra := filterPages[f.Name]
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n", f.Name, effect(f))
	for _, p := range extra.examples {
		fmt.Fprintf(&b, "\n```%s\n%s\n```\n", exampleLanguage, p)
	}
	if len(f.Parameters) > 0 {
		b.WriteString("\n## Arguments\n\n| argument | value | if left out |\n|---|---|---|\n")
	}
	for _, p := range f.Parameters {
		missing := "required"
		if p.Optional {
			missing = "optional"
		}
		if p.Optional && p.Default != "" {
			missing = "`" + p.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, p.Expects(), missing)
	}
	b.WriteString("\n## Good to know\n\n")
	if extra.note != "" {
		b.WriteString(extra.note + "\n\n")
	}
	switch {
	case f.Meta:
		b.WriteString("It works in `/meta/` URLs, which answer with JSON in place of a picture.\n\n")
	case f.Tone:
		b.WriteString("Neighboring filters of tone are computed together, without rounding in between.\n\n")
	}
	for _, alias := range f.Aliases {
		fmt.Fprintf(&b, "`%s` is another name for it.\n\n", alias)
	}
	b.WriteString("Filters apply in the order of the URL, after resizing. " +
		"[Image URLs](../operations.md) explains the other parts of a URL.\n")
	return b.String()
}
