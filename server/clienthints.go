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

// saveDataQuality is the quality for clients that send Save-Data, on the scale of quality(). The result has about two
// thirds of the bytes.
const saveDataQuality = 60

// The bounds of a device pixel ratio; other values are ignored.
const minDPR, maxDPR = 0.5, 4

// hints applies the client hints if the operator has enabled them. Sizes in the URL are then CSS pixels, which are
// multiplied by the device pixel ratio. A URL without a size gets the width of the image's slot in the page, without
// upscaling. Clients that save data get a lower quality, and one pixel for each CSS pixel. Originals do not change.
func (s *Server) hints(c *fiber.Ctx, p *picture) {
	if !s.config.ClientHints || p.ignoreHints || p.isOriginal() {
		return
	}
	c.Set("Accept-CH", acceptHints)
	o := &p.request.Operations
	saving := s.saveData(c, p)
	if o.WidthOriginal || o.HeightOriginal {
		return // the original's size is already in device pixels
	}
	if o.Width == 0 && o.Height == 0 {
		if imaging.IsCanvas(p.request.Image) {
			return // a canvas without a size has nothing to scale
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

// saveData reports whether the client asks to save data. If so, it lowers the quality, unless the URL sets the quality
// or the size in bytes.
func (s *Server) saveData(c *fiber.Ctx, p *picture) bool {
	c.Vary(hintSaveData)
	if !strings.EqualFold(strings.TrimSpace(c.Get(hintSaveData)), "on") {
		return false
	}
	if o := &p.request.Operations; !p.request.Meta && !p.has("quality", "lossless", "max_bytes") {
		o.Filters = joinFilters(o.Filters, imaging.Filters("quality("+strconv.Itoa(saveDataQuality)+")"))
	}
	return true
}

func joinFilters[F ~string](list F, more F) F {
	if list == "" {
		return more
	}
	return list + ":" + more
}

// hint reads the number in the first of the headers that is present. ok is false if there is none.
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

// boundedRatio reduces a ratio above 1 so that the result stays within the size limits.
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
