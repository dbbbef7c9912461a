package imaging

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"github.com/safelight/safelight/fault"
)

// ParseColour reads a CSS name, RGB, RGBA, RRGGBB or RRGGBBAA (a leading # is allowed), or one of the
// words none, transparent (both the word none) and auto. Anything else is fault.Invalid.
func ParseColour(s string) (Colour, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "none", "transparent":
		return Colour{Word: "none"}, nil
	case "auto":
		return Colour{Word: "auto"}, nil
	case "rebeccapurple": // CSS Color Level 4; the package has the names of Level 3
		return Colour{R: 0x66, G: 0x33, B: 0x99, A: 255}, nil
	}
	if c, ok := colornames.Map[s]; ok {
		return Colour{R: c.R, G: c.G, B: c.B, A: 255}, nil
	}
	if c, ok := parseHex(strings.TrimPrefix(s, "#")); ok {
		return c, nil
	}
	return Colour{}, fault.New(
		fault.Invalid, "color %s is unknown, expected a CSS name, RGB, RRGGBB, RRGGBBAA, none or auto",
		fault.Quote(s),
	)
}

func parseHex(s string) (Colour, bool) {
	if len(s) == 3 || len(s) == 4 {
		long := make([]byte, 0, 8)
		for i := range len(s) {
			long = append(long, s[i], s[i])
		}
		s = string(long)
	}
	if len(s) == 6 {
		s += "ff"
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return Colour{}, false
	}
	return Colour{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}, true
}

// invisible reports whether c paints nothing.
func (c Colour) invisible() bool { return c.A == 0 && c.Word != "auto" }

// String returns the colour in the syntax of ParseColour.
func (c Colour) String() string {
	if c.Word != "" {
		return c.Word
	}
	if c.A == 255 {
		return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}
