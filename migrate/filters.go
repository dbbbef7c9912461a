package migrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// filterRule describes how a filter of thumbor or imagor differs from Safelight's.
type filterRule struct {
	thumbor, imagor bool // which products have the filter
	// Safelight lacks the filter, or does not accept such arguments, but the result is the same without it.
	skipped bool
	// differing returns what Safelight does differently for the arguments of a URL of that product; empty if nothing.
	// explained is true if that also explains Safelight's warnings about the filter.
	differing func(from Product, args []string) (text string, explained bool)
	// typical reports whether only thumbor accepts such arguments; may be nil.
	typical func(args []string) bool
}

// thumborOnly reports whether only thumbor accepts the filter with these arguments.
func (r filterRule) thumborOnly(f imaging.Filter) bool {
	return r.thumbor && (!r.imagor || r.typical != nil && r.typical(f.Arguments()))
}

func (r filterRule) imagorOnly() bool { return r.imagor && !r.thumbor }

// difference returns what Safelight does differently.
func (r filterRule) difference(from Product, f imaging.Filter) (text string, explained bool) {
	lacks := from == Thumbor && !r.thumbor || from == Imagor && !r.imagor || !r.thumbor && !r.imagor
	switch {
	case lacks && isApplied(f):
		return fmt.Sprintf("%s has no such filter and ignores it, Safelight applies it", from), true
	case lacks:
		return "", true
	case r.skipped:
		return "the filter is not supported and is ignored", true
	}
	if r.differing == nil {
		return "", false
	}
	return r.differing(from, f.Arguments())
}

// isApplied reports whether Safelight has the filter and accepts its arguments.
func isApplied(f imaging.Filter) bool {
	calls, _, _ := imaging.Filters(f.Name + "(" + f.Args + ")").Calls(false)
	return len(calls) > 0
}

// number reads a decimal number.
func number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return f, err == nil
}

// decimal writes a number with at most four digits after the point.
func decimal(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
}

// hexColour returns the color of red, green and blue, 0 to 255 each, as RRGGBB.
func hexColour(parts []string) (text string) {
	for _, part := range parts {
		n, _ := strconv.ParseUint(strings.TrimSpace(part), 10, 8)
		text += fmt.Sprintf("%02x", n)
	}
	return text
}

// filterRules are the rules for the filters of thumbor 7 and imagor 1.
var filterRules = buildFilterRules()

func buildFilterRules() map[string]filterRule {
	rules := map[string]filterRule{
		"saturation": {thumbor: true, imagor: true, differing: saturation, typical: isFactor},
		"sharpen": {thumbor: true, imagor: true, differing: sharpen,
			typical: func(args []string) bool { return len(args) == 3 }},
		"round_corner": {thumbor: true, imagor: true, differing: roundCorner,
			typical: func(args []string) bool {
				return len(args) > 3 || len(args) > 0 && strings.Contains(args[0], "|")
			}},
		"fill": {thumbor: true, imagor: true, differing: fill,
			typical: func(args []string) bool { return len(args) > 1 }},
		"autojpg": {thumbor: true, imagor: true, differing: autojpg,
			typical: func(args []string) bool { return len(args) > 0 }},
		"blur":       {thumbor: true, imagor: true, differing: blur},
		"proportion": {thumbor: true, imagor: true, differing: proportion},
		"rotate":     {thumbor: true, imagor: true, differing: rotate},
		"pixelate":   {imagor: true, differing: pixelate},
	}
	for _, name := range strings.Fields("background_color brightness contrast focal format grayscale max_age " +
		"max_bytes no_upscale quality rgb stretch strip_exif strip_icc upscale watermark") {
		rules[name] = filterRule{thumbor: true, imagor: true}
	}
	for _, name := range strings.Fields("attachment avgcolor bitdepth blurhash compression crop dpi expire " +
		"fallback_format fill_color hue image invert keep_metadata label lossless max_frames modulate orient padding " +
		"page palette phash preview raw redact redact_oval strip_metadata text thumbhash to_colorspace trim") {
		rules[name] = filterRule{imagor: true}
	}
	for _, name := range strings.Fields("colorize convolution cover curve distributed_collage drop_shadow equalize " +
		"extract_focal frame noise red_eye text_watermark") {
		rules[name] = filterRule{thumbor: true, skipped: true}
	}
	for _, name := range strings.Fields("detections draw_detections") {
		rules[name] = filterRule{imagor: true, skipped: true}
	}
	return rules
}

// isFactor reports whether a saturation is a factor, as in thumbor: it has a decimal point and is from 0 to 4. As a
// percentage it would have no visible effect.
func isFactor(args []string) bool {
	f, ok := 0.0, false
	if len(args) == 1 {
		f, ok = number(args[0])
	}
	return ok && strings.Contains(args[0], ".") && f >= 0 && f <= 4
}

func saturation(from Product, args []string) (string, bool) {
	if from != Thumbor || len(args) != 1 {
		return "", false
	}
	f, ok := number(args[0])
	if !ok {
		return "", false
	}
	return fmt.Sprintf("thumbor takes a factor, 1 for no change, Safelight percent from -100 to 100: write "+
		"saturation(%s)", decimal(min(max((f-1)*100, -100), 100))), true
}

func sharpen(from Product, args []string) (string, bool) {
	switch {
	case len(args) < 2 && from == Thumbor:
		return "thumbor ignores it without its three arguments, Safelight applies it", true
	case len(args) < 2:
		return "", false
	case from == Imagor:
		return fmt.Sprintf("imagor takes sigma from the second argument, Safelight has only one: write sharpen(%s)",
			args[1]), true
	}
	return "thumbor takes amount, radius and luminance_only, Safelight sigma only", true
}

func blur(from Product, args []string) (string, bool) {
	switch {
	case from == Thumbor:
		return "close, not equal: thumbor cuts the Gaussian off at its radius, Safelight does not", false
	case from == Imagor && len(args) == 2:
		return fmt.Sprintf("imagor halves the second argument, Safelight takes it for sigma: write blur(%s)", args[1]),
			false
	}
	return "", false
}

func proportion(from Product, args []string) (string, bool) {
	v, ok := 0.0, false
	if len(args) == 1 {
		v, ok = number(args[0])
	}
	switch {
	case !ok || v <= 0 || v == 1:
	case from == Thumbor && v > 1:
		return "thumbor ignores values over 1, here they are percent: leave the filter out", true
	case from == Imagor && v != 100:
		return "close: imagor rounds sides down, Safelight to the nearest pixel", false
	}
	return "", false
}

// rotate explains warnings about other angles than multiples of 90, by which neither product rotates.
func rotate(_ Product, args []string) (string, bool) {
	v, ok := 0.0, false
	if len(args) == 1 {
		v, ok = number(args[0])
	}
	return "", ok && math.Mod(v, 90) != 0
}

func pixelate(Product, []string) (string, bool) {
	return "imagor rounds the sides of the picture to multiples of the block, Safelight keeps its size", false
}

func roundCorner(from Product, args []string) (string, bool) {
	if from != Thumbor || len(args) == 0 {
		return "", false
	}
	x, y, two := strings.Cut(args[0], "|")
	if !two {
		y = x
	}
	if len(args) < 4 {
		if two {
			return fmt.Sprintf("the two radii are separated by a comma: write round_corner(%s,%s)", x, y), true
		}
		return "thumbor ignores it without a color in three further arguments, Safelight applies it", false
	}
	colour := hexColour(args[1:4])
	if len(args) > 4 && isTrue(args[4]) {
		colour = "none"
	}
	return fmt.Sprintf("the color is one argument: write round_corner(%s,%s,%s)", x, y, colour), true
}

func fill(from Product, args []string) (string, bool) {
	if from != Thumbor || len(args) > 1 && isTrue(args[1]) {
		return "", len(args) > 1
	}
	return "thumbor leaves transparent areas as they are unless a second argument says so, Safelight fills them too",
		true
}

func autojpg(from Product, args []string) (string, bool) {
	switch {
	case from == Imagor:
		return "", true
	case len(args) > 0 && !isTrue(args[0]):
		return "thumbor turns automatic JPEG off, here the result is a JPEG: leave the filter out", true
	case from == Thumbor:
		return "thumbor leaves pictures with transparency and other formats than PNG as they are, here every result " +
			"is a JPEG", true
	}
	return "", true
}

// isTrue reports whether a boolean in a URL is true.
func isTrue(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "t", "true":
		return true
	}
	return false
}
