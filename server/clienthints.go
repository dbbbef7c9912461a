package server

import (
	"math"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/imaging"
)

// The client hints that decide sizes: today's names, and those that came before.
const (
	hintDPR      = "Sec-CH-DPR"
	hintWidth    = "Sec-CH-Width"
	hintOldDPR   = "DPR"
	hintOldWidth = "Width"
	acceptHints  = hintDPR + ", " + hintWidth + ", " + hintOldDPR + ", " + hintOldWidth
)

// The bounds within which a device's pixel ratio is believed.
const minDPR, maxDPR = 0.5, 4

// hints applies the client hints, where the operator wants that. A size in the URL is in CSS pixels then and
// is multiplied by the device's pixel ratio; a URL without a size gets the width that the page has for it,
// and is not enlarged for that. Originals stay as they are.
func (s *Server) hints(c *fiber.Ctx, p *picture) {
	if !s.config.ClientHints || p.isOriginal() {
		return
	}
	c.Set("Accept-CH", acceptHints)
	o := &p.request.Operations
	if o.Width == 0 && o.Height == 0 {
		if imaging.IsCanvas(p.request.Image) {
			return // it has no size to be fitted from
		}
		c.Vary(hintWidth, hintOldWidth)
		if n, ok := hint(c, hintWidth, hintOldWidth); ok && n >= 1 {
			o.Width = p.boundedWidth(n)
			if !p.has("upscale", "no_upscale") {
				o.Filters = joinFilters(o.Filters, "no_upscale()")
			}
		}
		return
	}
	c.Vary(hintDPR, hintOldDPR)
	ratio, ok := hint(c, hintDPR, hintOldDPR)
	if !ok || ratio <= 0 {
		return
	}
	ratio = p.boundedRatio(min(max(ratio, minDPR), maxDPR))
	for _, side := range []*int{&o.Width, &o.Height, &o.PaddingLeft, &o.PaddingTop, &o.PaddingRight, &o.PaddingBottom} {
		if *side != 0 {
			*side = max(1, int(math.Round(float64(*side)*ratio)))
		}
	}
}

func joinFilters[F ~string](list F, more F) F {
	if list == "" {
		return more
	}
	return list + ":" + more
}

// hint reads a number; the newer name goes first.
func hint(c *fiber.Ctx, names ...string) (n float64, ok bool) {
	for _, name := range names {
		text := strings.TrimSpace(c.Get(name))
		if text == "" {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// boundedWidth keeps a hint from asking for more than anybody may.
func (p *picture) boundedWidth(n float64) int {
	if most := p.limits.MaxResultSide; most > 0 {
		n = min(n, float64(most))
	}
	return int(math.Ceil(min(n, math.MaxInt32)))
}

// boundedRatio keeps a ratio above 1 from making a result too large that would not be otherwise.
func (p *picture) boundedRatio(ratio float64) float64 {
	if ratio <= 1 {
		return ratio
	}
	o, most := p.request.Operations, ratio
	width := float64(o.Width + o.PaddingLeft + o.PaddingRight)
	height := float64(o.Height + o.PaddingTop + o.PaddingBottom)
	if side := float64(p.limits.MaxResultSide); side > 0 {
		most = min(most, side/max(width, height))
	}
	if pixels := float64(p.limits.MaxResultPixels); pixels > 0 && width > 0 && height > 0 {
		most = min(most, math.Sqrt(pixels/(width*height)))
	}
	return max(1, most)
}
