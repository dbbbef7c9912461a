package migrate

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"
)

// imgproxyURL is a parsed URL: /SIGNATURE/OPTION:ARGUMENT:.../plain/SOURCE@EXTENSION, or with the source in base64url.
type imgproxyURL struct {
	options   []option
	source    string
	extension string
	encrypted bool
}

// option is a processing option. name is its long name, or the name in the URL if the option is unknown.
type option struct {
	name  string
	known bool
	args  []string
}

// arg returns an argument; empty if it is missing.
func (o option) arg(n int) string {
	if n < len(o.args) {
		return o.args[n]
	}
	return ""
}

// number returns an argument as a number; 0 if it is missing or not a number.
func (o option) number(n int) float64 {
	f, _ := number(o.arg(n))
	return f
}

// parseImgproxy parses the path of a URL. ok is false if it is a URL of another product.
func parseImgproxy(path string) (u imgproxyURL, ok bool) {
	segments := strings.Split(path, "/")
	at, unknown := 1, false
	if options, isBasic := parseBasic(segments); isBasic {
		u.options, at = options, at+basicSegments
	}
	for ; at < len(segments); at++ {
		o, isOption := parseOption(segments[at])
		if !isOption {
			break
		}
		unknown = unknown || !o.known
		u.options = append(u.options, o)
	}
	if at >= len(segments) {
		return u, false
	}
	switch rest := segments[at:]; rest[0] {
	case "enc":
		u.encrypted = true
		return u, len(u.options) > 0 && !unknown
	case "plain":
		u.source, u.extension = cutExtension(strings.Join(rest[1:], "/"), "@")
		if decoded, err := url.PathUnescape(u.source); err == nil {
			u.source = decoded
		}
		u.source = mendScheme(u.source)
	default:
		encoded, extension := cutExtension(strings.Join(rest, ""), ".")
		text, err := decodeBase64(encoded)
		if err != nil || !utf8.Valid(text) {
			return u, false
		}
		u.source, u.extension = string(text), extension
	}
	if strings.Contains(u.source, "://") {
		return u, true
	}
	return u, segments[at] == "plain" && !unknown && u.isImgproxy()
}

// basicSegments is how many segments the basic form of imgproxy 1 and 2 has after the signature:
// TYPE/WIDTH/HEIGHT/GRAVITY/ENLARGE.
const basicSegments = 5

// parseBasic returns the options of a URL in the basic form; ok is false for any other URL.
func parseBasic(segments []string) (options []option, ok bool) {
	if len(segments) < 2+basicSegments {
		return nil, false
	}
	kind, width, height, gravity, enlarge := segments[1], segments[2], segments[3], segments[4], segments[5]
	position := strings.Split(gravity, ":")
	_, isEdge := aligns[position[0]]
	isGravity := position[0] != "" && (isEdge || position[0] == "sm" || position[0] == "fp")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(width) || !digits(height) || !isGravity || enlarge != "0" && enlarge != "1" {
		return nil, false
	}
	switch kind {
	case "fit", "fill", "force", "auto":
		return []option{{"resize", true, []string{kind, width, height, enlarge}}, {"gravity", true, position}}, true
	case "crop":
		return []option{{"crop", true, append([]string{width, height}, position...)}}, true
	}
	return nil, false
}

// decodeBase64 decodes base64url with or without padding.
func decodeBase64(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// isImgproxy reports whether an option cannot be a segment of a thumbor URL, as trim:10 can.
func (u imgproxyURL) isImgproxy() bool {
	for _, o := range u.options {
		if o.name != "trim" {
			return true
		}
	}
	return false
}

// parseOption parses NAME:ARGUMENT:... ok is false if segment does not have that form.
func parseOption(segment string) (o option, ok bool) {
	name, args, found := strings.Cut(segment, ":")
	if !found || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_-") != "" ||
		strings.ContainsAny(args, "(/") || name == "http" || name == "https" {
		return o, false
	}
	long, known := imgproxyOptions[name]
	if !known {
		long = name
	}
	return option{long, known, strings.Split(args, ":")}, true
}

// cutExtension separates the extension of the result from a source.
func cutExtension(source, separator string) (rest, extension string) {
	at := strings.LastIndex(source, separator)
	if at < 0 || strings.Contains(source[at:], "/") {
		return source, ""
	}
	return source[:at], source[at+1:]
}

// mendScheme restores the double slash of a URL if a proxy has merged it into one.
func mendScheme(source string) string {
	scheme, rest, found := strings.Cut(source, ":/")
	if found && !strings.HasPrefix(rest, "/") && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		return scheme + "://" + rest
	}
	return source
}

// imgproxyOptions are the long names of the options of imgproxy 3 and its Pro edition.
var imgproxyOptions = longNames(`
resize rs
size s
resizing_type rt
resizing_algorithm ra
width w
height h
min-width min_width mw
min-height min_height mh
zoom z
dpr
enlarge el
extend ex
extend_aspect_ratio extend_ar exar
gravity g
objects_position obj_pos op
crop c
crop_aspect_ratio crop_ar car
trim t
padding pd
auto_rotate ar
rotate rot
flip fl
background bg
background_alpha bga
adjust a
brightness br
contrast co
saturation sa
monochrome mc
duotone dt
unsharp_masking unsharpening ush
blur bl
sharpen sh
pixelate pix
blur_detections bd
draw_detections dd
colorize col
gradient gr
watermark wm
watermark_url wmu
watermark_text wmt
watermark_size wms
watermark_rotate watermark_rot wmr
watermark_shadow wmsh
style st
strip_metadata sm
keep_copyright kcr
strip_color_profile scp
color_profile cp icc
dpi
enforce_thumbnail eth
quality q
format_quality fq
autoquality aq
max_bytes mb
jpeg_options jpgo
png_options pngo
gif_options gifo
webp_options webpo
avif_options avifo
format f ext
page pg
pages pgs
disable_animation da
video_thumbnail_second vts
fallback_image_url fiu
skip_processing skp
raw
cachebuster cb
expires exp
filename fn
return_attachment att
preset pr
hashsum hs
max_src_resolution msr
max_src_file_size msfs
max_animation_frames maf
max_animation_frame_resolution mafr
max_result_dimension mrd
`)

// longNames reads lines of names: the first in each line is the long one.
func longNames(table string) map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for _, word := range words {
			names[word] = words[0]
		}
	}
	return names
}
