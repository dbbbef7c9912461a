package imaging

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
)

const (
	prefixBase64 = "b64:"

	// CanvasPrefix begins the name of an image that is a solid canvas; a colour follows it.
	CanvasPrefix = "color:"

	// EncryptedPrefix begins an image whose path is encrypted: `enc:<id of the key>:<base64url>`.
	EncryptedPrefix = "enc:"

	presetPrefix = "preset("

	minEncrypted = 23 // min length in characters of the encoded initialization vector and one byte
)

// isEncrypted reports whether the undecoded rest of a path is an encrypted image.
func isEncrypted(raw string) bool {
	rest, ok := strings.CutPrefix(raw, EncryptedPrefix)
	id, text, ok2 := strings.Cut(rest, ":")
	return ok && ok2 && id != "" && len(text) >= minEncrypted && IsAlnum(id, base64URL) && IsAlnum(text, base64URL)
}

// base64URL are the characters of base64url besides letters and digits.
const base64URL = "-_"

// decodeImage turns the rest of a path into the image that it names.
func decodeImage(raw string) (image string, isBase64 bool, err error) {
	raw = strings.TrimLeft(raw, "/")
	if encoded, ok := strings.CutPrefix(raw, prefixBase64); ok {
		if image, ok := decodeBase64(encoded); ok {
			return image, true, CheckImage(image)
		}
	}
	image = raw
	// Existing signers form-encode paths, so a plus means a space here. Text that cannot be decoded is used unchanged.
	if decoded, err := url.QueryUnescape(raw); err == nil {
		image = decoded
	}
	return image, false, CheckImage(image)
}

func decodeBase64(s string) (string, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(s, "="))
	if err != nil || len(b) == 0 || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// CheckImage returns fault.Invalid for a name that must not reach any storage: an absolute path, a path with `..`, NUL
// or a backslash, a remote URL without a host, text that is not UTF-8, or an empty name.
func CheckImage(image string) error {
	switch {
	case image == "":
		return fault.OnField(fault.Invalid, "image", "the URL names no image, expected a path after the operations")
	case strings.ContainsRune(image, 0):
		return fault.OnField(fault.Invalid, "image", "the image path contains a NUL byte")
	case !utf8.ValidString(image):
		return fault.OnField(fault.Invalid, "image", "the image path is not UTF-8 after percent-decoding")
	case IsRemote(image):
		return checkRemote(image)
	case IsCanvas(image):
		return nil
	case strings.HasPrefix(image, "/"):
		return fault.OnField(
			fault.Invalid, "image", "the image path is absolute, expected one relative to the storage root",
		)
	case strings.Contains(image, "\\"):
		return fault.OnField(fault.Invalid, "image", "the image path contains a backslash, expected / between folders")
	}
	for segment := range strings.SplitSeq(image, "/") {
		if segment == ".." {
			return fault.OnField(
				fault.Invalid, "image", "the image path holds .., expected a path inside the storage root",
			)
		}
	}
	return nil
}

func checkRemote(image string) error {
	u, err := url.Parse(image)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(image, "\r\n\t") {
		return fault.OnField(fault.Invalid, "image", "the remote image URL cannot be read, expected https://host/path")
	}
	return nil
}

// IsRemote reports whether an image is a remote http or https source.
func IsRemote(image string) bool {
	return strings.HasPrefix(image, "http://") || strings.HasPrefix(image, "https://")
}

// IsCanvas reports whether an image is a solid canvas, `color:...`.
func IsCanvas(image string) bool { return strings.HasPrefix(image, CanvasPrefix) }

// ParseCanvas returns the colour of a `color:...` image; fault.Invalid if it does not contain one.
func ParseCanvas(image string) (Colour, error) {
	c, err := ParseColour(strings.TrimPrefix(image, CanvasPrefix))
	if err == nil && c.Word == "auto" {
		err = fault.OnField(fault.Invalid, "image", "color:auto has no picture to take the color from")
	}
	return c, err
}

// encodeImage writes an image so that decodeImage reads it back, and does not mistake its first segment for an
// operation.
func encodeImage(image string, isBase64 bool) string {
	if isBase64 {
		return prefixBase64 + base64.RawURLEncoding.EncodeToString([]byte(image))
	}
	var b strings.Builder
	first, _, more := strings.Cut(image, "/")
	protect := more && isGrammar(first)
	for i := range len(image) {
		c := image[i]
		switch {
		case c == '/' && protect:
			b.WriteString("%2F")
			protect = false
		case c == ':' && i == 3 && strings.HasPrefix(image, prefixBase64),
			c == ':' && i == 3 && strings.HasPrefix(image, EncryptedPrefix),
			c == ':' && i == 7 && strings.HasPrefix(image, "filters:"):
			b.WriteString("%3A")
		// These characters have another meaning in a URL.
		case c == '(' && i == 6 && (strings.HasPrefix(image, "family(") || strings.HasPrefix(image, presetPrefix)):
			b.WriteString("%28")
		case isPlain(c):
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// isPlain reports whether a byte needs no encoding, because neither a URL decoder nor a form decoder changes it.
func isPlain(c byte) bool {
	return isAlnum(c) || strings.IndexByte("-_.~/:@!$&'()*,;=", c) >= 0
}

// isGrammar reports whether a segment, followed by a slash, could be something other than a folder of an image.
func isGrammar(segment string) bool {
	switch segment {
	case "",
		"params",
		"unsafe",
		"debug",
		"meta",
		"stretch",
		"left",
		"center",
		"right",
		"top",
		"middle",
		"bottom",
		"smart":
		return true
	}
	var o Operations
	if isHash(segment) || strings.HasPrefix(segment, "filters:") || o.parseTrim(segment) || o.parseFit(segment) {
		return true
	}
	for _, parse := range []func(string) (bool, error){
		o.parseCrop, o.parseSize, o.parsePadding, new(Layer).parseLayerSize} {
		if ok, err := parse(segment); ok || err != nil {
			return true
		}
	}
	return false
}
