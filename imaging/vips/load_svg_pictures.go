package vips

import (
	"encoding/base64"
	"encoding/xml"
	"net/url"
	"strings"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/screen"
)

// svgPixels is how many pixels the pictures inside of an SVG may have together: the renderer decodes each as a whole,
// to 8 bytes a pixel.
const svgPixels = 16_000_000

// pictures counts the pictures that an element refers to. It returns in words what is wrong with one.
func (c *svgCost) pictures(e xml.StartElement) (problem string) {
	for _, a := range e.Attr {
		if a.Name.Local == "href" && e.Name.Local != "a" && problem == "" {
			problem = c.picture(a.Value)
		}
	}
	return problem
}

// picture counts the picture of a data URI.
func (c *svgCost) picture(reference string) string {
	reference = strings.TrimSpace(reference)
	if !strings.HasPrefix(strings.ToLower(reference[:min(len(reference), 5)]), "data:") {
		return ""
	}
	if c.embedded[reference] { // it is decoded once
		return ""
	}
	c.embedded[reference] = true
	data := dataOf(reference)
	pixels, ok := screen.Pixels(data)
	if !ok {
		return "an embedded picture that is not a PNG, JPEG or GIF"
	}
	c.pixels += min(pixels, svgPixels+1)
	parts, err := screen.File{Format: imaging.SniffFormat(data), Data: data}.Check()
	if err != nil || parts != nil {
		return "an embedded picture that costs more than it shows"
	}
	return ""
}

// dataOf returns what a data URI holds, as far as it can be read.
func dataOf(uri string) []byte {
	head, text, _ := strings.Cut(uri, ",")
	if unescaped, err := url.PathUnescape(text); err == nil {
		text = unescaped
	}
	if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(head)), "base64") {
		return []byte(text)
	}
	text = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '=' {
			return -1
		}
		return r
	}, text)
	data := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, _ := base64.RawStdEncoding.Decode(data, []byte(text)) // what precedes the damage counts
	return data[:n]
}
