package server

import (
	"math"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/imaging"
)

// The client hints that affect sizes, under their current and former names.
const (
	hintDPR      = "Sec-CH-DPR"
	hintWidth    = "Sec-CH-Width"
	hintOldDPR   = "DPR"
	hintOldWidth = "Width"
	hintSaveData = "Save-Data"
	acceptHints  = hintDPR + ", " + hintWidth + ", " + hintOldDPR + ", " + hintOldWidth
)

// savingQuality is the quality for clients that send Save-Data, on the scale of URLs: about two thirds of the bytes.
const savingQuality = 60

// The bounds of a device pixel ratio; other values are ignored.
const minDPR, maxDPR = 0.5, 4

// hints applies the client hints if the operator has enabled them. Sizes in the URL are then CSS pixels, multiplied by
// the device pixel ratio; a URL without a size gets the width of its slot in the page, without upscaling. Clients that
// save data get a lower quality and no more pixels than CSS pixels. Originals are not changed.
func (s *Server) hints(c *fiber.Ctx, p *picture) {
	if !s.config.ClientHints || p.fixed || p.isOriginal() {
		return
	}
	c.Set("Accept-CH", acceptHints)
	o := &p.request.Operations
	saving := s.saveData(c, p)
	if o.WidthOriginal || o.HeightOriginal {
		return // a side of the source's own is in device pixels already
	}
	if o.Width == 0 && o.Height == 0 {
		if imaging.IsCanvas(p.request.Image) {
			return // the result has no size to scale
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
	if saving {
		ratio = min(ratio, 1)
	}
	ratio = p.boundedRatio(min(max(ratio, minDPR), maxDPR))
	for _, side := range []*int{&o.Width, &o.Height, &o.PaddingLeft, &o.PaddingTop, &o.PaddingRight, &o.PaddingBottom} {
		if *side != 0 {
			*side = max(1, int(math.Round(float64(*side)*ratio)))
		}
	}
}

// saveData lowers the quality for a client that asks to save data, unless the URL decides the quality or the bytes
// itself, and reports whether it asks.
func (s *Server) saveData(c *fiber.Ctx, p *picture) bool {
	c.Vary(hintSaveData)
	if !strings.EqualFold(strings.TrimSpace(c.Get(hintSaveData)), "on") {
		return false
	}
	if o := &p.request.Operations; !p.request.Meta && !p.has("quality", "lossless", "max_bytes") {
		o.Filters = joinFilters(o.Filters, imaging.Filters("quality("+strconv.Itoa(savingQuality)+")"))
	}
	return true
}

func joinFilters[F ~string](list F, more F) F {
	if list == "" {
		return more
	}
	return list + ":" + more
}

// hint reads a number; the current name takes precedence.
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

// boundedWidth limits a hint to the max width of any request.
func (p *picture) boundedWidth(n float64) int {
	if most := p.limits.MaxResultSide; most > 0 {
		n = min(n, float64(most))
	}
	return int(math.Ceil(min(n, math.MaxInt32)))
}

// boundedRatio reduces a ratio above 1 if it would take the result over a limit.
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
