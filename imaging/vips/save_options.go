package vips

import (
	"fmt"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// saveOptions returns libvips' options for writing so.
func saveOptions(e imaging.Encode) string {
	t := e.Format.Traits()
	options := []string{}
	add := func(when bool, format string, a ...any) {
		if when {
			options = append(options, fmt.Sprintf(format, a...))
		}
	}
	add(t.Options != "" && !e.Palette, "%s", t.Options) // filters make numbers of colors larger
	add(t.Quality > 0, "Q=%d", t.QualityScale.At(e.Quality))
	add(e.Effort >= 0, "effort=%d", e.Effort)
	add(e.Lossless, "lossless=true")
	add(e.Compression >= 0, "compression=%d", e.Compression)
	add(e.Palette, "palette=true")
	add(e.Bits > 0, "bitdepth=%d", e.Bits)
	return strings.Join(options, ",")
}

// plainEncode writes the format as it is written when nothing is asked for.
func plainEncode(f imaging.Format) imaging.Encode {
	t := f.Traits()
	e := imaging.Encode{Format: f, Quality: imaging.DefaultQuality, Effort: -1, Compression: -1}
	if t.Effort > 0 {
		e.Effort = t.Effort
	}
	return e
}
